#!/usr/bin/env bash
# Host buffers on some ranks, or for one of the two arguments: staged, and right.
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
for np in 1 2 3 4; do run $np mpi_matrix --expect native --memory mixed-odd --counts 0,1,1000; done
for np in 7 8; do run $np mpi_matrix --expect native --memory mixed-odd --counts 3 --types float,int32,float_int; done
for memory in host send-only recv-only; do
    run 3 mpi_matrix --expect native --memory $memory --counts 0,3,1000 --types double,uint8,2int
    run 4 mpi_matrix --expect native --memory $memory --counts 3 --types float
done
run 2 mpi_matrix --expect native --memory mixed-odd --counts 65537 --types float
finish
