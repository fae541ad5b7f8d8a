noinst_LTLIBRARIES += libstepccl_topo.la
libstepccl_topo_la_SOURCES = \
	src/topo/discover.cpp src/topo/discover.h \
	src/topo/hwloc_machine.cpp src/topo/hwloc_machine.h \
	src/topo/machine.cpp src/topo/machine.h
libstepccl_topo_la_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
libstepccl_topo_la_LIBADD = $(HWLOC_LIBS)
