# The parts of the tools that need no MPI.
if HAVE_GTEST
if HAVE_TOOLS
check_PROGRAMS += tools_test
TESTS += tools_test
tools_test_SOURCES = \
	tests/unit/tools/info_options_test.cpp \
	tests/unit/tools/json_test.cpp \
	tests/unit/tools/perf_data_test.cpp \
	tests/unit/tools/perf_options_test.cpp \
	tests/unit/tools/perf_report_test.cpp \
	tests/unit/tools/perf_values_test.cpp \
	src/tools/info_options.cpp
tools_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS) $(BOOST_CPPFLAGS)
tools_test_LDFLAGS = $(AM_LDFLAGS) $(BOOST_LDFLAGS)
tools_test_LDADD = libstepccl_perf.la libstepccl_tools.la libstepccl_coll.la libstepccl_base.la \
	-lboost_program_options -lgtest_main $(GTEST_LIBS)
endif
endif
