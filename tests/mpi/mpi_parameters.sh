#!/usr/bin/env bash
# The parameters as Open MPI's users meet them: ompi_info, --mca, the environment, and what happens with a bad value.
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
OMPI_INFO=${OMPI_INFO:-ompi_info}
command -v "$OMPI_INFO" >/dev/null || skip "there is no ompi_info"

listed=$("$OMPI_INFO" --param coll stepccl --level 9)
rows=$(sed -n 's/^STEPCCL_PARAM(\([a-z_]*\),.*/\1/p' "$srcdir/src/base/params.def")
[ -n "$rows" ] || fail "no parameters in src/base/params.def"
for row in $rows; do
    [[ $listed == *"coll_stepccl_$row"* ]] || fail "ompi_info does not list coll_stepccl_$row"
done

# try EXPECTATION PATTERN SETTINGS...: runs the matrix's broadcast with `mpirun SETTINGS`.
try() {
    local status=$1 pattern=$2 said
    shift 2
    said=$(timeout -k 5 60 "${launch[@]}" "$@" -np 2 tests/mpi/mpi_matrix --kinds bcast --counts 3 --types float --memory "$memory" \
        --expect "$expect" 2>&1 </dev/null)
    local got=$?
    if [ "$status" = good ] && [ $got != 0 ]; then fail "$*: ended with $got: $said"; fi
    if [ "$status" = bad ] && [ $got = 0 ]; then fail "$*: succeeded: $said"; fi
    [[ $said =~ $pattern ]] || fail "$*: did not say '$pattern' but: $said"
}
memory=device expect=native
try good '0 failures'
try good '0 failures' --mca coll_stepccl_priority 99
try good '0 failures' --mca coll_stepccl_timeout_us 60000000
# Staging everything is right but not native.
try bad 'not done natively' --mca coll_stepccl_path staged
# Without the component, host buffers still work.
memory=host expect=any
try good '0 failures' --mca coll_stepccl_enable 0
try good '0 failures' --mca coll '^stepccl'
# A bad value: a line that says what is wrong, and the component is not used. The program's own use of the library fails as well.
try bad "coll/stepccl: not used: .*parts.*9999.*" --mca coll_stepccl_parts 9999
try bad "coll/stepccl: not used: .*path.*fast.*" --mca coll_stepccl_path fast

# From a file of Open MPI's, which only the component sees.
file=$(mktemp)
trap 'rm -f "$file"' EXIT
echo "coll_stepccl_parts = 9999" >"$file"
try good "coll/stepccl: not used: .*parts.*9999.*MCA.*" --mca mca_base_param_files "$file"
memory=device expect=native
echo "coll_stepccl_path = staged" >"$file"
try bad 'not done natively' --mca mca_base_param_files "$file"
finish
