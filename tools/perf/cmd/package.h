/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The package with the debug information of a file.
 */
#ifndef PERF_CMD_PACKAGE_H
#define PERF_CMD_PACKAGE_H

#include "base/types.h"

/**
 * debug_package() - the Debian package with a file's debug information
 * @path: the file, on this machine
 * @name: set to the package's name
 * @size: size of @name, in bytes
 *
 * The name is derived from the package that installed the file, by dpkg's file lists. It is not
 * checked that a configured archive has it.
 *
 * Return: true if a package has the file.
 */
bool debug_package(const char *path, char *name, size_t size);

#endif /* PERF_CMD_PACKAGE_H */
