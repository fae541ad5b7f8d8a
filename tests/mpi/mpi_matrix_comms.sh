#!/usr/bin/env bash
# Other communicators than MPI_COMM_WORLD.
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
for comm in halves reversed dup; do
    run 4 mpi_matrix --expect native --comm $comm --counts 0,3,1000 --types float,int32
    run 7 mpi_matrix --comm $comm --memory mixed-odd --counts 3 --types float
done
run 8 mpi_matrix --expect native --comm halves --counts 3 --types double
finish
