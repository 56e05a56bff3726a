// SPDX-License-Identifier: GPL-2.0
/*
 * The callback of options that this perf does not have: it makes the error that says what to
 * do instead. Given is the entry of the option's table; nothing is owned.
 */
#include "base/error.h"
#include "cmd/left_out.h"

struct error *opt_left_out(const struct opt *opt, const char *arg __unused, bool unset __unused)
{
	return error_create(EINVAL, "--%s is not part of this perf: %s", opt->long_name,
			    (const char *)opt->value);
}
