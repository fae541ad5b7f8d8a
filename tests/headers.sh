#!/usr/bin/env bash
# Every header compiles alone: it includes what it needs.
set -u
srcdir=${srcdir:-.} CXX=${CXX:-c++}

compile() {
    local flags=(-std=c++20 -Wall -Wextra -Wconversion -Werror -fsyntax-only "-I$srcdir/src" "-I$srcdir/include")
    # shellcheck disable=SC2086
    if output=$(printf '#include "%s"\n' "$1" | $CXX "${flags[@]}" -x c++ - 2>&1); then return 0; fi
    printf '%s does not compile alone:\n%s\n' "$1" "$output"
    return 1
}

export -f compile
export srcdir CXX
headers=$(cd "$srcdir/src" && find . -name '*.h' | sed 's|^\./||' | sort)
[ -n "$headers" ] || { echo "no header found below $srcdir/src"; exit 1; }
# shellcheck disable=SC2016
if ! printf '%s\n' "$headers" stepccl/stepccl.h | xargs -P "$(nproc)" -I{} bash -c 'compile {}'; then exit 1; fi
# A header that leaves something out is found.
printf '#pragma once\ninline std::string text;\n' >"headers-$$.h"
trap 'rm -f "headers-$$.h"' EXIT
if compile "$PWD/headers-$$.h" >/dev/null; then
    echo "A header without its includes compiled: this test proves nothing."
    exit 1
fi
echo "$(printf '%s\n' "$headers" | wc -l) headers compile alone."
