# {{ name }}: runs all the evidence that tools here can give, and writes results.txt and results.html.
#
#     sh run.sh [STATES [PROGRAMS]]
#
# Needs a C compiler; all else is used where it is. Ends with 0 if every part that must run did, and nothing was found.
# CC, CLANG, CPPCHECK and CBMC name other tools, FUZZ_SECONDS the time of libFuzzer (default 30), CBMC_SECONDS the longest that
# CBMC may take (default 600).
cd "$(dirname "$0")" || exit 2
states=${1:-200000}
programs=${2:-2000}
: "${CC:=cc}" "${CLANG:=clang}" "${CPPCHECK:=cppcheck}" "${CBMC:=cbmc}" "${FUZZ_SECONDS:=30}"
build=$(mktemp -d) || exit 2
trap 'rm -rf "$build"' EXIT
trap 'exit 130' INT TERM
: > results.txt
red=0

# part NAME OUTCOME: what the part printed is in $build/out, the sum of it in the last line, or that of the violation.
part() {
    line=$(grep -m 1 VIOLATION "$build/out" || tail -n 1 "$build/out")
    printf '%-9s %-12s %s\n' "$2" "$1" "$line" | tee -a results.txt
    if [ "$2" = RED ]; then
        red=1
        sed 's/^/          /' "$build/out" | tee -a results.txt
    fi
}

# must NAME COMMAND...: it has to end with 0; 3 says that it went only a part of the way.
must() {
    name=$1
    shift
    "$@" > "$build/out" 2>&1
    case $? in
    0) part "$name" GREEN ;;
    3) part "$name" PART ;;
    *) part "$name" RED ;;
    esac
}

not_run() {
    printf '%-9s %-12s %s\n' "NOT RUN" "$1" "$2" | tee -a results.txt
}

has() {
    command -v "$1" > /dev/null 2>&1
}

compiled() {
    "$CC" -std=c11 -O2 -Wall -Wextra -pedantic -Wconversion -Werror -c {{ n }}.c -o "$build/heap.o" &&
        "$CC" -std=c11 -Os -ffreestanding -Wall -Wextra -pedantic -Werror -c {{ n }}.c -o "$build/small.o" &&
        echo "C11 without a warning, at -O2 and freestanding at -Os: $("$CC" --version | head -n 1)"
}

searched() {
    "$CC" -std=gnu11 -O2 states.c {{ n }}.c -o "$build/states" && "$build/states" 0 "$states"
}

fuzzed() {
    "$CC" -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -DFUZZ_ALONE fuzz.c {{ n }}.c -o "$build/fuzz" &&
        "$build/fuzz" "$programs"
}

guided() {
    "$CLANG" -std=gnu11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all fuzz.c {{ n }}.c -o "$build/guided" &&
        "$build/guided" -max_total_time="$FUZZ_SECONDS" -max_len=1502 -print_final_stats=1 -artifact_prefix=./ > "$build/guided.txt" 2>&1 ||
        { grep -E 'VIOLATION|ERROR|SUMMARY|error:|Test unit written' "$build/guided.txt" | head -n 40; return 1; }
    echo "libFuzzer, $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/guided.txt") programs, no violation"
}

limited() {
    if has timeout; then timeout "${CBMC_SECONDS:-600}" "$@"; else "$@"; fi
}

proved() {
    limited "$CBMC" --unwind "${CBMC_UNWIND:-{{ 72 if zeroes else 40 }}}" --bounds-check --pointer-check --signed-overflow-check --undefined-shift-check \
        -DREGION_BYTES="${CBMC_REGION:-64}U" -DOPERATIONS="${CBMC_OPERATIONS:-3}U" proof.c {{ n }}.c > "$build/cbmc.txt" 2>&1
    case $? in
    0) ;;
    124) echo "CBMC gave no answer in ${CBMC_SECONDS:-600} seconds"; return 3 ;;
    *) grep -E ': FAILURE$|error|VERIFICATION' "$build/cbmc.txt" | head -n 40; return 1 ;;
    esac
    echo "CBMC $("$CBMC" --version), ${CBMC_OPERATIONS:-3} operations in ${CBMC_REGION:-64} bytes of any contents: no property fails"
}

misra() {
    "$CPPCHECK" --std=c11 --addon=misra --inline-suppr --suppress=missingIncludeSystem{% for rule in misra.left_out %} --suppress={{ rule }}{% endfor %} \
        {% for define in misra.defines %}'{{ define }}' {% endfor %}--error-exitcode=1 --quiet {{ n }}.c &&
        echo "MISRA C:2012 by $("$CPPCHECK" --version): no violation but those noted in the source, and of{% for rule in misra.left_out %} {{ rule | replace("misra-c2012-", "") }}{% endfor %}"
}

if ! has "$CC"; then
    echo "there is no C compiler: CC names one" >&2
    exit 2
fi
must compiler compiled
must states searched
must fuzz fuzzed
if has "$CLANG"; then must libfuzzer guided; else not_run libfuzzer "no $CLANG here"; fi
if has "$CBMC"; then must cbmc proved; else not_run cbmc "no $CBMC here: it is a package of Debian from trixie on"; fi
if has "$CPPCHECK"; then must misra misra; else not_run misra "no $CPPCHECK here"; fi

{
    echo '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Evidence of {{ name }}</title>'
    echo '<style>body{font:15px/1.5 system-ui;max-width:60em;margin:3em auto;padding:0 1em}td{padding:.3em 1em .3em 0;vertical-align:top}'
    echo '.GREEN{color:#17692f}.RED{color:#b3261e}.PART,.NOT{color:#8a5a00}pre{background:#f4f4f4;padding:1em;overflow:auto}</style>'
    echo '<h1>Evidence of {{ name }}</h1><pre>{{ spec_lines | join("\n") | escape }}</pre><table>'
    sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' results.txt |
        awk '/^ /{print "<tr><td><td><td><code>" $0 "</code>"; next}
             {state=substr($0,1,9); sub(/ +$/,"",state); class=state; sub(/ .*/,"",class); name=substr($0,11,12); sub(/ +$/,"",name)
              print "<tr><td><b class=\"" class "\">" state "</b><td>" name "<td>" substr($0,24)}'
    echo '</table>'
    if [ -f {{ n }}_sheet.txt ]; then
        echo '<h2>Figures</h2><pre>'
        sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' {{ n }}_sheet.txt
        echo '</pre>'
    fi
    echo '<p>What each part shows, and what it does not: README.md. The bill of materials: materials.json.'
    echo "<p>$(uname -sm), $("$CC" --version | head -n 1), $(date -u '+%Y-%m-%d %H:%M') UTC</html>"
} > results.html
if [ "$red" = 0 ]; then echo "nothing was found: results.html"; else echo "something was found: results.txt"; fi
exit "$red"
