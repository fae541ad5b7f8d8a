#!/usr/bin/env bash
# Vectors of several parts and of odd lengths.
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
run 2 mpi_matrix --expect native --counts 65537 --types float
run 3 mpi_matrix --expect native --counts 65537 --types int64
run 2 mpi_matrix --expect native --counts 1048576 --types float --kinds allreduce,reduce_scatter,allgather,bcast
run 4 mpi_matrix --expect native --counts 1048576 --types float --kinds allreduce,alltoall
finish
