noinst_LTLIBRARIES += libstepccl_comm.la
libstepccl_comm_la_SOURCES = \
	src/comm/agree.cpp \
	src/comm/call.cpp src/comm/call.h \
	src/comm/communicator.cpp src/comm/communicator.h \
	src/comm/control_block.cpp src/comm/control_block.h \
	src/comm/counters.h \
	src/comm/failure.cpp \
	src/comm/mapping.cpp src/comm/mapping.h \
	src/comm/native.cpp \
	src/comm/local_group.cpp src/comm/local_group.h \
	src/comm/prepare.cpp \
	src/comm/process.cpp src/comm/process.h \
	src/comm/shared_memory.cpp src/comm/shared_memory.h
