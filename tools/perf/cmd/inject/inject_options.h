/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf inject: the command line.
 */
#ifndef PERF_CMD_INJECT_INJECT_OPTIONS_H
#define PERF_CMD_INJECT_INJECT_OPTIONS_H

#include "session/session.h"

struct inject_options {
	struct session_config config;
	const char *output;
	int compress_level;		/* 0: not compressed */
	bool convert;			/* copies of stacks become callchains */
	bool build_ids;			/* of the files that samples lie in */
	bool embed;			/* names go into the output */
	bool jit;			/* code of JIT compilers becomes files */
};

/**
 * inject_options_parse() - read the command line
 * @o: to be filled
 * @argc: as of cmd_inject()
 * @argv: likewise
 *
 * Return: 0, or -1 after diag_error().
 */
int inject_options_parse(struct inject_options *o, int argc, char **argv);

#endif /* PERF_CMD_INJECT_INJECT_OPTIONS_H */
