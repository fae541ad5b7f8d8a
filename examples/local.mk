EXTRA_DIST += examples/allreduce.c
if HAVE_OPENMPI
noinst_PROGRAMS += examples/allreduce
examples_allreduce_SOURCES = examples/allreduce.c
examples_allreduce_CPPFLAGS = -I$(top_srcdir)/include $(OMPI_CPPFLAGS) -DOMPI_SKIP_MPICXX
examples_allreduce_LDFLAGS = $(AM_LDFLAGS) $(OMPI_LDFLAGS) -no-install
examples_allreduce_LDADD = libstepccl.la -lmpi -lm
endif
