if HAVE_GTEST
check_PROGRAMS += coll_test
TESTS += coll_test
coll_test_SOURCES = tests/unit/coll/layout_test.cpp tests/unit/coll/placement_test.cpp
coll_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
coll_test_LDADD = libstepccl_coll.la libstepccl_base.la -lgtest_main $(GTEST_LIBS)
endif
