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
 * @size: bytes there
 *
 * It is named after the package that installed the file, by dpkg's lists of files. Whether a
 * configured archive has it is not checked.
 *
 * Return: whether a package has the file.
 */
bool debug_package(const char *path, char *name, size_t size);

#endif /* PERF_CMD_PACKAGE_H */
