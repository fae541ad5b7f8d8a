EXTRA_DIST += tests/verify_sweep.sh tests/unit/verify/sched_tool.sh
if HAVE_TOOLS
TESTS += tests/unit/verify/sched_tool.sh
endif

if HAVE_GTEST
check_PROGRAMS += verify_test
TESTS += verify_test
verify_test_SOURCES = \
	tests/unit/verify/deadlock_test.cpp \
	tests/unit/verify/form_test.cpp \
	tests/unit/verify/handmade.h \
	tests/unit/verify/mutation_test.cpp \
	tests/unit/verify/placement_test.cpp \
	tests/unit/verify/race_test.cpp \
	tests/unit/verify/registry_test.cpp
verify_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
verify_test_LDADD = libstepccl_verify.la libstepccl_algo.la libstepccl_sched.la libstepccl_coll.la libstepccl_base.la \
	-lgtest_main $(GTEST_LIBS)
endif
