# The layers, from the bottom up. Each is a convenience library that links with those above it in this list only.
include $(top_srcdir)/src/base/local.mk
include $(top_srcdir)/src/topo/local.mk
include $(top_srcdir)/src/coll/local.mk
include $(top_srcdir)/src/sched/local.mk
include $(top_srcdir)/src/algo/local.mk
include $(top_srcdir)/src/verify/local.mk
include $(top_srcdir)/src/select/local.mk
include $(top_srcdir)/src/engine/cuda/kernels/local.mk
include $(top_srcdir)/src/engine/cuda/local.mk
include $(top_srcdir)/src/comm/local.mk
include $(top_srcdir)/src/api/local.mk
include $(top_srcdir)/src/emu/local.mk
include $(top_srcdir)/src/tools/local.mk
