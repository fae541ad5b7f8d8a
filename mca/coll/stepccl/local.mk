# The Open MPI component. In C, as Open MPI's headers are. -mcx16 belongs to their lists: without it the component dies of an unknown symbol
# under MPI_THREAD_MULTIPLE; -z defs finds that kind of fault when linking. It is never unloaded, as threads may be in its progress function.
EXTRA_DIST += \
	mca/coll/stepccl/compat/ompi/mpi/fortran/base/fint_2_int.h \
	mca/coll/stepccl/compat/opal/mca/threads/pthreads/threads_pthreads_mutex.h \
	mca/coll/stepccl/compat/opal/mca/threads/pthreads/threads_pthreads_threads.h \
	mca/coll/stepccl/compat/opal/mca/threads/pthreads/threads_pthreads_tsd.h
if HAVE_OPENMPI
ompiplugin_LTLIBRARIES = mca_coll_stepccl.la
mca_coll_stepccl_la_SOURCES = \
	mca/coll/stepccl/blocking.c \
	mca/coll/stepccl/coll_stepccl.h \
	mca/coll/stepccl/component.c \
	mca/coll/stepccl/module.c \
	mca/coll/stepccl/native.c \
	mca/coll/stepccl/ompi_versions.h \
	mca/coll/stepccl/pack.c \
	mca/coll/stepccl/pool.c \
	mca/coll/stepccl/request.c \
	mca/coll/stepccl/slots.c mca/coll/stepccl/slots.def \
	mca/coll/stepccl/span.c \
	mca/coll/stepccl/stage.c \
	mca/coll/stepccl/types.c
mca_coll_stepccl_la_CPPFLAGS = -I$(top_srcdir)/mca/coll/stepccl/compat -I$(top_srcdir)/include $(OMPI_CPPFLAGS)
mca_coll_stepccl_la_CFLAGS = $(AM_CFLAGS) -mcx16
mca_coll_stepccl_la_LDFLAGS = $(AM_LDFLAGS) $(OMPI_LDFLAGS) -module -avoid-version -shared -Wl,-z,defs -Wl,-z,nodelete
mca_coll_stepccl_la_LIBADD = libstepccl.la $(OMPI_LIBS) -lpthread
endif
