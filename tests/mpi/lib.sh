# shellcheck shell=bash
# What the scripts in this folder share. They run in the top build folder, as `make check` does, with the component and the emulated driver as built
# there; nothing needs to be installed.
set -u
srcdir=${srcdir:-.}
MPIRUN=${MPIRUN:-mpirun}
built=$PWD/.libs
name=$(basename "$0" .sh)

skip() {
    echo "$name: skipped: $*"
    exit 77
}
command -v "$MPIRUN" >/dev/null || skip "there is no mpirun"
[ -e "$built/mca_coll_stepccl.so" ] || skip "the component was not built"

# SYSTEM_DEFAULT keeps Open MPI's own components, which a plain folder would hide.
export OMPI_MCA_mca_base_component_path=SYSTEM_DEFAULT:$built
export STEPCCL_DRIVER=emulated STEPCCL_DRIVER_LIBRARY=$built/libstepccl_emu.so
export LD_LIBRARY_PATH=$built${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# More ranks than cores is the rule here; op/avx adds small integers with saturation where MPI's other code and StepCCL wrap.
launch=("$MPIRUN" --oversubscribe --mca op '^avx')
[ "$(id -u)" != 0 ] || launch+=(--allow-run-as-root)

failed=0
fail() {
    echo "$name: FAILED: $*"
    failed=1
}

# run NP PROGRAM ARGUMENTS...: a test program of this folder, which has to succeed within two minutes.
run() {
    local np=$1 program=tests/mpi/$2
    shift 2
    echo "$name: np $np: $program $*"
    timeout -k 5 120 "${launch[@]}" -np "$np" "$program" "$@" </dev/null || fail "np $np: $program $* ended with $?"
}

# All shared memory of the library is anonymous: a name would stay after a crash.
finish() {
    local left
    left=$(find /dev/shm -maxdepth 1 -name '*stepccl*' 2>/dev/null)
    [ -z "$left" ] || fail "left in /dev/shm: $left"
    exit $failed
}
