/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Settings: /etc/perfconfig, then ~/.perfconfig ($PERF_CONFIG instead of both),
 * in the form of git's config:
 *
 *	[section "subsection"]
 *		name = value	# comment
 */
#ifndef PERF_BASE_CONFIG_H
#define PERF_BASE_CONFIG_H

#include "base/types.h"

/**
 * config_get() - a setting
 * @key: "section.name", "section.subsection.name"; sections and names in lower case
 *
 * The files are read at the first call. What can't be parsed is one warning.
 * Return: its value, the last one where several are given; NULL: not set. A
 * name without "=" has the value "true".
 */
const char *config_get(const char *key);

/**
 * config_get_bool() - a setting that is on or off
 * @key: as above
 * @otherwise: the answer when it is not set
 *
 * Return: true for true, yes, on and numbers but 0.
 */
bool config_get_bool(const char *key, bool otherwise);

/**
 * config_each() - every setting, in the order of the files
 * @fn: called with key and value
 * @arg: passed on
 */
void config_each(void (*fn)(const char *key, const char *value, void *arg), void *arg);

/**
 * config_user_file(), config_system_file() - where the settings are
 *
 * Return: the path, NULL when there is no home.
 */
const char *config_user_file(void);
const char *config_system_file(void);

/**
 * config_each_in() - every setting of one file
 * @path: the file
 * @fn: called with key and value
 * @arg: passed on
 *
 * Return: 0, or -errno.
 */
int config_each_in(const char *path, void (*fn)(const char *key, const char *value, void *arg),
		   void *arg);

/**
 * config_set() - write a setting
 * @path: the file, created if need be; comments and order stay
 * @key: "section.name"
 * @value: its value
 *
 * Return: 0, or -1 after diag_error().
 */
int config_set(const char *path, const char *key, const char *value);

#endif /* PERF_BASE_CONFIG_H */
