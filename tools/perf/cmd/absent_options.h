/* SPDX-License-Identifier: GPL-2.0 */
/* Options of other versions of perf that are not supported. */
#ifndef PERF_CMD_ABSENT_OPTIONS_H
#define PERF_CMD_ABSENT_OPTIONS_H

#include "base/argparse.h"

/**
 * opt_left_out() - the error for an unsupported option: one line with a replacement
 * @opt: its entry, made by LEFT_OUT() or LEFT_OUT_ARG()
 * @arg: not used
 * @unset: --no-NAME was given, which is no error
 */
struct error *opt_left_out(const struct opt *opt, const char *arg, bool unset);

/**
 * opt_traces() - an option for decoding hardware traces
 * @opt: its entry, made by TRACES_OPT(); .value is the session_config.traces
 * @arg: not used
 * @unset: --no-NAME was given
 *
 * Return: NULL. session_open() refuses a recording that has traces; for any other one the
 * option has no effect, as in mainline.
 */
struct error *opt_traces(const struct opt *opt, const char *arg, bool unset);

/* Entries of trace options. @traces: const char **, @default: NULL if the argument is required */
#define TRACES_OPT(long, traces, default)						\
	{ .kind = OPT_CALLBACK, .long_name = long, .value = traces, .arg_name = "opts",	\
	  .default_arg = default, .call = opt_traces, .hidden = true }

/* Entries of unsupported options. @instead: the replacement, for the message */
#define LEFT_OUT(short, long, instead)							\
	{ .kind = OPT_CALLBACK, .short_name = short, .long_name = long, .call = opt_left_out,	\
	  .value = instead, .hidden = true }
/* As LEFT_OUT(), for an option with an argument, which is ignored. */
#define LEFT_OUT_ARG(short, long, arg, instead)						\
	{ .kind = OPT_CALLBACK, .short_name = short, .long_name = long, .arg_name = arg,	\
	  .call = opt_left_out, .value = instead, .hidden = true, .default_arg = "" }

#endif /* PERF_CMD_ABSENT_OPTIONS_H */
