noinst_LTLIBRARIES += libstepccl_base.la
libstepccl_base_la_SOURCES = \
	src/base/checked.h \
	src/base/datatype.cpp src/base/datatype.h \
	src/base/log.cpp src/base/log.h \
	src/base/params.cpp src/base/params.def src/base/params.h \
	src/base/status.cpp src/base/status.h \
	src/base/text.h
