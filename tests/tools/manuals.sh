#!/usr/bin/env bash
# Every tool has a manual page, and the options in it are those that the tool's --help lists.
set -u
# shellcheck source=tests/tools/functions
. "${srcdir:-.}/tests/tools/functions"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# "-b --min-bytes" of lines like "  -b [ --min-bytes ] arg  ..." and "  --json arg  ...".
from_help() { "$1" --help | sed -n 's/^  \(-[A-Za-z] \)\{0,1\}\(\[ \)\{0,1\}\(--[a-z-]*\).*/\1\3/p' | sort; }
# The same of ".It Fl b , \-min-bytes Ar min" and ".It Fl \-json Ar file".
from_page() { sed -n 's/^\.It Fl \(\([A-Za-z]\) , \)\{0,1\}\\-\([a-z-]*\).*/\2 --\3/p' "$1" | sed 's/^\([A-Za-z]\)/-\1/; s/^ //' | sort; }

looked=0
for page in "$srcdir"/man/*.1; do
    name=$(basename "$page" .1)
    program=$(tool "$name")
    [ -n "$program" ] || continue
    options=$(from_help "$program")
    [ -n "$options" ] || complain "no option was found in $name --help"
    diff <(printf '%s\n' "$options") <(from_page "$page") || complain "$name --help (<) and $page (>) differ."
    looked=$((looked + 1))
done
[ $looked -gt 0 ] || { echo "no tool was built"; exit 77; }
for program in stepccl_*; do
    [ ! -x "$program" ] || [ -d "$program" ] || [ -e "$srcdir/man/$program.1" ] || [[ $program == *_test ]] || complain "$program has no manual page."
done
echo "$looked tools were looked at."
exit $failed
