#!/usr/bin/env bash
# Programs that know nothing of devices, with the buffers of their collectives moved to the emulated driver's memory: on every rank, for one of
# the two arguments, and on odd ranks only. Then without the component, where the same must fail: else nothing was moved.
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
[ -e "$built/libdevize.so" ] || skip "libdevize was not built"
# In such a build the padding of pairs, which is nobody's, comes out different from what was there, and devize objects to every byte that changes.
if ldd "$built/libstepccl.so" | grep -q libasan; then skip "built with the address sanitizer"; fi

# The sanitizers want to be loaded before devize, which need not be.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

# devized MODE NP PROGRAM ARGUMENTS...
devized() {
    local mode=$1 np=$2
    shift 2
    timeout -k 5 120 "${launch[@]}" -np "$np" -x LD_PRELOAD="$built/libdevize.so${under:+:$under}" -x DEVIZE_MODE="$mode" \
        -x DEVIZE_STATISTICS=1 "$@" </dev/null 2>&1
}

# passes MODE NP PROGRAM ARGUMENTS...: what it said goes to $said.
passes() {
    echo "$name: $1, np $2: ${*:3}"
    said=$(devized "$@") && return
    fail "$1, np $2: ${*:3} ended with $?"
    echo "$said" | grep -v '^devize: .* calls, '
}

rows=$((3 * $(grep -c '^DEVIZE_COLLECTIVE' "$srcdir/tests/devize/collectives.def") + 1))
for mode in all send recv odd; do
    for np in 2 3 4; do passes $mode $np tests/devize/plain; done
    moved=$(grep -c ' [1-9][0-9]* moved' <<<"$said")
    [ "$moved" = $rows ] || fail "$mode: $moved functions have moved a buffer, not $rows"
    echo "$said" | grep -E '^(plain|devize: StepCCL):'
done
passes all 1 tests/devize/plain
passes off 2 tests/devize/plain
if grep -q ' [1-9][0-9]* moved' <<<"$said"; then fail "off: buffers were moved"; fi

for mode in all odd; do passes $mode 3 tests/mpi/mpi_matrix --memory host --counts 0,1,1000 --types float,int32; done
# These bring device memory themselves, which stays where it is.
passes all 2 tests/mpi/mpi_nonblocking
passes all 2 tests/mpi/mpi_derived

# refused PATTERN MODE NP PROGRAM: fails, and says so.
refused() {
    local text=$1
    shift
    if said=$(devized "$@"); then fail "$1, np $2: passed, but '$text' was to be expected"; fi
    grep -m 1 -E "$text" <<<"$said" || fail "$1, np $2: '$text' was to be expected: $said"
}
# Faults must be found: a wrong mode, an MPI that writes where it may not, and an MPI that does not know device memory.
refused "DEVIZE_MODE is 'every'; it may be" every 1 tests/devize/plain
under=$built/libdevize_scribble.so refused "Bcast wrote to its " all 2 tests/devize/plain
unset OMPI_MCA_mca_base_component_path
for mode in all send recv odd; do refused "Segmentation fault|AddressSanitizer: SEGV" $mode 2 tests/devize/plain; done
finish
