// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "test.h"

#define STATS	"/sys/kernel/debug/unwind/stats"

u64 stats_read(const char *name)
{
	unsigned long long value = 0;
	char line[128], key[64];
	bool found = false;
	FILE *f;

	if (getenv("UNWIND_PLAIN"))
		return 0;
	f = fopen(STATS, "r");
	if (!f)
		die(STATS);
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%63[^: \t]%*[: \t]%llu", key, &value) == 2 &&
			!strcmp(key, name);
	fclose(f);
	if (!found)
		die(STATS " has no %s", name);
	return value;
}

u64 stats_completed(const char *reason)
{
	char name[64];

	snprintf(name, sizeof(name), "answered_%s", reason);
	return stats_read(name);
}
