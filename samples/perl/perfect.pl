# Perfect, abundant and amicable numbers: lists of divisors in hashes of arrays, and lines of text about them.
use strict;
use warnings;

my $most = shift // 400;
my (%divisors, %sum, %kinds);
for my $number (1 .. $most) {
    my @own = grep { $number % $_ == 0 } 1 .. $number / 2;
    $divisors{$number} = [@own];
    $sum{$number} = 0;
    $sum{$number} += $_ for @own;
    my $kind = $sum{$number} == $number ? 'perfect' : $sum{$number} > $number ? 'abundant' : 'deficient';
    push @{ $kinds{$kind} }, "$number = " . join(' + ', @own);
}
for my $number (sort { $a <=> $b } keys %sum) {
    my $other = $sum{$number};
    my $back = $sum{$other} // 0;
    push @{ $kinds{amicable} }, "$number, $other" if $back == $number && $other > $number;
}
for my $kind (sort keys %kinds) {
    my @lines = map { uc substr($_, 0, 1) . substr($_, 1) } @{ $kinds{$kind} };
    print "$kind: ", scalar @lines, ", ", join('; ', @lines[0 .. ($#lines < 3 ? $#lines : 3)]), "\n";
}
