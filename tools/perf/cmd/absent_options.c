// SPDX-License-Identifier: GPL-2.0
/*
 * Callbacks of unsupported options: opt_left_out() makes the error that names a replacement,
 * opt_not_here() one with the option's help; opt_no_effect() does nothing; opt_traces() requires a
 * recording without hardware traces. They are given the option's table entry and own nothing.
 */
#include "base/error.h"
#include "cmd/values.h"

struct error *opt_left_out(const struct opt *opt, const char *arg __unused, bool unset)
{
	if (unset)
		return NULL;
	return error_create(EINVAL, "--%s is not part of this perf: %s", opt->long_name,
			    (const char *)opt->value);
}

struct error *opt_not_here(const struct opt *opt, const char *arg __unused, bool unset)
{
	if (unset)
		return NULL;
	return error_create(EINVAL, "--%s is not supported by this perf: %s", opt->long_name, opt->help);
}

struct error *opt_no_effect(const struct opt *opt __unused, const char *arg __unused,
			  bool unset __unused)
{
	return NULL;
}

struct error *opt_traces(const struct opt *opt, const char *arg __unused, bool unset)
{
	*(const char **)opt->value = unset ? NULL : opt->long_name;
	return NULL;
}
