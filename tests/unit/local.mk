# One folder a layer, as in src/.
include $(top_srcdir)/tests/unit/base/local.mk
include $(top_srcdir)/tests/unit/topo/local.mk
include $(top_srcdir)/tests/unit/coll/local.mk
include $(top_srcdir)/tests/unit/sched/local.mk
include $(top_srcdir)/tests/unit/verify/local.mk
include $(top_srcdir)/tests/unit/select/local.mk
include $(top_srcdir)/tests/unit/kernels/local.mk
include $(top_srcdir)/tests/unit/engine/local.mk
include $(top_srcdir)/tests/unit/emu/local.mk
include $(top_srcdir)/tests/unit/comm/local.mk
include $(top_srcdir)/tests/unit/tools/local.mk
