if HAVE_GTEST
check_PROGRAMS += base_test
TESTS += base_test
base_test_SOURCES = tests/unit/base/params_test.cpp tests/unit/base/values_test.cpp
base_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
base_test_LDADD = libstepccl_base.la -lgtest_main $(GTEST_LIBS)
endif
