// SPDX-License-Identifier: GPL-2.0
/* Prints the attributes for perf_event_open(2), for -vv: non-zero fields. */
#include "base/diag.h"
#include "event/value_text.h"
#include "measure/attr.h"

static void field(const char *name, const char *value, void *ctx __unused)
{
	diag_info(2, "  %-32s %s", name, value);
}

void attr_print(const struct perf_event_attr *a)
{
	diag_info(2, "------------------------------------------------------------");
	diag_info(2, "perf_event_attr:");
	attr_each(a, NULL, field, NULL);
	diag_info(2, "------------------------------------------------------------");
}
