#!/usr/bin/env bash
# Runs the example under valgrind on two ranks, natively and staged, and fails when a block that StepCCL asked for is lost, or StepCCL
# touches memory that it must not. Open MPI loses blocks by itself: what has no frame of ours on its stack is not counted,
# and Debian's list of what it loses on behalf of any caller is suppressed. To be called in a build folder.
set -u
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
build=$PWD
[ -x examples/allreduce ] || { echo "examples/allreduce is not built in $build"; exit 1; }

# The errors in valgrind's XML files whose stack has a frame in one of our objects. Valgrind does not know that the emulated driver asks
# the kernel with msync whether an address is mapped, and means addresses that are not; "possibly lost" are the stacks of threads that live.
ours() {
    awk '
        /<error>/ { text = kind = ""; mine = 0 }
        { text = text $0 "\n" }
        /<kind>/ { kind = $0; gsub(/.*<kind>|<\/kind>.*/, "", kind) }
        /<obj>.*(libstepccl|mca_coll_stepccl)/ { mine = 1 }
        /<\/error>/ {
            if (mine && kind !~ /^Leak_(StillReachable|IndirectlyLost|PossiblyLost)$/ && text !~ /param msync/) { print text; ++found }
        }
        END { exit found > 0 }' "$@"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/planted.xml" <<'END'
<error>
  <kind>Leak_DefinitelyLost</kind>
  <stack><frame><obj>/usr/lib/libc.so.6</obj></frame>
  <frame><obj>/lib/libstepccl.so.0.0.0</obj></frame></stack>
</error>
END
if ours "$folder/planted.xml" >/dev/null; then
    echo "A planted leak was not found: this test proves nothing."
    exit 1
fi
rm "$folder/planted.xml"

check=(valgrind --leak-check=full --show-leak-kinds=definite --num-callers=40 --xml=yes "--xml-file=$folder/%p.xml")
[ ! -r /usr/share/openmpi/openmpi-valgrind.supp ] || check+=(--suppressions=/usr/share/openmpi/openmpi-valgrind.supp)
mpi=(mpirun -np 2 --oversubscribe --mca mca_base_component_path "SYSTEM_DEFAULT:$build/.libs" -x STEPCCL_DRIVER=emulated)
[ "$(id -u)" -ne 0 ] || mpi+=(--allow-run-as-root)

for path in auto staged; do
    echo "== path=$path"
    if ! "${mpi[@]}" -x STEPCCL_PATH=$path ./libtool --mode=execute "${check[@]}" examples/allreduce </dev/null; then
        echo "The program failed under valgrind."
        exit 1
    fi
done
reports=("$folder"/*.xml)
[ ${#reports[@]} -ge 4 ] || { echo "${#reports[@]} reports of valgrind, 4 expected"; exit 1; }
ours "${reports[@]}" || exit 1
echo "${#reports[@]} processes were looked at: nothing of StepCCL is lost."
