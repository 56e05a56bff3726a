// SPDX-License-Identifier: GPL-2.0
/*
 * perf archive --unpack: reads the tar stream of an archive, which may be anybody's. It has
 *
 *	PATH/HEX/elf				or debug, kallsyms, vdso: a file of the cache
 *	.build-id/XX/YYYY -> ../../PATH/HEX	the cache makes such links itself
 *	NAME					one recording
 *
 * and nothing else, or nothing is unpacked. Files get numbers in a private folder below the cache,
 * and their names when all was read: only their bytes are taken. All counts to one budget.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/outbuf.h"
#include "base/printable.h"
#include "cmd/buildid/buildid.h"

const char *const archive_files[NR_ARCHIVE_FILES] = { "elf", "debug", "kallsyms", "vdso" };

/* Bytes that an archive may unpack to: programs are compressed to a fifth. */
#define BUDGET(size) ((64ULL << 20) + 100 * (u64)(size))
#define MAX_MEMBERS 16384
#define BLOCK 512
#define MAX_NAME (64 << 10)

/* A member's head: all fields are text. */
struct tar_head {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
	char magic[8], user[32], group[32], major[8], minor[8], prefix[155], zero[12];
};

/* A file in the private folder. */
struct member {
	char *name;			/* "PATH/HEX/elf" */
	u32 file;			/* its number; of a hard link: that of the other member */
};

struct unpacking {
	const char *archive;
	struct buildid_cache cache;
	char folder[32];		/* the private folder, below the cache */
	int dir;
	struct member *members;
	u32 nr, cap;
	char *recording;		/* its name; NULL: none yet */
	bool exists;			/* a file of that name is there, and stays */
	u64 budget;
	/* the stream */
	char head[BLOCK];
	u32 have;			/* bytes of @head */
	u64 left, pad;			/* bytes of the member's content, and behind it */
	int to;				/* where the content goes; -1: nowhere */
	struct outbuf *text;		/* or here; NULL: nowhere */
	struct outbuf name, link, pax;	/* of the next member, by a member before it */
	bool ended, bad;
};

/* Report why nothing is unpacked. Return: false. */
static bool refuse(struct unpacking *u, const char *name, const char *why)
{
	if (!u->bad)
		diag_error("%s: %s%s%s: nothing was unpacked", u->archive, name,
			   *name ? ": " : "", why);
	u->bad = true;
	return false;
}

/* Split "PATH/HEX". Return: HEX, with a NUL in front; NULL: it has another form. */
static char *split_folder(char *folder)
{
	char *hex = strrchr(folder, '/');

	if (!hex)
		return NULL;
	*hex++ = '\0';
	return buildid_is_hex(hex) && buildid_cache_path_good(folder) ? hex : NULL;
}

static bool is_link(const char *name, const char *target)
{
	_cleanup_free_ char *folder = xstrdup(target);
	char want[BUILDID_HEX + 32];
	const char *hex;

	if (strncmp(folder, "../../", 6))
		return false;
	hex = split_folder(folder + 6);
	if (!hex)
		return false;
	snprintf(want, sizeof(want), ".build-id/%.2s/%s", hex, hex + 2);
	return !strcmp(name, want);
}

/* Set @what to the name of a file in PATH/HEX. Return: false: it has another form. */
static bool is_file(const char *name, const char **what)
{
	_cleanup_free_ char *folder = xstrdup(name);
	char *slash = strrchr(folder, '/');
	u32 i;

	*slash = '\0';
	if (!split_folder(folder))
		return false;
	for (i = 0, *what = NULL; i < NR_ARCHIVE_FILES; i++)
		if (!strcmp(slash + 1, archive_files[i]))
			*what = archive_files[i];
	return true;
}

static bool begin_recording(struct unpacking *u, const char *name)
{
	if (name[0] == '-' || name[0] == '.' || !name[0] || !printable(name))
		return refuse(u, name, "this is no name of a recording");
	if (u->recording)
		return refuse(u, name, "a second recording");
	u->to = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	u->exists = u->to < 0 && errno == EEXIST;
	if (u->to < 0 && !u->exists)
		return refuse(u, name, strerror(errno));
	u->recording = xstrdup(name);
	return true;
}

static bool begin_file(struct unpacking *u, const char *name, const char *same)
{
	const char *what;
	char number[16];
	u32 i;

	if (!is_file(name, &what))
		return refuse(u, name, "this is no file of a build-id cache");
	/* What other versions of perf keep beside the files. */
	if (!what)
		return true;
	if (u->nr == MAX_MEMBERS)
		return refuse(u, "", "it has too many files");
	for (i = 0; same && i < u->nr && strcmp(u->members[i].name, same); i++)
		;
	if (same && i == u->nr)
		return refuse(u, name, "a link to a file that is not in it");
	if (!same) {
		snprintf(number, sizeof(number), "%u", u->nr);
		u->to = openat(u->dir, number, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (u->to < 0)
			return refuse(u, name, strerror(errno));
	}
	GROW(u->members, u->nr, u->cap);
	u->members[u->nr] = (struct member){ xstrdup(name), same ? u->members[i].file : u->nr };
	u->nr++;
	return true;
}

/* A number of octal digits. Return: UINT64_MAX: it is none, or has more than 8 GB. */
static u64 octal(const char *s, size_t len)
{
	u64 v = 0;
	size_t i;

	for (i = 0; i < len && s[i] == ' '; i++)
		;
	for (; i < len && s[i] && s[i] != ' '; i++) {
		if (s[i] < '0' || s[i] > '7')
			return UINT64_MAX;
		v = 8 * v + s[i] - '0';
	}
	return v;
}

static bool sum_right(const struct tar_head *h)
{
	const u8 *p = (const u8 *)h;
	u32 sum = 0, i;

	for (i = 0; i < BLOCK; i++)
		sum += i - offsetof(struct tar_head, sum) < sizeof(h->sum) ? ' ' : p[i];
	return octal(h->sum, sizeof(h->sum)) == sum;
}

/* Lines "LENGTH KEY=VALUE\n" before a member: its path and the target of its link. */
static bool take_pax(struct unpacking *u)
{
	const char *p = outbuf_text(&u->pax), *end = u->pax.pos;
	char *key;

	while (p < end) {
		size_t len = strtoul(p, &key, 10);
		struct outbuf *to = NULL;

		if (len < 5 || len > (size_t)(end - p) || *key != ' ' || key >= p + len ||
		    p[len - 1] != '\n')
			return refuse(u, "", "it is damaged");
		key++;
		if (!strncmp(key, "path=", 5))
			to = &u->name;
		else if (!strncmp(key, "linkpath=", 9))
			to = &u->link;
		if (to) {
			key = strchr(key, '=') + 1;
			to->pos = to->base;
			if (key < p + len)
				outbuf_write(to, key, p + len - 1 - key);
		}
		p += len;
	}
	u->pax.pos = u->pax.base;
	return true;
}

/* A name: of a member before this one, or of the head. */
static char *whole_name(struct outbuf *given, const char *prefix, const char *s, size_t size)
{
	char *name;

	if (outbuf_len(given)) {
		name = xstrdup(outbuf_text(given));
		given->pos = given->base;
	} else if (asprintf(&name, "%s%s%.*s", prefix, *prefix ? "/" : "", (int)size, s) < 0) {
		diag_fatal("out of memory");
	}
	return name;
}

static bool begin_member(struct unpacking *u)
{
	const struct tar_head *h = (const void *)u->head;
	char prefix[sizeof(h->prefix) + 1] = "";
	_cleanup_free_ char *whole = NULL, *link = NULL;
	const char *name;
	size_t len;

	if (!memcmp(h->magic, "ustar\0", 6))
		memcpy(prefix, h->prefix, sizeof(h->prefix));
	if (!u->head[0] && !outbuf_len(&u->name)) {
		u->ended = true;
		return true;
	}
	u->left = octal(h->size, sizeof(h->size));
	if (!sum_right(h) || u->left == UINT64_MAX)
		return refuse(u, "", "it is no archive of perf archive, or damaged");
	u->pad = -u->left % BLOCK;
	if (h->type && strchr("LKxg", h->type)) {
		u->text = h->type == 'L' ? &u->name : h->type == 'K' ? &u->link :
			  h->type == 'x' ? &u->pax : NULL;
		if (u->left > MAX_NAME)
			return refuse(u, "", "a name is too long");
		return true;
	}
	if (!take_pax(u))
		return false;
	whole = whole_name(&u->name, prefix, h->name, sizeof(h->name));
	link = whole_name(&u->link, "", h->link, sizeof(h->link));
	name = whole + (whole[0] == '.' && whole[1] == '/' ? 2 : 0);
	len = strlen(name);
	switch (h->type) {
	case '5':	/* folders are made for their files */
		return true;
	case '2':
		return is_link(name, link) || refuse(u, name, "a link to another place");
	case '1':
		if (!strchr(name, '/'))
			break;
		u->left = u->pad = 0;
		return begin_file(u, name, link);
	case '0':
	case '\0':
		if (len && name[len - 1] == '/')
			return true;
		return strchr(name, '/') ? begin_file(u, name, NULL) : begin_recording(u, name);
	}
	return refuse(u, name, "neither a file nor a link of a build-id cache");
}

static void end_member(struct unpacking *u)
{
	cleanup_close(&u->to);
	u->to = -1;
	/* A name of a member of its own ends with NUL or not. */
	if (u->text && u->text != &u->pax && outbuf_len(u->text) && !u->text->pos[-1])
		u->text->pos--;
	u->text = NULL;
}

static bool on_bytes(void *ctx, const char *p, size_t n)
{
	struct unpacking *u = ctx;
	size_t part;

	if (n > u->budget)
		return refuse(u, "", "it unpacks to more than 100 times its size");
	u->budget -= n;
	for (; n && !u->ended && !u->bad; p += part, n -= part) {
		if (u->left) {
			part = min(n, u->left);
			if (u->to >= 0 && write_all(u->to, p, part))
				return refuse(u, "", strerror(errno));
			if (u->text)
				outbuf_write(u->text, p, part);
			u->left -= part;
		} else if (u->pad) {
			part = min(n, u->pad);
			u->pad -= part;
		} else {
			part = min(n, (size_t)BLOCK - u->have);
			memcpy(u->head + u->have, p, part);
			u->have += part;
			if (u->have < BLOCK)
				continue;
			u->have = 0;
			if (!begin_member(u))
				return false;
		}
		if (!u->left)
			end_member(u);
	}
	return !u->bad;
}

/* The program that reads an archive, by its first bytes. */
static const char *reader_of(int fd)
{
	static const struct { const char *magic, *program; } kinds[] = {
		{ "BZh", "bzip2" }, { "\x1f\x8b", "gzip" }, { "\3757zXZ", "xz" },
		{ "\x28\xb5\x2f\xfd", "zstd" },
	};
	char head[8] = "";
	u32 i;

	if (pread(fd, head, sizeof(head) - 1, 0) < 0)
		return "cat";
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(head, kinds[i].magic, strlen(kinds[i].magic)))
			return kinds[i].program;
	return "cat";
}

/* Read the archive. Return: the exit status. */
static int read_stream(struct unpacking *u, int fd)
{
	const char *program = reader_of(fd);
	char *const argv[] = { (char *)program, strcmp(program, "cat") ? "-dc" : NULL, NULL };
	_cleanup_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const struct child c = {
		.program = program, .argv = argv, .in = fd, .out = CHILD_READ, .err = null,
		.what = "archive", .bytes = on_bytes, .ctx = u,
	};
	int status = child_run(&c);

	if (u->bad)
		return 1;
	if (status == -EINTR)
		return 130;
	if (status > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return !refuse(u, program, "it can't be run: install it");
	if (status || !u->ended)
		return !refuse(u, "", "it is no archive of perf archive, or damaged");
	return 0;
}

/* Give a file its name. Return: 0 or -errno; one that the cache has stays. */
static int put_member(struct unpacking *u, const struct member *m)
{
	_cleanup_free_ char *folder = xstrdup(m->name), *target = NULL, *path = NULL;
	char *what = strrchr(folder, '/') + 1, *hex, number[16];
	_cleanup_close_ int dir = -1;

	what[-1] = '\0';
	hex = split_folder(folder);
	if (buildid_cache_has(&u->cache, hex, what))
		return 0;
	/* Files of a build-id are in one folder. */
	target = buildid_cache_target(&u->cache, hex);
	path = xstrdup(target ?: folder);
	if (target)
		*strrchr(path, '/') = '\0';
	dir = buildid_cache_folder(&u->cache, path, hex);
	if (dir < 0)
		return dir;
	snprintf(number, sizeof(number), "%u", m->file);
	if (linkat(u->dir, number, dir, what, 0) && errno != EEXIST)
		return -errno;
	return target ? 0 : buildid_cache_link(&u->cache, path, hex);
}

static int put_all(struct unpacking *u)
{
	u32 i;
	int err = 0;

	for (i = 0; i < u->nr && !err; i++)
		err = put_member(u, &u->members[i]);
	if (err)
		return -diag_error("%s: %s can't be added to %s: %s", u->archive, u->members[i - 1].name,
				   u->cache.dir, strerror(-err));
	if (u->exists) {
		diag_error("%s: its files are in %s; its recording is not unpacked: ./%s exists",
			   u->archive, u->cache.dir, u->recording);
		return 1;
	}
	printf("%s: its files are in %s%s%s\n", u->archive, u->cache.dir,
	       u->recording ? ", the recording is ./" : "", u->recording ?: "");
	return 0;
}

static int make_folder(struct unpacking *u)
{
	snprintf(u->folder, sizeof(u->folder), ".unpack.%d", getpid());
	if (mkdirat(u->cache.fd, u->folder, 0700) && errno != EEXIST)
		return -errno;
	u->dir = openat(u->cache.fd, u->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return u->dir < 0 ? -errno : 0;
}

static void remove_folder(struct unpacking *u)
{
	char number[16];
	u32 i;

	for (i = 0; i < u->nr; i++) {
		snprintf(number, sizeof(number), "%u", i);
		unlinkat(u->dir, number, 0);
		free(u->members[i].name);
	}
	free(u->members);
	cleanup_close(&u->dir);
	unlinkat(u->cache.fd, u->folder, AT_REMOVEDIR);
}

int archive_unpack(const char *path)
{
	struct unpacking u = { .archive = path, .to = -1, .dir = -1 };
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, 0, &st);
	int err, status = 1;

	if (fd < 0)
		return -diag_error("%s: %s: perf archive makes such a file", path,
				   fd == -ENOEXEC ? "no regular file" : strerror(-fd));
	u.budget = BUDGET(st.st_size);
	err = buildid_cache_open(&u.cache, NULL, true) ?: make_folder(&u);
	if (err) {
		cache_failed(&u.cache, err);
		buildid_cache_close(&u.cache);
		return 1;
	}
	status = read_stream(&u, fd);
	cleanup_close(&u.to);
	if (!status)
		status = put_all(&u);
	else if (u.recording && !u.exists)
		unlink(u.recording);
	remove_folder(&u);
	free(u.recording);
	outbuf_deinit(&u.name);
	outbuf_deinit(&u.link);
	outbuf_deinit(&u.pax);
	buildid_cache_close(&u.cache);
	return status;
}
