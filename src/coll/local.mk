noinst_LTLIBRARIES += libstepccl_coll.la
libstepccl_coll_la_SOURCES = \
	src/coll/kind.cpp src/coll/kind.h \
	src/coll/layout.cpp src/coll/layout.h \
	src/coll/placement.cpp src/coll/placement.h \
	src/coll/problem.h
