include $(top_srcdir)/tests/unit/local.mk
include $(top_srcdir)/tests/api/local.mk
include $(top_srcdir)/tests/mpi/local.mk
include $(top_srcdir)/tests/devize/local.mk
include $(top_srcdir)/tests/tools/local.mk

# Checks of the sources themselves.
AM_TESTS_ENVIRONMENT = CXX='$(CXX)'; export CXX;
TESTS += tests/layers.sh tests/headers.sh tests/shell.sh tests/manual.sh
EXTRA_DIST += tests/layers.sh tests/headers.sh tests/shell.sh tests/manual.sh tests/tsan.supp tests/leaks

# Parts of the suite, for scripts/check: the programs, and the scripts that run what was built (they lie in a folder of tests/).
.PHONY: check-unit check-scripts print-unit-tests
print-unit-tests:
	@for t in $(TESTS); do case $$t in *.sh) ;; *) echo $$t ;; esac; done
check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS="`$(MAKE) -s print-unit-tests | tr '\n' ' '`"
check-scripts:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS="`for t in $(TESTS); do case $$t in tests/*/*.sh) echo $$t ;; esac; done | tr '\n' ' '`"
