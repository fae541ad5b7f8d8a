#!/usr/bin/env bash
# shellcheck source=tests/mpi/lib.sh
. "${srcdir:-.}/tests/mpi/lib.sh"
for np in 1 2 3 4; do run $np mpi_threads; done
finish
