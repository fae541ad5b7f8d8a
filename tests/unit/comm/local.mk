# Programs stand in the top build folder, near the emulated driver.
if HAVE_GTEST
check_PROGRAMS += comm_test comm_threads_test comm_processes_test
TESTS += comm_test comm_threads_test comm_processes_test
comm_test_SOURCES = tests/unit/comm/call_test.cpp tests/unit/comm/core_test.cpp tests/unit/comm/ranks.h
comm_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(GTEST_CFLAGS) -DEMU_LIBRARY='"$(abs_builddir)/.libs/libstepccl_emu.so"'
comm_test_LDADD = libstepccl_comm.la libstepccl_select.la libstepccl_topo.la libstepccl_cuda.la libstepccl_kernels.la \
	libstepccl_algo.la libstepccl_sched.la libstepccl_coll.la libstepccl_base.la libstepccl.la -lgtest_main $(GTEST_LIBS)
EXTRA_comm_test_DEPENDENCIES = libstepccl_emu.la

comm_threads_test_SOURCES = tests/unit/comm/collectives_test.cpp tests/unit/comm/ranks.h
comm_threads_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(GTEST_CFLAGS)
comm_threads_test_LDADD = libstepccl.la libstepccl_algo.la libstepccl_sched.la libstepccl_coll.la libstepccl_base.la -lgtest_main $(GTEST_LIBS)
EXTRA_comm_threads_test_DEPENDENCIES = libstepccl_emu.la

comm_processes_test_SOURCES = tests/unit/comm/processes_test.cpp tests/unit/comm/processes.h tests/unit/comm/ranks.h
comm_processes_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(GTEST_CFLAGS)
comm_processes_test_LDADD = libstepccl.la -lgtest_main $(GTEST_LIBS)
EXTRA_comm_processes_test_DEPENDENCIES = libstepccl_emu.la
endif
