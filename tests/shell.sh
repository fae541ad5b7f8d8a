#!/usr/bin/env bash
# The scripts are clean, and say what is wrong with their arguments.
set -u
srcdir=${srcdir:-.}
command -v shellcheck >/dev/null || { echo "shellcheck is not installed"; exit 77; }

failed=0
cd "$srcdir" || exit 1
mapfile -t scripts < <(find scripts tests .ci -type f -exec grep -l '^#!.*sh$\|^# shellcheck shell=' {} + | sort)
shellcheck -x "${scripts[@]}" || failed=1

# refuses CODE TEXT COMMAND...
refuses() {
    local code=$1 text=$2 said status
    shift 2
    said=$("$@" 2>&1 </dev/null)
    status=$?
    [ $status -eq "$code" ] && [[ $said == *"$text"* ]] && return
    printf '%s: exit code %s, not %s, and it said: %s\n' "$*" "$status" "$code" "$said"
    failed=1
}
refuses 2 "there is no option '--instal'" scripts/quickstart --instal
refuses 2 "--build needs a folder" scripts/quickstart --build
refuses 0 "Exit codes:" scripts/quickstart --help
refuses 2 "there is no stage 'gdb'" scripts/check gdb
refuses 0 "N passed, N failed" scripts/check --help
# A system without apt-get.
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
for tool in bash dirname sed sort tr; do ln -s "$(command -v $tool)" "$bare/"; done
refuses 3 "this system has no apt-get" env PATH="$bare" bash scripts/quickstart
echo "${#scripts[@]} scripts were looked at."
exit $failed
