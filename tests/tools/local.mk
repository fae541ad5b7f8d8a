# The command lines of the tools.
EXTRA_DIST += tests/tools/functions tests/tools/info.sh tests/tools/manuals.sh tests/tools/perf.sh
if HAVE_TOOLS
TESTS += tests/tools/info.sh tests/tools/manuals.sh tests/tools/perf.sh
endif
