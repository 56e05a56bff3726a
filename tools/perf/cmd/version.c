// SPDX-License-Identifier: GPL-2.0
/*
 * perf version: prints the version and, with --build-options, the libraries of this build, one per
 * line as in mainline.
 */
#include <stdio.h>

#include "base/argparse.h"
#include "base/error.h"
#include "bpf/walk.h"
#include "cmd/cmd.h"
#include "spec/names.h"

#ifdef PERF_STATIC
#define LOADS_LIBRARIES false
#else
#define LOADS_LIBRARIES true
#endif

static void print_build_options(void)
{
	const struct {
		const char *name;
		bool on;
		const char *macro;
	} options[] = {
		{ "aio", false, "HAVE_AIO_SUPPORT" },
		{ "bpf", bpf_walk_built(), "HAVE_LIBBPF_SUPPORT" },
		{ "debuginfod", LOADS_LIBRARIES, "HAVE_DEBUGINFOD_SUPPORT" },
		{ "dwarf", true, "HAVE_LIBDW_SUPPORT" },
		{ "dwarf_getlocations", true, "HAVE_LIBDW_SUPPORT" },
		{ "dwarf-unwind", true, "HAVE_DWARF_UNWIND_SUPPORT" },
		{ "libdw-dwarf-unwind", true, "HAVE_LIBDW_SUPPORT" },
		{ "libelf", true, "HAVE_LIBELF_SUPPORT" },
		{ "libperl", false, "HAVE_LIBPERL_SUPPORT" },
		{ "libpfm4", pfm_built(), "HAVE_LIBPFM" },
		{ "libpython", false, "HAVE_LIBPYTHON_SUPPORT" },
		{ "libtraceevent", true, "HAVE_LIBTRACEEVENT" },
		{ "lzma", true, "HAVE_LZMA_SUPPORT" },
		{ "zlib", true, "HAVE_ZLIB_SUPPORT" },
		{ "zstd", true, "HAVE_ZSTD_SUPPORT" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		printf("%22s: [ %s ]  # %s\n", options[i].name, options[i].on ? "on " : "OFF", options[i].macro);
}

int cmd_version(int argc, char **argv)
{
	bool options = false;
	int verbose_given = 0, operand;
	const struct opt opts[] = {
		{ OPT_BOOL, 0, "build-options", &options, .help = "and the libraries that it was built with" },
		{ OPT_COUNT, 'v', "verbose", &verbose_given, .help = "the same" },
		{ .kind = OPT_END },
	};

	if (error_report(argparse(argc, argv, opts, "perf version [--build-options]", false, &operand)))
		return 129;
	printf("perf version %s\n", PERF_VERSION);
	if (options || verbose_given)
		print_build_options();
	return 0;
}
