if HAVE_GTEST
check_PROGRAMS += sched_test
TESTS += sched_test
sched_test_SOURCES = tests/unit/sched/builder_test.cpp
sched_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
sched_test_LDADD = libstepccl_sched.la libstepccl_coll.la libstepccl_base.la -lgtest_main $(GTEST_LIBS)
endif
