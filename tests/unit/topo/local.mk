EXTRA_DIST += tests/unit/topo/data/cpu_only.xml tests/unit/topo/data/hgx4.xml tests/unit/topo/data/hgx_switched.xml \
	tests/unit/topo/data/pcie2.xml
if HAVE_GTEST
check_PROGRAMS += topo_test
TESTS += topo_test
topo_test_SOURCES = tests/unit/topo/discover_test.cpp tests/unit/topo/machine_test.cpp
topo_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS) -DTOPO_DATA='"$(abs_top_srcdir)/tests/unit/topo/data"'
topo_test_LDADD = libstepccl_topo.la libstepccl_base.la -lgtest_main $(GTEST_LIBS)
endif
