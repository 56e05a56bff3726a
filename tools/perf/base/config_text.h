/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of a settings file, element by element, for both the reader and the writer of
 * settings.
 */
#ifndef PERF_BASE_CONFIG_TEXT_H
#define PERF_BASE_CONFIG_TEXT_H

#include "base/types.h"

#define CONFIG_NAME_MAX 256	/* of a section with its subsection, and of a name */

enum config_kind { CONFIG_BLANK, CONFIG_SECTION, CONFIG_SETTING, CONFIG_BAD };

/* An element: a blank line, a comment, "[section]", "name = value". */
struct config_element {
	enum config_kind kind;
	char name[CONFIG_NAME_MAX];	/* of the section ("section.sub") or the setting */
	size_t name_end;		/* offset after the name of a setting */
	size_t value, value_end;	/* the value with its quotes; value 0: no "=" */
};

/**
 * config_element_next() - take an element apart
 * @p: where it begins; needs no NUL after it
 * @size: bytes up to the end of the text
 * @e: set to the element; offsets from @p. Names are in lower case, except subsections
 *
 * Return: how many bytes it has, with the end of the line; @size 0: 0.
 */
size_t config_element_next(const char *p, size_t size, struct config_element *e);

/*
 * config_unquote - decode a value; @p: the value in the file's text. Return: the value; free() it.
 */
char *config_unquote(const char *p, size_t size);

/**
 * config_read() - read a whole settings file
 * @fd: the file, at its beginning
 * @size: how many bytes it has
 * @text: the bytes, in memory of the caller's, with a NUL after them
 *
 * Return: 0, or -errno, -EFBIG if it is not a settings file; then *@text is NULL.
 */
int config_read(int fd, char **text, size_t *size);

#endif /* PERF_BASE_CONFIG_TEXT_H */
