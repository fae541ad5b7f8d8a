noinst_LTLIBRARIES += libstepccl_cuda.la
libstepccl_cuda_la_SOURCES = \
	src/engine/cuda/bind.cpp \
	src/engine/cuda/driver.cpp src/engine/cuda/driver.def src/engine/cuda/driver.h \
	src/engine/cuda/driver_api.h \
	src/engine/cuda/executor.cpp src/engine/cuda/executor.h \
	src/engine/cuda/gpu.cpp src/engine/cuda/gpu.h \
	src/engine/cuda/kernel_builder.cpp src/engine/cuda/kernel_builder.h \
	src/engine/cuda/pad.h \
	src/engine/cuda/plan.h \
	src/engine/cuda/resources.cpp src/engine/cuda/resources.h \
	src/engine/cuda/results.def
