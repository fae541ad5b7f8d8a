if HAVE_GTEST
check_PROGRAMS += engine_test
TESTS += engine_test
engine_test_SOURCES = tests/unit/engine/bind_test.cpp
engine_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
engine_test_LDADD = libstepccl_cuda.la libstepccl_kernels.la libstepccl_algo.la libstepccl_sched.la libstepccl_coll.la \
	libstepccl_base.la -lgtest_main $(GTEST_LIBS) $(DL_LIBS)
endif
