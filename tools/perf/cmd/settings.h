/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings that this perf uses, and their allowed values.
 */
#ifndef PERF_CMD_SETTINGS_H
#define PERF_CMD_SETTINGS_H

/**
 * setting_check() - may a setting have this value?
 * @key: "section.name"; if this perf does not use it, any value is allowed
 * @value: the value
 *
 * Return: 0, or -1 after diag_error() with the allowed values.
 */
int setting_check(const char *key, const char *value);

/**
 * setting_get() - get a setting that this perf uses
 * @key: "section.name"
 * @value: set to its value; NULL: not set
 *
 * Return: 0, or -1 after diag_error() if the value is not allowed, with file, line, allowed values,
 * and a command that corrects it.
 */
int setting_get(const char *key, const char **value);

#endif /* PERF_CMD_SETTINGS_H */
