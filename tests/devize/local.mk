# devize moves the collectives of unchanged MPI programs to device memory. -rpath makes Libtool build shared objects of what is not installed.
EXTRA_DIST += \
	tests/devize/README.md tests/devize/devize.sh \
	tests/devize/collectives.def \
	tests/devize/describe.cpp tests/devize/describe.h \
	tests/devize/interpose.cpp \
	tests/devize/layout.cpp tests/devize/layout.h \
	tests/devize/move.cpp tests/devize/move.h \
	tests/devize/plain.c \
	tests/devize/process.cpp tests/devize/process.h \
	tests/devize/requests.cpp tests/devize/requests.h \
	tests/devize/scribble.c
if HAVE_OPENMPI
TESTS += tests/devize/devize.sh
devize_cppflags = -I$(top_srcdir)/include $(OMPI_CPPFLAGS) -DOMPI_SKIP_MPICXX
devize_ldflags = $(AM_LDFLAGS) $(OMPI_LDFLAGS) -module -avoid-version -shared -rpath $(abs_builddir) -Wl,-z,defs
check_LTLIBRARIES += libdevize.la libdevize_scribble.la
libdevize_la_SOURCES = \
	tests/devize/collectives.def \
	tests/devize/describe.cpp tests/devize/describe.h \
	tests/devize/interpose.cpp \
	tests/devize/layout.cpp tests/devize/layout.h \
	tests/devize/move.cpp tests/devize/move.h \
	tests/devize/process.cpp tests/devize/process.h \
	tests/devize/requests.cpp tests/devize/requests.h
libdevize_la_CPPFLAGS = $(devize_cppflags)
libdevize_la_LDFLAGS = $(devize_ldflags)
libdevize_la_LIBADD = libstepccl.la -lmpi

libdevize_scribble_la_SOURCES = tests/devize/scribble.c
libdevize_scribble_la_CPPFLAGS = $(devize_cppflags)
libdevize_scribble_la_LDFLAGS = $(devize_ldflags)
libdevize_scribble_la_LIBADD = libstepccl.la -lmpi -ldl

check_PROGRAMS += tests/devize/plain
tests_devize_plain_SOURCES = tests/devize/plain.c
tests_devize_plain_CPPFLAGS = $(OMPI_CPPFLAGS) -DOMPI_SKIP_MPICXX
tests_devize_plain_LDFLAGS = $(AM_LDFLAGS) $(OMPI_LDFLAGS)
tests_devize_plain_LDADD = -lmpi
endif
