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
 * file_name() - the replacement name of a function without a symbol
 * @dso: the file; NULL: unknown
 * @name: set to "[FILE]" or "[unknown]"
 */
void file_name(const struct dso *dso, char name[FILE_NAME_SIZE]);

#define CONTAINER_ID 13		/* twelve digits, as "docker ps" prints them */

/**
 * container_id() - the container of a cgroup
 * @cgroup: its path; NULL: none
 * @id: set to the first 12 of the 64 hexadecimal digits of the container's id
 *
 * Return: true if the cgroup is a container's.
 */
bool container_id(const char *cgroup, char id[CONTAINER_ID]);

#endif /* PERF_CMD_DATA_NAMES_H */
