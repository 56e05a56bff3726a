/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of perf record's options and of settings.
 */
#ifndef PERF_CMD_VALUES_H
#define PERF_CMD_VALUES_H

#include "base/argparse.h"
#include "measure/measure_options.h"

/**
 * value_call_graph() - "table", "fp", "fp,defer", "dwarf[,size]", "lbr"
 * @arg: the text
 * @who: the option, for messages; NULL: no messages
 * @o: the options are set
 *
 * Return: 0, or -1 after diag_error(), as the following functions.
 */
int value_call_graph(const char *arg, const char *who, struct ring_options *o);
int value_dump_size(const char *arg, const char *who, u32 *size);
int value_clockid(const char *arg, s32 *clockid);
int value_regs(const char *arg, const char *who, u64 *mask);
int value_branch(const char *arg, u64 *mask);

/* value_size - "100", "64K", "10M", "1G"; value_duration - "500ms", "30s", "5m", "2h",
 * "1d" in milliseconds. Return: 0, or -EINVAL without a message.
 */
int value_size(const char *arg, u64 *size);
int value_duration(const char *arg, u64 *ms);

/**
 * opt_max_memory() - --max-memory: set the memory limit of the process immediately
 * @opt: its entry, MAX_MEMORY_OPT
 * @arg: a size, as value_size()
 * @unset: --no-max-memory: no limit
 *
 * Return: NULL, or the error.
 */
struct error *opt_max_memory(const struct opt *opt, const char *arg, bool unset);

#define MAX_MEMORY_OPT									\
	{ .kind = OPT_CALLBACK, .long_name = "max-memory", .arg_name = "size",		\
	  .call = opt_max_memory, .help = "end when more memory would be needed (3/4 of the machine's)" }

/* value_bool - "true", "false", "on", "off", "yes", "no", "1", "0", as value_size() */
int value_bool(const char *arg, bool *on);

#endif /* PERF_CMD_VALUES_H */
