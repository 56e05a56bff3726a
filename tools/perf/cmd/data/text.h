/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of a recording, which may hold any bytes, as UTF-8 and as strings of JSON.
 */
#ifndef PERF_CMD_DATA_TEXT_H
#define PERF_CMD_DATA_TEXT_H

#include "base/arena.h"
#include "base/outbuf.h"

struct dso;

#define FILE_NAME_SIZE 4099	/* of a path in brackets */

/**
 * utf8_copy() - a name as UTF-8
 * @a: where a copy goes
 * @s: any bytes
 *
 * Return: @s itself, or a copy with "?" for each byte that is none of UTF-8 or a control character.
 */
const char *utf8_copy(struct arena *a, const char *s);

/* json_string - a string of JSON with its quotes; any byte that is none of UTF-8 becomes "?" */
void json_string(struct outbuf *o, const char *s);

/**
 * file_name() - what stands for a function without a symbol
 * @dso: the file; NULL: not known
 * @name: gets "[FILE]", or "[unknown]"
 */
void file_name(const struct dso *dso, char name[FILE_NAME_SIZE]);

#define CONTAINER_ID 13		/* twelve digits, as "docker ps" prints them */

/**
 * container_id() - the container that a control group is of
 * @cgroup: its path; NULL: none
 * @id: gets the first twelve of the 64 hexadecimal digits by which container runtimes name theirs
 *
 * Return: whether there is one.
 */
bool container_id(const char *cgroup, char id[CONTAINER_ID]);

#endif /* PERF_CMD_DATA_TEXT_H */
