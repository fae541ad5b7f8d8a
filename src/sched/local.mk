noinst_LTLIBRARIES += libstepccl_sched.la
libstepccl_sched_la_SOURCES = \
	src/sched/builder.cpp src/sched/builder.h \
	src/sched/chunk.cpp \
	src/sched/infer_order.cpp \
	src/sched/ops.def \
	src/sched/passes.h \
	src/sched/schedule.h \
	src/sched/text.cpp src/sched/text.h
