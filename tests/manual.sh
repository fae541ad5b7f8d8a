#!/usr/bin/env bash
# The manual pages are well formed, and stepccl(7) has every parameter of params.def with its default, and no other.
set -u
srcdir=${srcdir:-.}
failed=0
pages=("$srcdir"/man/*.[1-9])

if command -v mandoc >/dev/null; then
    mandoc -Tlint -W warning "${pages[@]}" || failed=1
else
    echo "mandoc is not installed: the form of the pages was not looked at."
fi

rows() { sed -n 's/^STEPCCL_PARAM(\([a-z_]*\), \([a-z]*\), "\([^"]*\)".*/\1 \2 \3/p' "$srcdir/src/base/params.def"; }
items() { sed -n 's/^\.It Cm \([a-z_]*\) Pq \([a-z]*\)\(, default Ql \)\{0,1\}\(.*\)$/\1 \2 \4/p' "$srcdir/man/stepccl.7"; }
[ "$(rows | wc -l)" -gt 0 ] || { echo "no parameter was found in params.def"; exit 1; }
if ! diff <(rows | sed 's/ *$//' | sort) <(items | sed 's/ *$//' | sort); then
    echo "params.def (<) and man/stepccl.7 (>) differ."
    failed=1
fi
echo "${#pages[@]} pages, $(rows | wc -l) parameters."
exit $failed
