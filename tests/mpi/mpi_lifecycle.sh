#!/usr/bin/env bash
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
for np in 1 2 4; do run $np mpi_lifecycle; done
run 8 mpi_lifecycle --rounds 200
finish
