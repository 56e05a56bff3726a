// SPDX-License-Identifier: GPL-2.0
/*
 * Read with one read() loop and parsed by hand: a kernel with its modules has
 * 200,000 lines and more.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "symbol/kallsyms.h"

/* More than any kernel's list: a wrong file must not eat all memory. */
#define KALLSYMS_MAX (512u << 20)

struct entry {
	u64 addr;
	const char *name;
	const char *module;	/* "[ext4]" or NULL */
	char type;
};

struct kallsyms {
	char *text;
	struct entry *entries;
	u32 nr, cap;
};

static int read_all(const char *path, char **text, size_t *size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_free_ char *buf = NULL;
	size_t nr = 0, cap = 1 << 20;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > KALLSYMS_MAX)
		return -EFBIG;
	cap = max(cap, (size_t)st.st_size + 1);
	buf = xmalloc(cap);
	for (;;) {
		n = read(fd, buf + nr, cap - nr - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		nr += n;
		if (nr > KALLSYMS_MAX)
			return -EFBIG;
		if (nr + 1 == cap) {
			cap *= 2;
			buf = xrealloc(buf, cap);
		}
	}
	buf[nr] = 0;
	*text = no_free(buf);
	*size = nr;
	return 0;
}

static const s8 *hex_values(void)
{
	static const s8 v[256] = {
		['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
		['a'] = 11, 12, 13, 14, 15, 16, ['A'] = 11, 12, 13, 14, 15, 16,
	};

	return v;
}

/* One line, NUL-terminated here. Return: whether it is one of such a list. */
static bool parse_line(char *p, char *end, struct entry *e)
{
	const s8 *hex = hex_values();
	char *start = p;

	e->addr = 0;
	for (; hex[(u8)*p]; p++)
		e->addr = e->addr << 4 | (hex[(u8)*p] - 1);
	if (p == start || p - start > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	e->type = p[1];
	e->name = p + 3;
	e->module = NULL;
	*end = 0;
	p = memchr(e->name, '\t', end - e->name);
	if (p) {
		*p = 0;
		e->module = p + 1;
	}
	return true;
}

int kallsyms_read(const char *path, struct kallsyms **out)
{
	struct kallsyms *k = xcalloc(1, sizeof(*k));
	char *p, *nl, *end;
	bool somewhere = false;
	size_t size = 0;
	int err;

	err = read_all(path, &k->text, &size);
	if (err)
		goto fail;
	for (p = k->text, end = p + size; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		GROW(k->entries, k->nr, k->cap);
		if (!parse_line(p, nl, &k->entries[k->nr]))
			continue;
		somewhere |= k->entries[k->nr++].addr != 0;
	}
	err = !k->nr ? -EBADMSG : !somewhere ? -EPERM : 0;
	if (err)
		goto fail;
	*out = k;
	return 0;
fail:
	kallsyms_destroy(k);
	return err;
}

void kallsyms_destroy(struct kallsyms *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->entries);
	free(k);
}

static bool same_module(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool kallsyms_take(struct kallsyms *k, const char *module, struct symtab *tab)
{
	const struct entry *e;
	bool code;

	for (e = k->entries; e < k->entries + k->nr; e++) {
		if (!same_module(e->module, module))
			continue;
		if (e->name[0] == '$')	/* ARM's mapping symbols */
			continue;
		switch (e->type) {
		case 'T': case 't': case 'W': case 'w':
			code = true;
			break;
		case 'D': case 'd': case 'B': case 'b': case 'R': case 'r':
			code = false;			/* but code ends here */
			break;
		default:
			continue;
		}
		symtab_add(tab, e->addr, e->addr, code ? e->name : NULL,
			   e->type == 'T' ? STB_GLOBAL :
			   e->type == 't' ? STB_LOCAL : STB_WEAK);
	}
	symtab_finish(tab, CHOOSE_LAST, NULL, 0);
	return tab->nr;
}

u64 kallsyms_address(struct kallsyms *k, const char *name)
{
	const struct entry *e;

	for (e = k->entries; e < k->entries + k->nr; e++)
		if (!e->module && !strcmp(e->name, name))
			return e->addr;
	return 0;
}
