# The reduction kernels: images for the GPU (libstepccl_kernels), and the same for the host (libstepccl_host_kernels).
kernel_sources = src/engine/cuda/kernels

noinst_LTLIBRARIES += libstepccl_kernels.la libstepccl_host_kernels.la
libstepccl_kernels_la_SOURCES = \
	src/engine/cuda/kernels/images.cpp src/engine/cuda/kernels/images.h \
	src/engine/cuda/kernels/kernel_name.cpp src/engine/cuda/kernels/kernel_name.h

libstepccl_host_kernels_la_SOURCES = \
	src/engine/cuda/kernels/functors.h \
	src/engine/cuda/kernels/host_kernels.cpp src/engine/cuda/kernels/host_kernels.h \
	src/engine/cuda/kernels/kernel_name.cpp src/engine/cuda/kernels/kernel_name.h \
	src/engine/cuda/kernels/reduce_body.h \
	src/engine/cuda/kernels/reduce_work.h \
	src/engine/cuda/kernels/types.h
# No fused multiply-add: the same bits as on the GPU, whatever the processor.
libstepccl_host_kernels_la_CXXFLAGS = $(AM_CXXFLAGS) -ffp-contract=off

EXTRA_DIST += \
	src/engine/cuda/kernels/reduce.cu src/engine/cuda/kernels/reduce.cuh \
	src/engine/cuda/kernels/rows.awk

if HAVE_CUDA
kernel_images = \
	src/engine/cuda/kernels/reduce_1.fatbin \
	src/engine/cuda/kernels/reduce_2.fatbin \
	src/engine/cuda/kernels/reduce_4.fatbin \
	src/engine/cuda/kernels/reduce_8.fatbin \
	src/engine/cuda/kernels/reduce_16.fatbin
kernel_rows = $(kernel_images:.fatbin=.rows)
CLEANFILES += $(kernel_images) $(kernel_rows)

$(kernel_rows): $(top_srcdir)/$(kernel_sources)/rows.awk \
		$(top_srcdir)/include/stepccl/datatypes.def $(top_srcdir)/include/stepccl/operations.def
	$(AM_V_GEN)$(MKDIR_P) $(kernel_sources) && \
	$(AWK) -v bytes=`echo $@ | $(SED) 's/.*reduce_\(.*\)\.rows/\1/'` -f $(top_srcdir)/$(kernel_sources)/rows.awk \
		$(top_srcdir)/include/stepccl/datatypes.def $(top_srcdir)/include/stepccl/operations.def > $@

# Contraction is off so that the host computes the same bits. NVCCFLAGS is the user's.
$(kernel_images): $(kernel_rows) \
		$(top_srcdir)/$(kernel_sources)/reduce.cu $(top_srcdir)/$(kernel_sources)/reduce.cuh \
		$(top_srcdir)/$(kernel_sources)/functors.h $(top_srcdir)/$(kernel_sources)/reduce_body.h \
		$(top_srcdir)/$(kernel_sources)/reduce_work.h $(top_srcdir)/$(kernel_sources)/types.h
	$(AM_V_GEN)$(NVCC) -std=c++17 --fmad=false --fatbin $(NVCC_ARCHS) $(NVCCFLAGS) $(AM_CPPFLAGS) \
		-DSTEPCCL_ROWS=\"`echo $@ | $(SED) 's/fatbin$$/rows/'`\" $(top_srcdir)/$(kernel_sources)/reduce.cu -o $@

# The assembler includes the images, which the compiler's own list of dependencies does not show.
src/engine/cuda/kernels/images.lo: $(kernel_images)
endif
