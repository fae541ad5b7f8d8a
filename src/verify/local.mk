noinst_LTLIBRARIES += libstepccl_verify.la
libstepccl_verify_la_SOURCES = \
	src/verify/clocks.cpp src/verify/clocks.h \
	src/verify/execute.cpp src/verify/execute.h \
	src/verify/findings.h \
	src/verify/memory.h \
	src/verify/mutate.cpp src/verify/mutate.h \
	src/verify/placement.cpp src/verify/placement.h \
	src/verify/program.cpp src/verify/program.h \
	src/verify/queues.cpp src/verify/queues.h \
	src/verify/races.cpp src/verify/races.h \
	src/verify/sample.cpp src/verify/sample.h \
	src/verify/values.cpp src/verify/values.h \
	src/verify/verify.cpp src/verify/verify.h \
	src/verify/wellformed.cpp src/verify/wellformed.h
