#!/bin/sh
# The large proof: every algorithm of the registry at n = 1..64 and at some n beyond, and a mutation run. Too long for make check;
# scripts/check runs it. The first argument is the build folder.
set -eu
sched=${1:-.}/stepccl_sched
"$sched" verify --all --max-n 64
for n in 72 96 127 128; do
    echo "n = $n"
    "$sched" verify --all --n "$n" --parts 1,2,8
done
"$sched" mutate --seed "${SEED:-1}" --count 2000
