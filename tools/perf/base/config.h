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

#include "base/error.h"

/* A setting and its position. */
struct config_setting {
	const char *key;	/* "section.name", "section.subsection.name"; section and name in lower case */
	const char *value;	/* "true" for a name without "=" */
	const char *path;
	u32 line;		/* from 1 */
};

/**
 * config_get() - a setting
 * @key: as in struct config_setting
 *
 * The files are read at the first call. A line that can't be parsed is one warning, a
 * file that can't be read another.
 * Return: it, the last one where several are given; NULL: not set.
 */
const struct config_setting *config_get(const char *key);

/**
 * config_each() - every setting, in the order of the files
 * @fn: called with each
 * @arg: passed on
 */
void config_each(void (*fn)(const struct config_setting *s, void *arg), void *arg);

/**
 * config_user_file(), config_system_file() - where the settings are
 *
 * Return: the path, NULL when there is no home.
 */
const char *config_user_file(void);
const char *config_system_file(void);

/**
 * config_each_in() - every setting of one file
 * @fn: called with each
 * @arg: passed on
 *
 * Return: 0; -ENOEXEC: it is no regular file; or another -errno.
 */
int config_each_in(const char *path, void (*fn)(const struct config_setting *s, void *arg), void *arg);

/* config_error - text of an error of config_each_in() */
const char *config_error(int err);

/*
 * config_key - bring a key into the form that struct config_setting has; @key: "Section.name";
 * changed in place. Return: NULL, or why no setting can have this name.
 */
struct error *config_key(char *key);

/**
 * config_set() - write a setting
 * @path: the file; created if it is not there, at the end of a symbolic link if it is one
 * @key: as config_key() leaves it
 * @value: its value, one line
 *
 * Everything else in the file is kept, byte for byte, with its mode, owner and extended
 * attributes. The file is replaced by a rename: whenever the program or the machine stops, all
 * of the old file is there or all of the new one. Several programs that do this at the same
 * time wait for each other.
 * Return: NULL, or why the file is unchanged.
 */
struct error *config_set(const char *path, const char *key, const char *value);

#endif /* PERF_BASE_CONFIG_H */
