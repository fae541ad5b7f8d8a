#!/usr/bin/env bash
# All collectives on device buffers: right, and done natively.
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
for np in 1 2 3 4; do run $np mpi_matrix --expect native --counts 0,1,3,1000; done
for np in 7 8; do run $np mpi_matrix --expect native --counts 3,1000 --types float,int32,float_int; done
finish
