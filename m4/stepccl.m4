# How configure finds what StepCCL builds with. Each macro leaves a line for the summary in stepccl_have_NAME.

# C++20 for the core and C11 for the component; the flags are added to CXXFLAGS-independent variables.
AC_DEFUN([STEPCCL_CXX20], [
  AC_LANG_PUSH([C++])
  stepccl_save_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++20"
  AC_MSG_CHECKING([whether $CXX knows C++20])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <span>
#include <bit>]], [[std::span<int> s; return s.empty() ? 0 : std::has_single_bit(4u);]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([a C++20 compiler is needed: g++ 12, clang++ 14 or newer (set CXX)])])
  CXXFLAGS=$stepccl_save_CXXFLAGS
  AC_LANG_POP([C++])
  AC_SUBST([STEPCCL_CXXSTD], [-std=c++20])
  AC_SUBST([STEPCCL_CSTD], [-std=gnu11])
])

AC_DEFUN([STEPCCL_WARNINGS], [
  STEPCCL_WFLAGS="-Wall -Wextra -Wconversion"
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat compiler warnings as errors (for developers)])],
    [], [enable_werror=no])
  AS_IF([test "x$enable_werror" = xyes], [STEPCCL_WFLAGS="$STEPCCL_WFLAGS -Werror"])
  AC_SUBST([STEPCCL_WFLAGS])
])

AC_DEFUN([STEPCCL_SANITIZERS], [
  AC_ARG_WITH([sanitizer],
    [AS_HELP_STRING([--with-sanitizer=LIST], [build with these sanitizers, e.g. address,undefined or thread (for developers)])],
    [], [with_sanitizer=no])
  AS_IF([test "x$with_sanitizer" != xno],
    [STEPCCL_SANFLAGS="-fsanitize=$with_sanitizer -fno-omit-frame-pointer -fno-sanitize-recover=all"
     # Programs bring the sanitizer's library, libraries do not: so `-z defs` of our shared objects cannot hold.
     LDFLAGS="$LDFLAGS -Wl,-z,undefs"])
  AC_SUBST([STEPCCL_SANFLAGS])
  AM_CONDITIONAL([SANITIZED], [test "x$with_sanitizer" != xno])
])

AC_DEFUN([STEPCCL_BOOST_PROGRAM_OPTIONS], [
  AC_ARG_WITH([boost], [AS_HELP_STRING([--with-boost=DIR], [where Boost.Program_options is (include/ and lib/ below DIR)])],
    [], [with_boost=yes])
  BOOST_CPPFLAGS= BOOST_LDFLAGS=
  AS_IF([test "x$with_boost" != xyes && test "x$with_boost" != xno],
    [BOOST_CPPFLAGS="-I$with_boost/include" BOOST_LDFLAGS="-L$with_boost/lib -Wl,-rpath,$with_boost/lib"])
  AC_LANG_PUSH([C++])
  stepccl_save_CPPFLAGS=$CPPFLAGS stepccl_save_LIBS=$LIBS stepccl_save_LDFLAGS=$LDFLAGS
  CPPFLAGS="$CPPFLAGS $BOOST_CPPFLAGS" LDFLAGS="$LDFLAGS $BOOST_LDFLAGS" LIBS="-lboost_program_options $LIBS"
  AC_MSG_CHECKING([for Boost.Program_options])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <boost/program_options.hpp>]],
                                  [[boost::program_options::options_description d("x"); return d.options().empty() ? 0 : 1;]])],
    [stepccl_have_boost=yes], [stepccl_have_boost=no])
  AC_MSG_RESULT([$stepccl_have_boost])
  AS_IF([test "x$with_boost" = xno], [stepccl_have_boost=no],
    [AS_IF([test $stepccl_have_boost = no],
      [AC_MSG_ERROR([Boost.Program_options is needed for the tools: install libboost-program-options-dev, or give --with-boost=DIR, or build without the tools by --without-boost])])])
  CPPFLAGS=$stepccl_save_CPPFLAGS LIBS=$stepccl_save_LIBS LDFLAGS=$stepccl_save_LDFLAGS
  AC_LANG_POP([C++])
  AC_SUBST([BOOST_CPPFLAGS])
  AC_SUBST([BOOST_LDFLAGS])
  AM_CONDITIONAL([HAVE_TOOLS], [test $stepccl_have_boost = yes])
])

AC_DEFUN([STEPCCL_GTEST], [
  PKG_CHECK_MODULES([GTEST], [gtest >= 1.10], [stepccl_have_gtest=yes], [stepccl_have_gtest=no])
  AM_CONDITIONAL([HAVE_GTEST], [test $stepccl_have_gtest = yes])
])

# Open MPI with its developer headers. The component is built only when they are there; --with-openmpi makes it a must.
AC_DEFUN([STEPCCL_OPENMPI], [
  AC_ARG_WITH([openmpi], [AS_HELP_STRING([--with-openmpi=DIR], [Open MPI with developer headers (default: the mpicc on PATH)])],
    [], [with_openmpi=check])
  AC_ARG_WITH([ompi-plugindir],
    [AS_HELP_STRING([--with-ompi-plugindir=DIR],
      [install the component here; Open MPI's own folder is what `ompi_info --path pkglibdir` prints @<:@LIBDIR/openmpi@:>@])],
    [], [with_ompi_plugindir='${libdir}/openmpi'])
  AC_SUBST([ompiplugindir], [$with_ompi_plugindir])
  stepccl_have_openmpi=no
  AS_IF([test "x$with_openmpi" != xno], [
    AS_CASE([$with_openmpi], [yes|check], [stepccl_mpi_path=$PATH], [stepccl_mpi_path=$with_openmpi/bin:$PATH])
    AC_PATH_PROG([MPICC], [mpicc], [], [$stepccl_mpi_path])
    AC_PATH_PROG([MPIRUN], [mpirun], [], [$stepccl_mpi_path])
    AC_PATH_PROG([OMPI_INFO], [ompi_info], [], [$stepccl_mpi_path])
    AS_IF([test -n "$MPICC" && stepccl_mpi_dirs=`$MPICC --showme:incdirs 2>/dev/null`], [
      OMPI_CPPFLAGS=
      for stepccl_dir in $stepccl_mpi_dirs; do
        OMPI_CPPFLAGS="$OMPI_CPPFLAGS -I$stepccl_dir"
        AS_IF([test -d "$stepccl_dir/openmpi/ompi/mca"], [OMPI_CPPFLAGS="$OMPI_CPPFLAGS -I$stepccl_dir/openmpi"])
      done
      OMPI_CPPFLAGS="$OMPI_CPPFLAGS `$PKG_CONFIG --cflags pmix 2>/dev/null`"
      OMPI_LDFLAGS=
      for stepccl_dir in `$MPICC --showme:libdirs`; do OMPI_LDFLAGS="$OMPI_LDFLAGS -L$stepccl_dir"; done
      stepccl_save_CPPFLAGS=$CPPFLAGS
      stepccl_save_CFLAGS=$CFLAGS
      CPPFLAGS="$CPPFLAGS -I$srcdir/mca/coll/stepccl/compat $OMPI_CPPFLAGS"
      CFLAGS="$CFLAGS -mcx16"
      AC_MSG_CHECKING([for Open MPI's developer headers])
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <assert.h>
#include "ompi_config.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/coll/base/coll_base_util.h"]], [[return (int) sizeof(mca_coll_base_module_t) == 0;]])],
        [stepccl_have_openmpi=yes])
      AC_MSG_RESULT([$stepccl_have_openmpi])
      CPPFLAGS=$stepccl_save_CPPFLAGS
      CFLAGS=$stepccl_save_CFLAGS
      stepccl_mpi_version=`$OMPI_INFO --version 2>/dev/null | $SED -n 's/^Open MPI v//p'`
    ])
    AS_IF([test $stepccl_have_openmpi = no && test "x$with_openmpi" != xcheck],
      [AC_MSG_ERROR([Open MPI's developer headers (ompi/mca/coll/coll.h) were not found: install libopenmpi-dev, or configure Open MPI with --with-devel-headers and name it by --with-openmpi=DIR])])
  ])
  AS_CASE([$stepccl_mpi_version], [4.*], [OMPI_LIBS="-lmpi -lopen-pal"], [5.*], [OMPI_LIBS="-lmpi -lopen-pal"], [OMPI_LIBS="-lopen_mpi -lopen-pal"])
  AC_SUBST([OMPI_CPPFLAGS])
  AC_SUBST([OMPI_LDFLAGS])
  AC_SUBST([OMPI_LIBS])
  AM_CONDITIONAL([HAVE_OPENMPI], [test $stepccl_have_openmpi = yes])
])

# The CUDA Toolkit, for the kernels' fat binary and for a check of our own declarations; never linked.
AC_DEFUN([STEPCCL_CUDA], [
  AC_ARG_WITH([cuda], [AS_HELP_STRING([--with-cuda=DIR], [the CUDA Toolkit (default: where nvcc is found)])], [], [with_cuda=check])
  AC_ARG_WITH([cuda-archs],
    [AS_HELP_STRING([--with-cuda-archs=LIST], [GPU architectures of the kernels @<:@80,90,100@:>@; the last one also as PTX])],
    [], [with_cuda_archs=80,90,100])
  stepccl_have_cuda=no
  AS_IF([test "x$with_cuda" != xno], [
    AS_CASE([$with_cuda], [yes|check], [stepccl_cuda_path=$PATH:/usr/local/cuda/bin], [stepccl_cuda_path=$with_cuda/bin])
    AC_PATH_PROG([NVCC], [nvcc], [], [$stepccl_cuda_path])
    AS_IF([test -n "$NVCC"], [stepccl_have_cuda=yes
      stepccl_cuda_home=`dirname "$NVCC"`; stepccl_cuda_home=`dirname "$stepccl_cuda_home"`
      CUDA_CPPFLAGS="-I$stepccl_cuda_home/include"],
      [AS_IF([test "x$with_cuda" != xcheck], [AC_MSG_ERROR([nvcc was not found below $with_cuda])])])
  ])
  NVCC_ARCHS=
  stepccl_last_arch=
  for stepccl_arch in `echo "$with_cuda_archs" | tr ',' ' '`; do
    NVCC_ARCHS="$NVCC_ARCHS -gencode arch=compute_$stepccl_arch,code=sm_$stepccl_arch"
    stepccl_last_arch=$stepccl_arch
  done
  NVCC_ARCHS="$NVCC_ARCHS -gencode arch=compute_$stepccl_last_arch,code=compute_$stepccl_last_arch"
  AC_SUBST([NVCC_ARCHS])
  AC_SUBST([CUDA_CPPFLAGS])
  AS_IF([test $stepccl_have_cuda = yes],
    [AC_DEFINE([STEPCCL_HAVE_CUDA_KERNELS], [1], [Define to 1 when the kernels were compiled for GPUs.])])
  AM_CONDITIONAL([HAVE_CUDA], [test $stepccl_have_cuda = yes])
])

AC_DEFUN([STEPCCL_UCX], [
  AC_ARG_WITH([ucx], [AS_HELP_STRING([--without-ucx], [do not use UCX])], [], [with_ucx=check])
  stepccl_have_ucx=no
  AS_IF([test "x$with_ucx" != xno],
    [PKG_CHECK_MODULES([UCX], [ucx >= 1.12], [stepccl_have_ucx=yes],
      [AS_IF([test "x$with_ucx" != xcheck], [AC_MSG_ERROR([UCX was asked for and not found: install libucx-dev])])])])
  AM_CONDITIONAL([HAVE_UCX], [test $stepccl_have_ucx = yes])
])

AC_DEFUN([STEPCCL_SUMMARY], [
  AS_IF([test $stepccl_have_cuda = yes],
    [stepccl_cuda_line="yes ($NVCC; architectures $with_cuda_archs)"],
    [stepccl_cuda_line="no: reductions on a real GPU are staged through the host"])
  AS_ECHO(["
StepCCL $PACKAGE_VERSION

  Compilers            $CC, $CXX
  Open MPI component   $stepccl_have_openmpi${stepccl_mpi_version:+ (Open MPI $stepccl_mpi_version)}
  Component folder     $ompiplugindir
  CUDA kernels         $stepccl_cuda_line
  UCX                  $stepccl_have_ucx
  hwloc                yes
  Tools                $stepccl_have_boost
  Unit tests           $stepccl_have_gtest
  Sanitizers           $with_sanitizer
  Prefix               $prefix

Now run 'make', then 'make check'.
"])
])
