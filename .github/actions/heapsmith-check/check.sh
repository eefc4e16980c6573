#!/usr/bin/env bash
# Runs `heapsmith check` in a GitHub workflow: its table in the log and in the job's summary, an annotation for each
# assertion that does not hold, a SARIF report. Its exit code is heapsmith's.
#
#   CHECK_FILE    the check file             CHECK_SARIF   where the SARIF report goes
#   CHECK_BASE    the base, or empty         CHECK_JUNIT   where a JUnit report goes, or empty
#   CHECK_SAVE    where figures are saved, or empty
#   HEAPSMITH     the command; built from this repository where it is empty
#
# Names in traces and check files are not ours: nothing of them is run, and none becomes a command of the workflow.
set -euo pipefail

heapsmith=${HEAPSMITH:-}
if [ -z "$heapsmith" ]; then
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
  cargo build --release --locked --package heapsmith-cli --manifest-path "$root/Cargo.toml"
  heapsmith=${CARGO_TARGET_DIR:-$root/target}/release/heapsmith
fi

# What the runner reads; elsewhere it is of no use.
output=${GITHUB_OUTPUT:-/dev/null}
summary=${GITHUB_STEP_SUMMARY:-/dev/null}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

options=()
[ -z "${CHECK_BASE:-}" ] || options+=("--base=$CHECK_BASE")
save=()
[ -z "${CHECK_SAVE:-}" ] || save+=("--save=$CHECK_SAVE")
sarif=${CHECK_SARIF:-heapsmith.sarif}

# A report of an earlier run is not one of this.
rm -f -- "$sarif"
code=0
"$heapsmith" check "${options[@]}" "${save[@]}" --format sarif "--out=$sarif" -- "$CHECK_FILE" \
  >"$scratch/table" 2>"$scratch/log" || code=$?
if [ -n "${CHECK_JUNIT:-}" ]; then
  "$heapsmith" check "${options[@]}" --format junit "--out=$CHECK_JUNIT" -- "$CHECK_FILE" \
    >/dev/null 2>&1 || [ "$?" -eq "$code" ]
fi

# The runner obeys lines that begin with two colons, until it reads this token again.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
cat "$scratch/table" "$scratch/log"
echo "::$token::"

escaped() { sed -e 's/%/%25/g' -e 's/\r/%0D/g'; }
property() { escaped | sed -e 's/:/%3A/g' -e 's/,/%2C/g'; }
if [ "$code" -ne 0 ]; then
  # Each sentence is `FILE:LINE: …` below the line that counts them; an error of another kind is that line alone.
  sed -n '/^heapsmith: /,$p' "$scratch/log" | while IFS= read -r line; do
    if [[ $line =~ ^(.*[^0-9]):([0-9]+):\ (.*)$ && ${BASH_REMATCH[1]} == "$CHECK_FILE" ]]; then
      printf '::error file=%s,line=%s,title=heapsmith check::%s\n' \
        "$(printf '%s' "$CHECK_FILE" | property)" "${BASH_REMATCH[2]}" "$(printf '%s' "${BASH_REMATCH[3]}" | escaped)"
    else
      printf '::error title=heapsmith check::%s\n' "$(printf '%s' "$line" | escaped)"
    fi
  done
fi

{
  printf '### heapsmith check: '
  case $code in
    0) echo 'every assertion holds' ;;
    1) echo 'an assertion failed' ;;
    *) echo 'it could not be evaluated' ;;
  esac
  printf '<pre>\n'
  { cat "$scratch/table"; [ "$code" -eq 0 ] || sed -n '/^heapsmith: /,$p' "$scratch/log"; } |
    sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g'
  printf '</pre>\n'
} >>"$summary"

{
  echo "code=$code"
  if [ -f "$sarif" ]; then printf 'sarif<<%s\n%s\n%s\n' "$token" "$sarif" "$token"; fi
} >>"$output"

exit "$code"
