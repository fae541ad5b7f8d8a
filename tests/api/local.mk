# Programs that use the installed header alone, in the strictest dialects it promises to be fit for.
check_PROGRAMS += tests/api/alone_c11 tests/api/alone_cxx11 tests/api/alone_cxx17 tests/api/errors
TESTS += tests/api/alone_c11 tests/api/alone_cxx11 tests/api/alone_cxx17 tests/api/errors

api_warnings = -pedantic-errors -Wall -Wextra -Werror $(STEPCCL_SANFLAGS)
api_includes = -I$(top_srcdir)/include

tests_api_alone_c11_SOURCES = tests/api/alone.c
tests_api_alone_c11_CPPFLAGS = $(api_includes)
tests_api_alone_c11_CFLAGS = -std=c11 $(api_warnings)
tests_api_alone_c11_LDADD = libstepccl.la

tests_api_alone_cxx11_SOURCES = tests/api/alone.cpp
tests_api_alone_cxx11_CPPFLAGS = $(api_includes)
tests_api_alone_cxx11_CXXFLAGS = -std=c++11 $(api_warnings)
tests_api_alone_cxx11_LDADD = libstepccl.la

tests_api_alone_cxx17_SOURCES = tests/api/alone.cpp
tests_api_alone_cxx17_CPPFLAGS = $(api_includes)
tests_api_alone_cxx17_CXXFLAGS = -std=c++17 $(api_warnings)
tests_api_alone_cxx17_LDADD = libstepccl.la

tests_api_errors_SOURCES = tests/api/errors.c
tests_api_errors_CPPFLAGS = $(api_includes) -DPACKAGE_VERSION='"$(PACKAGE_VERSION)"'
tests_api_errors_LDADD = libstepccl.la
