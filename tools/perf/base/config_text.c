// SPDX-License-Identifier: GPL-2.0
/*
 * The format of git's configuration: sections in brackets, "name = value", comments after # and
 * ;, quotes around values, a backslash before a literal character. A backslash at the end of a
 * line continues the value on the next line.
 */
#include <ctype.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/config_text.h"

#define CONFIG_SIZE_MAX	(4 << 20)	/* bytes; PERF_CONFIG may name anything */

static bool blank(char c)
{
	return isspace((unsigned char)c) && c != '\n';
}

static size_t skip_blanks(const char *p, size_t at, size_t size)
{
	while (at < size && blank(p[at]))
		at++;
	return at;
}

static size_t skip_line(const char *p, size_t at, size_t size)
{
	const char *end = at < size ? memchr(p + at, '\n', size - at) : NULL;

	return end ? (size_t)(end - p) + 1 : size;
}

static bool copy_name(char *to, const char *p, size_t from, size_t end, bool lower)
{
	size_t len = strlen(to);

	while (end > from && blank(p[end - 1]))
		end--;
	if (end == from || len + (end - from) >= CONFIG_NAME_MAX)
		return false;
	for (; from < end; from++)
		to[len++] = lower ? tolower((unsigned char)p[from]) : p[from];
	to[len] = 0;
	return true;
}

/* "[section]" or "[section "sub"]". */
static size_t section(const char *p, size_t at, size_t size, struct config_element *e)
{
	size_t end = skip_line(p, at, size), from = skip_blanks(p, at + 1, end), i = from, sub, rest;

	e->kind = CONFIG_BAD;
	while (i < end && p[i] != ']' && p[i] != '"' && p[i] != '\n')
		i++;
	if (i == end || p[i] == '\n' || !copy_name(e->name, p, from, i, true))
		return end;
	if (p[i] == '"') {
		sub = ++i;
		while (i < end && p[i] != '"')
			i++;
		strcat(e->name, ".");
		if (i == end || !copy_name(e->name, p, sub, i, false))
			return end;
		i = skip_blanks(p, i + 1, end);
		if (i == end || p[i] != ']')
			return end;
	}
	e->kind = CONFIG_SECTION;
	rest = skip_blanks(p, i + 1, end);
	/* A setting may stand on the same line. */
	return rest == end || strchr("#;\n", p[rest]) ? end : rest;
}

/* Where the value ends that begins at @at: before blanks, a comment, the end of the line. */
static size_t value_end(const char *p, size_t at, size_t size)
{
	size_t solid = at;
	bool quoted = false;

	for (; at < size && p[at] != '\n'; at++) {
		if (!quoted && (p[at] == '#' || p[at] == ';'))
			break;
		if (p[at] == '"')
			quoted = !quoted;
		else if (p[at] == '\\' && at + 1 < size)
			at++;
		if (quoted || !blank(p[at]))
			solid = at + 1;
	}
	return solid;
}

size_t config_element_next(const char *p, size_t size, struct config_element *e)
{
	size_t at = skip_blanks(p, 0, size), end;

	e->kind = CONFIG_BLANK;
	e->name[0] = 0;
	e->name_end = e->value = e->value_end = 0;
	if (at == size || strchr("#;\n", p[at]))
		return skip_line(p, at, size);
	if (p[at] == '[')
		return section(p, at, size, e);
	for (end = at; end < size && !strchr("=#;\n", p[end]); end++)
		;
	e->kind = copy_name(e->name, p, at, end, true) ? CONFIG_SETTING : CONFIG_BAD;
	e->name_end = end;
	while (e->name_end > at && blank(p[e->name_end - 1]))
		e->name_end--;
	if (end == size || p[end] != '=')
		return skip_line(p, end, size);
	e->value = skip_blanks(p, end + 1, size);
	e->value_end = value_end(p, e->value, size);
	return skip_line(p, e->value_end, size);
}

char *config_unquote(const char *p, size_t size)
{
	char *value = xmalloc(size + 1), *to = value;
	size_t i;

	for (i = 0; i < size; i++) {
		if (p[i] == '"')
			continue;
		if (p[i] == '\\' && i + 1 < size && p[++i] == '\n')
			continue;
		*to++ = p[i];
	}
	*to = 0;
	return value;
}

int config_read(int fd, char **text, size_t *size)
{
	size_t room = 4096;
	ssize_t n;
	int err;

	*text = xmalloc(room);
	*size = 0;
	for (;;) {
		n = read(fd, *text + *size, room - 1 - *size);
		if (n < 0 && errno == EINTR)
			continue;
		err = n < 0 ? -errno : *size > CONFIG_SIZE_MAX ? -EFBIG : 0;
		if (err) {
			free(*text);
			*text = NULL;
			return err;
		}
		*size += n;
		if (!n)
			break;
		if (*size == room - 1) {
			room *= 2;
			*text = xrealloc(*text, room);
		}
	}
	(*text)[*size] = 0;
	return 0;
}
