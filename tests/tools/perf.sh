#!/usr/bin/env bash
# stepccl_perf: its command line, and calls by MPI's own functions and by StepCCL on the emulated driver.
set -u
# shellcheck source=tests/tools/functions
. "${srcdir:-.}/tests/tools/functions"
perf=$(tool stepccl_perf)
[ -n "$perf" ] || { echo "stepccl_perf was not built"; exit 77; }
command -v mpirun >/dev/null || { echo "there is no mpirun"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none

# perf N ARGUMENTS...
perf() {
    local n=$1
    shift
    mpirun -np "$n" "$perf" "$@"
}
quick=(-b 64 -e 4K -f 8 -n 2 -w 1)

expect 0 "Usage: mpirun" perf 1 --help
expect 0 "stepccl_perf (StepCCL)" perf 2 --version
[ "$(perf 2 --version | wc -l)" -eq 1 ] || complain "--version is said by more than one rank"

# Options.
expect 2 "did you mean 'allreduce'" perf 1 allreduc
expect 2 "name a collective" perf 1
expect 2 "did you mean --warmup" perf 1 allreduce --wramup 3
expect 2 "takes bytes" perf 1 allreduce -b many
expect 2 "band is not defined on float32" perf 1 allreduce -o band
expect 2 "there are ranks 0 to 1" perf 2 bcast -r 2
expect 2 "take --via api" perf 1 bcast -t float16
expect 2 "cannot be written" perf 2 bcast --json /no/such/folder/x.json
expect 1 "there is no parameter 'prats'" env STEPCCL_PRATS=1 mpirun -np 2 "$perf" allreduce --memory host

# On the host, whether the component is there or not.
export STEPCCL_DRIVER=none
expect 0 "wrong elements: 0" perf 3 allreduce --memory host "${quick[@]}"
expect 0 "wrong elements: 0" perf 2 alltoall --memory host "${quick[@]}" -t all -z
expect 0 "wrong elements: not checked" perf 2 bcast --memory host "${quick[@]}" -c 0
expect 1 "there is no GPU" perf 2 allreduce "${quick[@]}"

# By StepCCL alone, on the emulated driver: every kind.
export STEPCCL_DRIVER=emulated
for kind in barrier bcast gather scatter allgather alltoall allreduce reduce reduce_scatter scan exscan; do
    expect 0 "wrong elements: 0" perf 3 "$kind" --via api "${quick[@]}" -r 0
    [[ $kind == barrier || $kind == bcast ]] || expect 0 "wrong elements: 0" perf 3 "$kind" --via api "${quick[@]}" -z
done
expect 0 "Served by StepCCL" perf 2 allreduce --via api "${quick[@]}"
expect 0 "wrong elements: 0" perf 2 reduce --via api -b 1K -e 1K -n 1 -w 0 -t all -o all -r 1

# The files.
expect 0 "wrong elements: 0" perf 2 allgather --via api "${quick[@]}" --json "$scratch/out.json" --csv "$scratch/out.csv"
expect_json cat "$scratch/out.json"
grep -q '"native": 4,' "$scratch/out.json" || complain "out.json does not count 2 calls of 2 ranks: $(cat "$scratch/out.json")"
[ "$(wc -l <"$scratch/out.csv")" -eq 4 ] || complain "out.csv has not a head and 3 rows: $(cat "$scratch/out.csv")"
exit $failed
