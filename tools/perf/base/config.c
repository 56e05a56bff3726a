// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/config.h"
#include "base/diag.h"
#include "base/outbuf.h"

static struct {
	struct setting { char *key, *value; } *v;
	u32 nr, cap;
	bool loaded;
} config;

const char *config_system_file(void)
{
	return "/etc/perfconfig";
}

const char *config_user_file(void)
{
	static char path[4096];
	const char *env = getenv("PERF_CONFIG"), *home = getenv("HOME");

	if (env)
		return env;
	if (!home || !*home)
		return NULL;
	snprintf(path, sizeof(path), "%s/.perfconfig", home);
	return path;
}

static char *trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	for (end = s + strlen(s); end > s && isspace((unsigned char)end[-1]); end--)
		;
	*end = 0;
	return s;
}

/* Take quotes, backslashes and a comment out of a value. */
static void unquote(char *s)
{
	char *to = s, *solid = s;
	bool quoted = false;

	for (; *s; s++) {
		if (!quoted && (*s == '#' || *s == ';'))
			break;
		if (*s == '"') {
			quoted = !quoted;
			solid = to;
			continue;
		}
		if (*s == '\\' && s[1])
			s++;
		*to++ = *s;
		if (quoted || !isspace((unsigned char)*s))
			solid = to;
	}
	*solid = 0;
}

static void lower(char *s)
{
	for (; *s; s++)
		*s = tolower((unsigned char)*s);
}

/* "[section]" or "[section "sub"]" into "section" or "section.sub". */
static bool parse_section(char *line, char *section, size_t size)
{
	char *end = strrchr(line, ']'), *quote, *sub = NULL;

	if (!end)
		return false;
	*end = 0;
	line++;
	quote = strchr(line, '"');
	if (quote) {
		*quote = 0;
		sub = quote + 1;
		quote = strrchr(sub, '"');
		if (!quote)
			return false;
		*quote = 0;
	}
	line = trim(line);
	lower(line);
	if (!*line)
		return false;
	snprintf(section, size, sub ? "%s.%s" : "%s", line, sub);
	return true;
}

int config_each_in(const char *path, void (*fn)(const char *key, const char *value, void *arg),
		   void *arg)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[4096], section[256] = "", key[512], *p, *eq;
	u32 nr = 0;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		nr++;
		p = trim(line);
		if (!*p || *p == '#' || *p == ';')
			continue;
		if (*p == '[') {
			if (!parse_section(p, section, sizeof(section)))
				diag_warn("%s:%u: not a section: want [name]", path, nr);
			continue;
		}
		eq = strchr(p, '=');
		if (eq)
			*eq = 0;
		p = trim(p);
		lower(p);
		if (!*p || !*section) {
			diag_warn("%s:%u: a setting is NAME = VALUE behind a [section]", path, nr);
			continue;
		}
		snprintf(key, sizeof(key), "%s.%s", section, p);
		if (eq) {
			p = trim(eq + 1);
			unquote(p);
			fn(key, p, arg);
		} else {
			fn(key, "true", arg);
		}
	}
	return 0;
}

static void keep(const char *key, const char *value, void *arg __unused)
{
	GROW(config.v, config.nr, config.cap);
	config.v[config.nr].key = xstrdup(key);
	config.v[config.nr++].value = xstrdup(value);
}

static void load(void)
{
	const char *user = config_user_file();

	if (config.loaded)
		return;
	config.loaded = true;
	if (!getenv("PERF_CONFIG"))
		config_each_in(config_system_file(), keep, NULL);
	if (user)
		config_each_in(user, keep, NULL);
}

const char *config_get(const char *key)
{
	u32 i;

	load();
	for (i = config.nr; i > 0; i--)
		if (!strcmp(config.v[i - 1].key, key))
			return config.v[i - 1].value;
	return NULL;
}

bool config_get_bool(const char *key, bool otherwise)
{
	const char *v = config_get(key);

	if (!v)
		return otherwise;
	if (isdigit((unsigned char)*v))
		return strtol(v, NULL, 0) != 0;
	return !strcasecmp(v, "true") || !strcasecmp(v, "yes") || !strcasecmp(v, "on");
}

void config_each(void (*fn)(const char *key, const char *value, void *arg), void *arg)
{
	u32 i;

	load();
	for (i = 0; i < config.nr; i++)
		fn(config.v[i].key, config.v[i].value, arg);
}

/* Read a whole file; what is not there is empty. */
static char *read_file(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	struct outbuf o;
	char buf[4096];
	size_t n;

	outbuf_init(&o, -1);
	while (f && (n = fread(buf, 1, sizeof(buf), f)) > 0)
		outbuf_write(&o, buf, n);
	outbuf_putc(&o, 0);
	return o.base;
}

static void put_setting(struct outbuf *o, const char *name, const char *value)
{
	const char *p;

	outbuf_printf(o, "\t%s = ", name);
	if (strpbrk(value, "#;\"\\") || *value == ' ') {
		outbuf_putc(o, '"');
		for (p = value; *p; p++) {
			if (*p == '"' || *p == '\\')
				outbuf_putc(o, '\\');
			outbuf_putc(o, *p);
		}
		outbuf_putc(o, '"');
	} else {
		outbuf_puts(o, value);
	}
	outbuf_putc(o, '\n');
}

int config_set(const char *path, const char *key, const char *value)
{
	_cleanup_free_ char *text = read_file(path), *tmp = NULL;
	char section[256], current[256] = "", copy[4096], name[512], *line, *next, *p;
	const char *dot = strrchr(key, '.');
	bool done = false;
	struct outbuf o;
	FILE *f;

	if (!dot || dot == key || !dot[1])
		return diag_error("'%s' is no setting: want SECTION.NAME", key);
	snprintf(section, sizeof(section), "%.*s", (int)(dot - key), key);
	outbuf_init(&o, -1);
	for (line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		snprintf(copy, sizeof(copy), "%s", line);
		p = trim(copy);
		if (*p == '[') {
			/* at the end of its section, if it was not there */
			if (!done && !strcmp(current, section)) {
				put_setting(&o, dot + 1, value);
				done = true;
			}
			parse_section(p, current, sizeof(current));
		} else if (!strcmp(current, section) && *p != '#' && *p != ';') {
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(p, "="), p);
			if (!strcasecmp(trim(name), dot + 1)) {
				if (!done)
					put_setting(&o, dot + 1, value);
				done = true;
				continue;
			}
		}
		outbuf_printf(&o, "%s\n", line);
	}
	if (!done) {
		const char *sub = strchr(section, '.');

		if (strcmp(current, section)) {
			if (sub)
				outbuf_printf(&o, "[%.*s \"%s\"]\n", (int)(sub - section), section, sub + 1);
			else
				outbuf_printf(&o, "[%s]\n", section);
		}
		put_setting(&o, dot + 1, value);
	}
	/* All of it or nothing. */
	tmp = xmalloc(strlen(path) + 8);
	sprintf(tmp, "%s.new", path);
	f = fopen(tmp, "we");
	if (!f) {
		outbuf_deinit(&o);
		return diag_error("%s: %s", tmp, strerror(errno));
	}
	fwrite(o.base, 1, o.pos - o.base, f);
	outbuf_deinit(&o);
	if (fclose(f) || rename(tmp, path))
		return diag_error("%s: %s", path, strerror(errno));
	return 0;
}
