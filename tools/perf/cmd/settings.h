/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings that this perf uses, and their allowed values.
 */
#ifndef PERF_CMD_SETTINGS_H
#define PERF_CMD_SETTINGS_H

/**
 * setting_check() - may a setting have this value?
 * @key: "section.name"; one that this perf does not use may have any
 * @value: the value
 *
 * Return: 0, or -1 after diag_error(), which names what is allowed.
 */
int setting_check(const char *key, const char *value);

/**
 * setting_get() - a setting that this perf uses
 * @key: "section.name"
 * @value: its value, NULL when it is not set
 *
 * Return: 0, or -1 after diag_error() when the value is not allowed: with file, line, what is
 * allowed, and the command that repairs it.
 */
int setting_get(const char *key, const char **value);

#endif /* PERF_CMD_SETTINGS_H */
