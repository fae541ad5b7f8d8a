#!/usr/bin/env bash
# The command line of stepccl_info.
set -u
# shellcheck source=tests/tools/functions
. "${srcdir:-.}/tests/tools/functions"
info=$(tool stepccl_info)
[ -n "$info" ] || { echo "stepccl_info was not built"; exit 77; }
data=$srcdir/tests/unit/topo/data
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export STEPCCL_DRIVER=none

expect 0 "Usage:" "$info" --help
expect 0 "stepccl_info (StepCCL)" "$info" --version

# Options.
expect 2 "did you mean --params" "$info" --parms
expect 2 "there is no option" "$info" --frobnicate
expect 2 "'allreduce' is no option" "$info" allreduce
expect 2 "did you mean 'allreduce'" "$info" --choose allreduc
expect 2 "--bytes takes bytes" "$info" --choose allreduce --bytes 1X
expect 2 "--n takes a number" "$info" --choose allreduce --n 0
expect 2 "belongs to --choose" "$info" --bytes 8
expect 2 "argument" "$info" --xml

# Sections.
expect 0 "timeout_us = " "$info" --params
expect 0 "Driver: none" "$info" --driver
expect 0 "reason: " "$info" --driver
expect 0 "two_shot" "$info" --algorithms
expect 0 "float32" "$info" --types
expect 0 "StepCCL" "$info" --build
expect 0 "4 core(s)" "$info" --topology --xml "$data/hgx4.xml"
expect 0 "nvlink(450 GB/s)" "$info" --topology --xml "$data/hgx4.xml"
expect 0 "NIC mlx5_1" "$info" --topology --xml "$data/hgx4.xml"
expect 0 "no GPU" "$info" --topology --xml "$data/cpu_only.xml"
expect 0 "Parameters" "$info"
expect_json "$info" --json
expect_json "$info" --all --json --xml "$data/hgx4.xml"
expect_json "$info" --choose allreduce --json --xml "$data/hgx4.xml"

# The parameters' values and sources.
expect 0 "parts = 4  (environment variable STEPCCL_PARTS)" env STEPCCL_PARTS=4 "$info" --params
expect 0 "2M  (environment variable OMPI_MCA_coll_stepccl_scratch_bytes)" env OMPI_MCA_coll_stepccl_scratch_bytes=2M "$info" --params

# Choices.
expect 0 "one_shot in 1 part(s) by copy engines" "$info" --choose allreduce --bytes 1K --xml "$data/hgx4.xml"
expect 0 "slower: " "$info" --choose allreduce --bytes 64M --n 4 --xml "$data/hgx4.xml"
expect 0 "ring in 3 part(s)" env STEPCCL_ALGORITHM='allreduce@ring,parts=3' "$info" --choose allreduce --xml "$data/hgx4.xml"
expect 0 "2 part(s), as was asked for" env STEPCCL_PARTS=2 "$info" --choose allreduce --xml "$data/pcie2.xml"
expect 1 "did you mean 'ring'" env STEPCCL_ALGORITHM='allreduce@rign' "$info" --choose allreduce --xml "$data/hgx4.xml"
expect 1 "no GPU to choose for" "$info" --choose allreduce --xml "$data/cpu_only.xml"

# Something is wrong.
expect 1 "there is no parameter 'tiemout_us'" env STEPCCL_TIEMOUT_US=1 "$info"
expect 1 "did you mean 'timeout_us'" env STEPCCL_TIEMOUT_US=1 "$info" --params
expect 1 "two_shot" env STEPCCL_TIEMOUT_US=1 "$info" --algorithms
expect 1 "expected one of" env STEPCCL_DRIVER=emulatd "$info" --driver
expect 1 "No such file" "$info" --topology --xml "$scratch/none.xml"
expect 1 "cannot be read" "$info" --topology --xml "$scratch"
echo "some text" >"$scratch/text.xml"
expect 1 "is not XML" "$info" --topology --xml "$scratch/text.xml"
echo "<html><body/></html>" >"$scratch/page.xml"
expect 1 "is not an hwloc topology" "$info" --topology --xml "$scratch/page.xml"
expect 1 "is not an hwloc topology" env STEPCCL_TOPOLOGY_FILE="$scratch/page.xml" "$info" --topology
expect 1 "written" bash -c "'$info' --types >/dev/full"
exit $failed
