# Text processing: perl words.pl LINES
#
# Writes text for itself with a generator of its own, then does with it what scripts do with logs: splits it into
# words, counts them in a hash, keeps lists of lines by word, replaces by patterns, sorts, joins. Prints sums only.
use strict;
use warnings;

my $lines = shift // 20_000;
my $state = 42;

sub draw {
    my ($below) = @_;
    $state = ( $state * 1103515245 + 12345 ) % 2147483648;
    return ( $state >> 8 ) % $below;
}

my @syllables = qw(ba co di fu ga he in ka lo mu na ost pre qui ra sto tri un ver wo);

sub word {
    return join '', map { $syllables[ draw( scalar @syllables ) ] } 0 .. draw(3);
}

my ( %count, %lines_of, @kept );
for my $number ( 1 .. $lines ) {
    my $line = join ' ', map { word() } 1 .. 6 + draw(8);
    for my $word ( split /\s+/, $line ) {
        $count{$word}++;
        push @{ $lines_of{$word} }, $number if length $word > 5;
    }
    $line =~ s/\b(\w)(\w*)o\b/uc($1) . $2 . '0'/ge;
    push @kept, $line if $line =~ /(\w+)ra\b.*\1/;
}

my @by_count = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "$_ $count{$_}\n" for @by_count[ 0 .. 9 ];

my $checksum = 0;
for my $word (@by_count) {
    my $where = join ',', @{ $lines_of{$word} // [] };
    $checksum = ( $checksum * 31 + length($where) + $count{$word} ) % 1_000_000_007;
}
my $text = join "\n", sort @kept;
my %letters;
$letters{$_}++ for split //, $text;
print scalar(@by_count), " words, ", scalar(@kept), " lines kept, ", length($text), " characters, checksum $checksum\n";
print join( ' ', map { "$_=$letters{$_}" } grep { /\w/ } sort keys %letters ), "\n";

# And with everything freed, once more the largest: half of the lists go, others come in their place.
delete @lines_of{ @by_count[ grep { $_ % 2 } 0 .. $#by_count ] };
my %again = map { $_ => [ split //, $_ ] } @by_count;
my $length = 0;
$length += @{ $again{$_} } for keys %again;
print "$length letters\n";
