#!/usr/bin/env bash
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
for np in 1 2 3 4 7 8; do run $np mpi_nonblocking; done
finish
