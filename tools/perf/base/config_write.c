// SPDX-License-Identifier: GPL-2.0
/*
 * Changes a settings file: locks it (flock), reads all of it, and replaces it by a new file
 * that has been written and synced. A process that waited for the lock of a replaced file opens
 * the new one.
 */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/config.h"
#include "base/config_text.h"
#include "base/error.h"
#include "base/io.h"
#include "base/outbuf.h"

#define MAX_LINKS 40		/* as the kernel follows */

struct error *config_key(char *key)
{
	char *dot = strchr(key, '.'), *last = strrchr(key, '.'), *p;
	bool good = dot && dot > key && last[1] && last != dot + 1 && strlen(key) < CONFIG_NAME_MAX;

	for (p = key; *p; p++)
		if (iscntrl((unsigned char)*p))
			return error_create(EINVAL, "a setting is called SECTION.NAME, in one line of text");
	for (p = key; good && *p; p++) {
		if (p > dot && p < last)
			good = !strchr("\"\\]", *p) && !iscntrl((unsigned char)*p);
		else if (p != dot && p != last)
			good = isalnum((unsigned char)*p) || *p == '-' || *p == '_';
		if (p < dot || p > last)
			*p = tolower((unsigned char)*p);
	}
	return good ? NULL : error_create(EINVAL, "'%s' is not a setting: expected SECTION.NAME", key);
}

/* Where symbolic links end; the file there need not exist. NULL: -errno in *@err. */
static char *follow_links(const char *path, int *err)
{
	char *at = xstrdup(path), *next, to[PATH_MAX];
	const char *slash;
	ssize_t n;
	u32 i;

	for (i = 0; i < MAX_LINKS; i++) {
		n = readlink(at, to, sizeof(to) - 1);
		if (n < 0)
			return at;
		to[n] = 0;
		slash = to[0] == '/' ? NULL : strrchr(at, '/');
		next = xmalloc(strlen(at) + n + 1);
		sprintf(next, "%.*s%s", slash ? (int)(slash + 1 - at) : 0, at, to);
		free(at);
		at = next;
	}
	free(at);
	*err = -ELOOP;
	return NULL;
}

/* Open and lock a file that is there, or a new empty one. Return: descriptor, or -errno. */
static int open_locked(const char *path, struct stat *st, bool *created)
{
	struct stat now;
	int fd, err;

	for (;;) {
		/* O_NONBLOCK: of a fifo nothing is wanted but its type. */
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		*created = fd < 0 && errno == ENOENT;
		if (*created)
			fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd < 0)
			return -errno;
		err = fstat(fd, st) ? -errno : S_ISREG(st->st_mode) ? 0 : -EINVAL;
		/* A file system may have no locks: then the last writer wins. */
		while (!err && flock(fd, LOCK_EX) && errno == EINTR)
			;
		if (err) {
			close(fd);
			return err;
		}
		if (!stat(path, &now) && now.st_dev == st->st_dev && now.st_ino == st->st_ino)
			return fstat(fd, st) ? -errno : fd;
		close(fd);
	}
}

/* Owner, mode and extended attributes are kept. Return: 0, or -errno. */
static int copy_attributes(int from, int to, const struct stat *st)
{
	char names[4096], value[4096];
	const char *name;
	ssize_t n, size;
	struct stat is;

	if (fstat(to, &is))
		return -errno;
	if ((is.st_uid != st->st_uid || is.st_gid != st->st_gid) && fchown(to, st->st_uid, st->st_gid))
		return -errno;
	if (fchmod(to, st->st_mode & 07777))
		return -errno;
	n = flistxattr(from, names, sizeof(names));
	if (n < 0)
		return errno == ENOTSUP || errno == ENOSYS ? 0 : -errno;
	for (name = names; name < names + n; name += strlen(name) + 1) {
		/* Security modules label a new file by their own rules; access lists are system.* */
		if (strncmp(name, "user.", 5) && strncmp(name, "system.", 7))
			continue;
		size = fgetxattr(from, name, value, sizeof(value));
		if (size < 0 || fsetxattr(to, name, value, size, 0))
			return -errno;
	}
	return 0;
}

/* The name itself must reach the disk, too; where folders cannot be synced it does so later. */
static void sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? xstrndup(path, slash + 1 - path) : xstrdup(".");
	_cleanup_close_ int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0)
		fsync(fd);
}

static int replace(int old, const struct stat *st, const char *path, const struct outbuf *text)
{
	_cleanup_free_ char *tmp = xmalloc(strlen(path) + sizeof(".XXXXXX"));
	int fd, err;

	sprintf(tmp, "%s.XXXXXX", path);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = copy_attributes(old, fd, st);
	if (!err)
		err = write_all(fd, text->base, outbuf_len(text));
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(tmp, path))
		err = -errno;
	if (err)
		unlink(tmp);
	else
		sync_folder(path);
	return err;
}

static void put_value(struct outbuf *o, const char *value)
{
	bool quotes = strpbrk(value, "#;\"\\") ||
		      (*value && (isspace((unsigned char)*value) ||
				  isspace((unsigned char)value[strlen(value) - 1])));

	if (quotes)
		outbuf_putc(o, '"');
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			outbuf_putc(o, '\\');
		outbuf_putc(o, *value);
	}
	if (quotes)
		outbuf_putc(o, '"');
}

static void put_setting(struct outbuf *o, const char *name, const char *value)
{
	if (o->pos > o->base && o->pos[-1] != '\n')
		outbuf_putc(o, '\n');
	outbuf_printf(o, "\t%s = ", name);
	put_value(o, value);
	outbuf_putc(o, '\n');
}

/* The places in a text where a setting is, or where it can go. */
struct place {
	size_t from, to;	/* its value; without "=": after its name */
	bool found, bare;	/* it is there; it has no "=" */
	size_t end;		/* of its section; 0: there is none */
};

/* Of several the last one counts: it is the one that is changed. */
static void find_place(const char *text, size_t size, const char *key, struct place *p)
{
	const char *name = strrchr(key, '.') + 1;
	size_t len = name - 1 - key;
	struct config_element e;
	bool inside = false;
	size_t at, n;

	*p = (struct place){ 0 };
	for (at = 0; at < size; at += n) {
		n = config_element_next(text + at, size - at, &e);
		if (e.kind == CONFIG_SECTION)
			inside = strlen(e.name) == len && !memcmp(e.name, key, len);
		if (!inside || (e.kind != CONFIG_SECTION && e.kind != CONFIG_SETTING))
			continue;
		p->end = at + n;
		if (e.kind == CONFIG_SECTION || strcmp(e.name, name))
			continue;
		p->found = true;
		p->bare = !e.value;
		p->from = at + (e.value ?: e.name_end);
		p->to = at + (e.value ? e.value_end : e.name_end);
	}
}

/* The text with the setting changed. */
static void change(struct outbuf *o, const char *text, size_t size, const char *key, const char *value)
{
	size_t len = strrchr(key, '.') - key, sub = strcspn(key, ".");
	const char *name = key + len + 1;
	struct place p;

	find_place(text, size, key, &p);
	if (p.found) {
		outbuf_write(o, text, p.from);
		if (p.bare)
			outbuf_puts(o, " = ");
		put_value(o, value);
		outbuf_write(o, text + p.to, size - p.to);
		return;
	}
	if (p.end) {
		outbuf_write(o, text, p.end);
		put_setting(o, name, value);
		outbuf_write(o, text + p.end, size - p.end);
		return;
	}
	outbuf_write(o, text, size);
	if (size && text[size - 1] != '\n')
		outbuf_putc(o, '\n');
	if (sub < len)
		outbuf_printf(o, "[%.*s \"%.*s\"]\n", (int)sub, key, (int)(len - sub - 1), key + sub + 1);
	else
		outbuf_printf(o, "[%.*s]\n", (int)len, key);
	put_setting(o, name, value);
}

static struct error *set_in(int fd, const struct stat *st, const char *path, const char *key, const char *value)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_outbuf_ struct outbuf o = { 0 };
	size_t size;
	int err = config_read(fd, &text, &size);

	if (err)
		return error_file(path, -err, "cannot be read, so it is not changed: %m");
	if (memchr(text, 0, size))
		return error_file(path, EINVAL, "has bytes that are no text, so it is not changed");
	change(&o, text, size, key, value);
	err = replace(fd, st, path, &o);
	return err ? error_file(path, -err, "cannot be written and is unchanged: %m") : NULL;
}

struct error *config_set(const char *path, const char *key, const char *value)
{
	_cleanup_free_ char *target = NULL;
	bool created = false;
	struct stat st;
	struct error *why;
	int fd, err = 0;
	const char *p;

	for (p = value; *p; p++)
		if (iscntrl((unsigned char)*p) && *p != '\t')
			return error_create(EINVAL, "%s: a value is one line of text", key);
	target = follow_links(path, &err);
	fd = target ? open_locked(target, &st, &created) : err;
	if (fd == -EINVAL)
		return error_file(target, EINVAL, "is no regular file, so it is not changed");
	if (fd < 0)
		return error_file(target ?: path, -fd, "cannot be changed: %m");
	why = set_in(fd, &st, target, key, value);
	if (why && created)
		unlink(target);
	close(fd);
	return why;
}
