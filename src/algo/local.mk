noinst_LTLIBRARIES += libstepccl_algo.la
libstepccl_algo_la_SOURCES = \
	src/algo/algorithms.def \
	src/algo/builders.h \
	src/algo/phases.cpp src/algo/phases.h \
	src/algo/registry.cpp src/algo/registry.h \
	src/algo/allgather_direct.cpp \
	src/algo/allgather_ring.cpp \
	src/algo/allreduce_one_shot.cpp \
	src/algo/allreduce_ring.cpp \
	src/algo/allreduce_two_shot.cpp \
	src/algo/alltoall_direct.cpp \
	src/algo/barrier_dissemination.cpp \
	src/algo/bcast_direct.cpp \
	src/algo/bcast_scatter_allgather.cpp \
	src/algo/exscan_chain.cpp \
	src/algo/gather_direct.cpp \
	src/algo/reduce_direct.cpp \
	src/algo/reduce_scatter_direct.cpp \
	src/algo/reduce_scatter_gather.cpp \
	src/algo/reduce_scatter_ring.cpp \
	src/algo/scan_chain.cpp \
	src/algo/scatter_direct.cpp
