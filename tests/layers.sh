#!/usr/bin/env bash
# Proves that no layer includes one above it, and that the pure layers name no environment, clock, GPU or MPI. Then plants one fault
# of each kind in a copy and expects to find it: a check that cannot fail proves nothing.
set -u
srcdir=${srcdir:-.}

# What a file may include, by the longest matching prefix of its path: prefixes of what stands between the quotes.
layers='
src/base                 stepccl/*.def base/
src/topo                 topo/ base/
src/coll                 stepccl/*.def coll/ base/
src/sched                sched/ coll/ base/
src/algo                 algo/ sched/ coll/ base/
src/verify               verify/ sched/ coll/ base/
src/select               select/ algo/ topo/ sched/ coll/ base/
src/engine/cuda/kernels  config.h stepccl/*.def engine/cuda/kernels/ base/
src/engine/cuda          engine/cuda/ sched/ coll/ base/
src/comm                 comm/ engine/ select/ algo/ sched/ coll/ topo/ base/
src/api                  config.h stepccl/ api/ comm/ engine/ select/ algo/ sched/ coll/ topo/ base/
src/emu                  emu/ engine/cuda/driver_api.h engine/cuda/driver.def engine/cuda/results.def engine/cuda/kernels/ base/
src/tools                config.h stepccl/ tools/ select/ verify/ algo/ sched/ coll/ topo/ base/
mca                      stepccl/ coll_stepccl.h slots.def ompi_versions.h mpi.h mpi-ext.h ompi_config.h ompi/ opal/
include                  stepccl/*.def
'
pure='src/(base|topo|coll|sched|algo|verify|select)/'
timeless='src/(base|topo|coll|sched|algo|verify|select|engine|api)/'

# shellcheck disable=SC2016
# check FOLDER: the violations, one a line.
check() {
    (cd "$1" && find src mca include -name '*.h' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.cu' -o -name '*.c' -o -name '*.def' | sort) |
        (cd "$1" && LAYERS=$layers xargs awk -v pure="^$pure" -v timeless="^$timeless" '
            BEGIN {
                rows = split(ENVIRON["LAYERS"], row, "\n")
                for (i = 1; i <= rows; ++i) {
                    if (split(row[i], word, " ") == 0) continue
                    name = word[1]
                    allowed[name] = substr(row[i], length(name) + 1)
                }
            }
            FNR == 1 {
                layer = FILENAME
                while (layer != "" && !(layer in allowed)) if (!sub("/[^/]*$", "", layer)) layer = ""
                if (layer == "") complain("is in no layer")
                comment = 0
            }
            /^[ \t]*#[ \t]*include[ \t]*"/ {
                split($0, piece, "\"")
                if (!may(piece[2])) complain("includes " piece[2] ", which is above its layer")
            }
            /^[ \t]*#[ \t]*include[ \t]*<(cuda|nvml|ucp|ucs)|^[ \t]*#[ \t]*include[ \t]*<mpi/ && FILENAME !~ /^(mca|src\/tools)/ { complain("includes the header of another library: " $0) }
            {
                line = code($0)
                if (has(line, "(secure_)?getenv") || (has(line, "environ") && FILENAME !~ /^src\/(api\/runtime|emu\/machine)\.cpp$/))
                    complain("reads the environment")
                if (FILENAME ~ timeless && has(line, "chrono|clock|time|gettimeofday|clock_gettime|u?sleep|nanosleep|sleep_for")) complain("looks at a clock")
                if (FILENAME ~ pure && has(line, "cu[A-Z][A-Za-z0-9_]*|CU[A-Z]*_[A-Z0-9_]+")) complain("names CUDA")
                if (FILENAME ~ pure && has(line, "MPI_[A-Za-z_]+|dlopen|uc[pst]_[a-z_]+")) complain("names MPI, UCX or dlopen")
            }
            function complain(what) { print FILENAME ":" FNR ": " what }
            function may(file, list, i, count) {
                count = split(allowed[layer], list, " ")
                for (i = 1; i <= count; ++i) {
                    if (list[i] ~ /\*/) {
                        if (file ~ ("^" substr(list[i], 1, index(list[i], "*") - 1) "[a-z_]*\\.def$")) return 1
                    } else if (index(file, list[i]) == 1) return 1
                }
                return 0
            }
            # The line without comments and texts.
            function code(text) {
                gsub(/"([^"\\]|\\.)*"/, "", text)
                if (comment) { if (!sub(/^.*\*\//, "", text)) return ""; comment = 0 }
                gsub(/\/\*[^*]*\*\//, "", text)
                sub(/\/\/.*/, "", text)
                if (sub(/\/\*.*/, "", text)) comment = 1
                return text
            }
            # Whether one of the words stands in the line by itself; a call for those that are common words.
            function has(text, words) {
                if (words ~ /chrono/) return text ~ /(^|[^A-Za-z0-9_.>])(std::chrono|chrono::|clock_gettime|gettimeofday|nanosleep|usleep|sleep_for|(std::)?time *\( *(NULL|nullptr|0) *\)|clock *\( *\))/
                return text ~ ("(^|[^A-Za-z0-9_])(" words ")([^A-Za-z0-9_]|$)")
            }')
}

# plant FILE LINE: adds a line to a file of the copy, expects a complaint about that file, and takes it back.
plant() {
    local file=$1 kept
    kept=$(mktemp)
    cp "$copy/$file" "$kept" || exit 1
    printf '%s\n' "$2" >>"$copy/$file"
    if check "$copy" | grep -q "^$file:"; then
        found=$((found + 1))
    else
        echo "A fault was planted and not found: $2 in $file"
        missed=$((missed + 1))
    fi
    cp "$kept" "$copy/$file"
    rm -f "$kept"
}

violations=$(check "$srcdir")
[ -z "$violations" ] || printf '%s\n' "$violations"

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$srcdir/src" "$srcdir/mca" "$srcdir/include" "$copy"
chmod -R u+w "$copy"
found=0 missed=0
plant src/base/text.h '#include "sched/schedule.h"'
plant src/sched/builder.cpp '#include "algo/registry.h"'
plant src/engine/cuda/bind.cpp '#include "comm/node.h"'
plant src/coll/layout.cpp '#include "layout.h"'
plant src/algo/phases.cpp '#include "stepccl/stepccl.h"'
plant src/verify/verify.cpp '#include "engine/cuda/plan.h"'
plant mca/coll/stepccl/module.c '#include "base/status.h"'
plant include/stepccl/stepccl.h '#include "base/status.h"'
plant src/sched/text.cpp 'static const char* home = std::getenv("HOME");'
plant src/comm/agree.cpp 'extern char** environ;'
plant src/coll/kind.cpp 'auto now = std::chrono::steady_clock::now();'
plant src/engine/cuda/executor.cpp 'auto nap() { usleep(1); }'
plant src/algo/registry.cpp 'int (*init)(unsigned) = cuInit;'
plant src/verify/races.cpp '#include <mpi.h>'
plant src/base/params.cpp 'int world = MPI_COMM_WORLD;'
echo "$found of $((found + missed)) planted faults were found."
[ -z "$violations" ] && [ $missed -eq 0 ]
