/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of what struct perf_branch_entry says of a branch in its flags.
 */
#ifndef PERF_EVENT_BRANCH_H
#define PERF_EVENT_BRANCH_H

#include "base/types.h"

/* branch_type_name - of what kind it was; "": unknown */
const char *branch_type_name(u64 flags);

/* branch_spec_name - how it was speculated; NULL: not known */
const char *branch_spec_name(u64 flags);

#endif /* PERF_EVENT_BRANCH_H */
