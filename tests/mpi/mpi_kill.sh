#!/usr/bin/env bash
# A rank dies in the middle of a large all-reduce: the others get an MPI error within the time limit, and standard error names the rank, the collective
# and the step.
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
out=$(mktemp) err=$(mktemp)
trap 'rm -f "$out" "$err"' EXIT
for np in 2 3 4; do
    # Otherwise mpirun ends the whole job when one of its processes dies.
    timeout -k 5 100 "${launch[@]}" --enable-recovery -np $np tests/mpi/mpi_kill >"$out" 2>"$err" </dev/null
    status=$?
    [ $status != 124 ] || fail "np $np: still waiting after 100 seconds"
    [ "$(grep -c 'got an error' "$out")" = $((np - 1)) ] || fail "np $np: not every survivor got an error"
    [ "$(grep -c 'once more: an error again' "$out")" = $((np - 1)) ] || fail "np $np: a broken communicator was used again"
    grep -q "rank $((np - 1)) of MPI_COMM_WORLD.*died.*allreduce of .*step" "$err" || fail "np $np: no line names rank, collective and step"
    [ $failed = 0 ] || cat "$out" "$err"
done
finish
