noinst_LTLIBRARIES += libstepccl_select.la
libstepccl_select_la_SOURCES = \
	src/select/choose.cpp src/select/choose.h \
	src/select/cost.cpp src/select/cost.h \
	src/select/explain.cpp \
	src/select/override.cpp src/select/override.h
