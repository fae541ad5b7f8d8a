if HAVE_TOOLS
bin_PROGRAMS += stepccl_sched
stepccl_sched_SOURCES = \
	src/tools/sched_args.cpp src/tools/sched_args.h \
	src/tools/sched_cases.cpp src/tools/sched_cases.h \
	src/tools/sched_commands.h \
	src/tools/sched_mutate.cpp \
	src/tools/sched_print.cpp \
	src/tools/sched_verify.cpp \
	src/tools/stepccl_sched.cpp
stepccl_sched_CPPFLAGS = $(AM_CPPFLAGS) $(BOOST_CPPFLAGS)
stepccl_sched_LDFLAGS = $(AM_LDFLAGS) $(BOOST_LDFLAGS)
stepccl_sched_LDADD = libstepccl_tools.la libstepccl_verify.la libstepccl_algo.la libstepccl_sched.la libstepccl_coll.la \
	libstepccl_base.la -lboost_program_options
endif
if HAVE_TOOLS
noinst_LTLIBRARIES += libstepccl_tools.la
libstepccl_tools_la_SOURCES = \
	src/tools/json.cpp src/tools/json.h \
	src/tools/options.cpp src/tools/options.h
libstepccl_tools_la_CPPFLAGS = $(AM_CPPFLAGS) $(BOOST_CPPFLAGS)

bin_PROGRAMS += stepccl_info
stepccl_info_SOURCES = \
	src/tools/info_machine.cpp \
	src/tools/info_options.cpp src/tools/info_options.h \
	src/tools/info_sections.h \
	src/tools/info_tables.cpp \
	src/tools/stepccl_info.cpp
stepccl_info_CPPFLAGS = $(AM_CPPFLAGS) $(BOOST_CPPFLAGS)
stepccl_info_LDFLAGS = $(AM_LDFLAGS) $(BOOST_LDFLAGS)
stepccl_info_LDADD = libstepccl_tools.la libstepccl.la \
	libstepccl_select.la libstepccl_algo.la libstepccl_sched.la libstepccl_coll.la libstepccl_topo.la libstepccl_base.la \
	-lboost_program_options

# What stepccl_perf is made of without MPI, so that its tests need none.
noinst_LTLIBRARIES += libstepccl_perf.la
libstepccl_perf_la_SOURCES = \
	src/tools/perf_data.cpp src/tools/perf_data.h \
	src/tools/perf_options.cpp src/tools/perf_options.h \
	src/tools/perf_report.cpp src/tools/perf_report.h \
	src/tools/perf_values.h
libstepccl_perf_la_CPPFLAGS = $(AM_CPPFLAGS) $(BOOST_CPPFLAGS)

if HAVE_OPENMPI
bin_PROGRAMS += stepccl_perf
stepccl_perf_SOURCES = \
	src/tools/perf_mpi.cpp \
	src/tools/perf_ranks.h \
	src/tools/perf_run.cpp src/tools/perf_run.h \
	src/tools/stepccl_perf.cpp
stepccl_perf_CPPFLAGS = $(AM_CPPFLAGS) $(BOOST_CPPFLAGS) $(OMPI_CPPFLAGS) -DOMPI_SKIP_MPICXX
stepccl_perf_LDFLAGS = $(AM_LDFLAGS) $(BOOST_LDFLAGS) $(OMPI_LDFLAGS)
stepccl_perf_LDADD = libstepccl_perf.la libstepccl_tools.la libstepccl.la libstepccl_coll.la libstepccl_base.la \
	-lboost_program_options -lmpi
endif
endif
