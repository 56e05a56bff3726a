/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options that several commands have, and words that name the values of options.
 */
#ifndef PERF_CMD_VALUES_H
#define PERF_CMD_VALUES_H

#include "base/argparse.h"
#include "measure/measure_options.h"

/**
 * value_call_graph() - a mode of spec/call_graph.h, with its size: "fp,defer", "dwarf,4096"
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

/**
 * setting_check() - may a setting have this value?
 * @key: "section.name"; if this perf does not use it, any value is allowed
 *
 * Return: 0, or -1 after diag_error() with the allowed values.
 */
int setting_check(const char *key, const char *value);

/**
 * setting_get() - get a setting that this perf uses
 * @key: "section.name"
 * @value: set to its value; NULL: not set
 *
 * Return: 0, or -1 after diag_error() if the value is not allowed, with file, line, allowed values,
 * and a command that corrects it.
 */
int setting_get(const char *key, const char **value);

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

/* opt_not_here - as opt_left_out(), of an option whose .help says why */
struct error *opt_not_here(const struct opt *opt, const char *arg, bool unset);

/* Entries of options that mainline has, and that have no effect here. */
struct error *opt_no_effect(const struct opt *opt, const char *arg, bool unset);
#define IGNORED(short, long, arg)							\
	{ OPT_CALLBACK, short, long, NULL, arg, .call = opt_no_effect, .hidden = true }

/* Entries of unsupported options. @instead: the replacement, for the message */
#define LEFT_OUT(short, long, instead)							\
	{ .kind = OPT_CALLBACK, .short_name = short, .long_name = long, .call = opt_left_out,	\
	  .value = instead, .hidden = true }
/* As LEFT_OUT(), for an option with an argument, which is ignored. */
#define LEFT_OUT_ARG(short, long, arg, instead)						\
	{ .kind = OPT_CALLBACK, .short_name = short, .long_name = long, .arg_name = arg,	\
	  .call = opt_left_out, .value = instead, .hidden = true, .default_arg = "" }

#endif /* PERF_CMD_VALUES_H */
