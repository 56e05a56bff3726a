/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacement names for missing or overlong ones: files, containers.
 */
#ifndef PERF_CMD_DATA_NAMES_H
#define PERF_CMD_DATA_NAMES_H

#include "base/types.h"

struct dso;

#define FILE_NAME_SIZE 4099	/* of a path in brackets */

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

#endif /* PERF_CMD_DATA_NAMES_H */
