#!/usr/bin/env bash
# examples/allreduce, as the newcomer runs it.
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
said=$(timeout -k 5 60 "${launch[@]}" -np 4 examples/allreduce 2>&1 </dev/null) || fail "ended with $?"
echo "$said"
[ "$(grep -c '0 of .* elements are wrong; done on the GPUs by' <<<"$said")" = 4 ] || fail "not all four ranks were done on the GPUs"
if said=$(STEPCCL_DRIVER=none timeout -k 5 60 "${launch[@]}" -np 2 examples/allreduce 2>&1 </dev/null); then
    fail "succeeded without a GPU"
fi
[[ $said == *STEPCCL_DRIVER=emulated* ]] || fail "does not say how to run without a GPU: $said"
finish
