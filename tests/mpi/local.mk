# Programs for mpirun and the scripts that run them. Linked to run in the build folder: mpirun starts the program itself, not a wrapper of libtool.
EXTRA_DIST += tests/mpi/lib.sh $(mpi_scripts)
mpi_scripts = \
	tests/mpi/mpi_derived.sh \
	tests/mpi/mpi_example.sh \
	tests/mpi/mpi_kill.sh \
	tests/mpi/mpi_lifecycle.sh \
	tests/mpi/mpi_matrix_comms.sh \
	tests/mpi/mpi_matrix_device.sh \
	tests/mpi/mpi_matrix_large.sh \
	tests/mpi/mpi_matrix_mixed.sh \
	tests/mpi/mpi_nonblocking.sh \
	tests/mpi/mpi_parameters.sh \
	tests/mpi/mpi_threads.sh
EXTRA_DIST += \
	tests/mpi/elements.cpp tests/mpi/elements.h tests/mpi/matrix.h tests/mpi/matrix_collectives.cpp tests/mpi/support.cpp tests/mpi/support.h \
	tests/mpi/mpi_derived.cpp tests/mpi/mpi_kill.cpp tests/mpi/mpi_lifecycle.cpp tests/mpi/mpi_matrix.cpp \
	tests/mpi/mpi_nonblocking.cpp tests/mpi/mpi_threads.cpp
if HAVE_OPENMPI
TESTS += $(mpi_scripts)
mpi_cppflags = -I$(top_srcdir)/include $(OMPI_CPPFLAGS) -DOMPI_SKIP_MPICXX
mpi_ldflags = $(AM_LDFLAGS) $(OMPI_LDFLAGS) -no-install
mpi_libs = tests/mpi/libmpi_support.la libstepccl.la -lmpi -lpthread

check_LTLIBRARIES += tests/mpi/libmpi_support.la
tests_mpi_libmpi_support_la_SOURCES = \
	tests/mpi/elements.cpp tests/mpi/elements.h \
	tests/mpi/matrix.h tests/mpi/matrix_collectives.cpp \
	tests/mpi/support.cpp tests/mpi/support.h
tests_mpi_libmpi_support_la_CPPFLAGS = $(mpi_cppflags)

check_PROGRAMS += \
	tests/mpi/mpi_derived tests/mpi/mpi_kill tests/mpi/mpi_lifecycle tests/mpi/mpi_matrix tests/mpi/mpi_nonblocking \
	tests/mpi/mpi_threads
tests_mpi_mpi_derived_SOURCES = tests/mpi/mpi_derived.cpp
tests_mpi_mpi_derived_CPPFLAGS = $(mpi_cppflags)
tests_mpi_mpi_derived_LDFLAGS = $(mpi_ldflags)
tests_mpi_mpi_derived_LDADD = $(mpi_libs)
tests_mpi_mpi_kill_SOURCES = tests/mpi/mpi_kill.cpp
tests_mpi_mpi_kill_CPPFLAGS = $(mpi_cppflags)
tests_mpi_mpi_kill_LDFLAGS = $(mpi_ldflags)
tests_mpi_mpi_kill_LDADD = $(mpi_libs)
tests_mpi_mpi_lifecycle_SOURCES = tests/mpi/mpi_lifecycle.cpp
tests_mpi_mpi_lifecycle_CPPFLAGS = $(mpi_cppflags)
tests_mpi_mpi_lifecycle_LDFLAGS = $(mpi_ldflags)
tests_mpi_mpi_lifecycle_LDADD = $(mpi_libs)
tests_mpi_mpi_matrix_SOURCES = tests/mpi/mpi_matrix.cpp
tests_mpi_mpi_matrix_CPPFLAGS = $(mpi_cppflags)
tests_mpi_mpi_matrix_LDFLAGS = $(mpi_ldflags)
tests_mpi_mpi_matrix_LDADD = $(mpi_libs)
tests_mpi_mpi_nonblocking_SOURCES = tests/mpi/mpi_nonblocking.cpp
tests_mpi_mpi_nonblocking_CPPFLAGS = $(mpi_cppflags)
tests_mpi_mpi_nonblocking_LDFLAGS = $(mpi_ldflags)
tests_mpi_mpi_nonblocking_LDADD = $(mpi_libs)
tests_mpi_mpi_threads_SOURCES = tests/mpi/mpi_threads.cpp
tests_mpi_mpi_threads_CPPFLAGS = $(mpi_cppflags)
tests_mpi_mpi_threads_LDFLAGS = $(mpi_ldflags)
tests_mpi_mpi_threads_LDADD = $(mpi_libs)
endif
