# The emulated driver: a shared object of its own that is loaded at run time, in the place of NVIDIA's. It exports the
# functions of driver.def and nothing else, and stays loaded, because its streams' threads do.
pkglib_LTLIBRARIES += libstepccl_emu.la
libstepccl_emu_la_SOURCES = \
	src/emu/config.cpp src/emu/config.h \
	src/emu/context.cpp src/emu/context.h \
	src/emu/device_memory.cpp src/emu/device_memory.h \
	src/emu/entry.cpp src/emu/entry.h \
	src/emu/entry_context.cpp \
	src/emu/entry_copy.cpp \
	src/emu/entry_device.cpp \
	src/emu/entry_event.cpp \
	src/emu/entry_memory.cpp \
	src/emu/entry_module.cpp \
	src/emu/entry_pointer.cpp \
	src/emu/entry_stream.cpp \
	src/emu/event.cpp src/emu/event.h \
	src/emu/fault_words.cpp src/emu/fault_words.h \
	src/emu/faults.cpp src/emu/faults.h \
	src/emu/ipc.cpp src/emu/ipc.h \
	src/emu/machine.cpp src/emu/machine.h \
	src/emu/module.cpp src/emu/module.h \
	src/emu/operands.cpp src/emu/operands.h \
	src/emu/operations.cpp src/emu/operations.h \
	src/emu/registry.cpp src/emu/registry.h \
	src/emu/stream.cpp src/emu/stream.h \
	src/emu/words.cpp src/emu/words.h
libstepccl_emu_la_LIBADD = libstepccl_host_kernels.la libstepccl_base.la
libstepccl_emu_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-Bsymbolic -Wl,-z,nodelete -pthread \
	-Wl,--version-script=$(top_srcdir)/src/emu/exports.map
EXTRA_libstepccl_emu_la_DEPENDENCIES = src/emu/exports.map
EXTRA_DIST += src/emu/exports.map
