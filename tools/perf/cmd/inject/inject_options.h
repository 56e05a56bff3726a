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
	bool convert;			/* convert stack copies to callchains */
	bool build_ids;			/* add build-ids of files with samples */
	bool embed;			/* add names to the output */
	bool jit;			/* write JIT code to files */
};

/**
 * inject_options_parse() - read the command line
 * @o: set to the options
 * @argc: number of words
 * @argv: the words
 *
 * Return: 0, or -1 after diag_error().
 */
int inject_options_parse(struct inject_options *o, int argc, char **argv);

#endif /* PERF_CMD_INJECT_INJECT_OPTIONS_H */
