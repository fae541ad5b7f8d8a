if HAVE_GTEST
check_PROGRAMS += select_test
TESTS += select_test
select_test_SOURCES = \
	tests/unit/select/choose_test.cpp \
	tests/unit/select/cost_test.cpp \
	tests/unit/select/override_test.cpp
select_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
select_test_LDADD = libstepccl_select.la libstepccl_algo.la libstepccl_sched.la libstepccl_coll.la libstepccl_topo.la \
	libstepccl_base.la -lgtest_main $(GTEST_LIBS)
endif
