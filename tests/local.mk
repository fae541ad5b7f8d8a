include $(top_srcdir)/tests/unit/local.mk
