# The emulated driver's tests. The program stands in the top build folder, so that it finds the library near itself,
# as an installed one would.
if HAVE_GTEST
check_PROGRAMS += emu_test
TESTS += emu_test
emu_test_SOURCES = \
	tests/unit/emu/copy_test.cpp \
	tests/unit/emu/device_test.cpp \
	tests/unit/emu/driver_test.cpp \
	tests/unit/emu/fault_test.cpp \
	tests/unit/emu/harness.cpp tests/unit/emu/harness.h \
	tests/unit/emu/ipc_test.cpp \
	tests/unit/emu/kernel_test.cpp \
	tests/unit/emu/memory_test.cpp \
	tests/unit/emu/stream_test.cpp \
	tests/unit/emu/word_test.cpp
emu_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS) -DEMU_LIBRARY='"$(abs_builddir)/.libs/libstepccl_emu.so"'
emu_test_LDADD = libstepccl_cuda.la libstepccl_base.la -lgtest_main $(GTEST_LIBS) $(DL_LIBS)
EXTRA_emu_test_DEPENDENCIES = libstepccl_emu.la

if HAVE_CUDA
check_PROGRAMS += driver_abi
TESTS += driver_abi
driver_abi_SOURCES = tests/unit/engine/driver_abi.cpp
driver_abi_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(GTEST_CFLAGS)
driver_abi_LDADD = -lgtest_main $(GTEST_LIBS)
endif
endif
