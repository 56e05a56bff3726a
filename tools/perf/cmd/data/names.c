// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement names for missing or overlong ones: files instead of functions, and containers.
 * Owns nothing.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cmd/data/names.h"
#include "session/session.h"

void file_name(const struct dso *dso, char name[FILE_NAME_SIZE])
{
	const char *s = dso ? dso->short_name : "[unknown]";

	snprintf(name, FILE_NAME_SIZE, s[0] == '[' ? "%s" : "[%s]", s);
}

bool container_id(const char *cgroup, char id[CONTAINER_ID])
{
	const char *p = cgroup ?: "";
	bool any = false;

	/* For nested containers the last id is the innermost one. */
	while (*p) {
		size_t nr = 0;

		while (isxdigit((u8)p[nr]))
			nr++;
		if (nr == 64) {
			memcpy(id, p, CONTAINER_ID - 1);
			id[CONTAINER_ID - 1] = '\0';
			any = true;
		}
		p += nr ?: 1;
	}
	return any;
}
