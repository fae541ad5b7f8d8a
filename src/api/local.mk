lib_LTLIBRARIES += libstepccl.la
stepcclincludedir = $(includedir)/stepccl
stepcclinclude_HEADERS = \
	include/stepccl/collectives.def include/stepccl/datatypes.def include/stepccl/operations.def \
	include/stepccl/status.def include/stepccl/stepccl.h
libstepccl_la_SOURCES = \
	src/api/collectives.cpp \
	src/api/memory.cpp \
	src/api/runtime.cpp src/api/runtime.h \
	src/api/values.cpp
libstepccl_la_LIBADD = \
	libstepccl_comm.la libstepccl_select.la libstepccl_topo.la \
	libstepccl_cuda.la libstepccl_kernels.la \
	libstepccl_algo.la libstepccl_sched.la libstepccl_coll.la libstepccl_base.la \
	$(HWLOC_LIBS) -ldl
libstepccl_la_LDFLAGS = $(AM_LDFLAGS) -version-info $(STEPCCL_LIBTOOL_VERSION) -Wl,-z,defs -Wl,-z,nodelete
