if HAVE_GTEST
check_PROGRAMS += kernels_test gpu_kernels_test
TESTS += kernels_test gpu_kernels_test
kernels_test_SOURCES = \
	tests/unit/kernels/images_test.cpp \
	tests/unit/kernels/launch.h \
	tests/unit/kernels/launch_test.cpp \
	tests/unit/kernels/oracle.cpp tests/unit/kernels/oracle.h \
	tests/unit/kernels/reduce_test.cpp \
	tests/unit/kernels/types_test.cpp
kernels_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
# The oracle rounds after every operation, as the kernels do.
kernels_test_CXXFLAGS = $(AM_CXXFLAGS) -ffp-contract=off
kernels_test_LDADD = libstepccl_kernels.la libstepccl_host_kernels.la libstepccl_base.la -lgtest_main $(GTEST_LIBS)

# Skips itself where there is no GPU.
gpu_kernels_test_SOURCES = \
	tests/unit/kernels/gpu.cpp tests/unit/kernels/gpu.h \
	tests/unit/kernels/gpu_test.cpp \
	tests/unit/kernels/launch.h \
	tests/unit/kernels/oracle.cpp tests/unit/kernels/oracle.h
gpu_kernels_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
gpu_kernels_test_CXXFLAGS = $(kernels_test_CXXFLAGS)
gpu_kernels_test_LDADD = $(kernels_test_LDADD) $(DL_LIBS)
endif
