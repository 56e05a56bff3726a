// SPDX-License-Identifier: GPL-2.0
/*
 * Reads kallsyms in pieces with a parser of its own: a kernel with modules has 200,000 lines
 * and more. Keeps only names of code.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/text.h"
#include "symbol/kallsyms.h"

/* Limit of the list's size, larger than any kernel's, to bound memory for a wrong file. */
#define KALLSYMS_MAX (512u << 20)

struct listed_symbol {
	u64 addr;
	u32 name;		/* offset in names; 0: data, without a name */
	char type;
};

/* A run of consecutive entries of one module. */
struct module_run {
	u32 module;		/* offset in names of "[ext4]"; 0: the kernel itself */
	u32 first;		/* index of the first entry */
};

struct kallsyms {
	char *names;
	size_t nr_names, cap_names;
	struct listed_symbol *entries;
	u32 nr, cap;
	struct module_run *runs;
	u32 nr_runs, cap_runs;
	int seen;		/* the highest of parse_line()'s results */
};

const char *hex_number(const char *p, const char *end, u64 *v)
{
	static const s8 hex[256] = {
		['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
		['a'] = 11, 12, 13, 14, 15, 16, ['A'] = 11, 12, 13, 14, 15, 16,
	};

	for (*v = 0; p < end && hex[(u8)*p]; p++)
		*v = *v << 4 | (hex[(u8)*p] - 1);
	return p;
}

static u32 add_name(struct kallsyms *k, const char *s, size_t len)
{
	u32 at = k->nr_names;

	if (k->nr_names + len + 1 > k->cap_names) {
		k->cap_names = 2 * k->cap_names + len + (64 << 10);
		k->names = xrealloc(k->names, k->cap_names);
	}
	memcpy(k->names + at, s, len);
	k->names[at + len] = 0;
	k->nr_names += len + 1;
	return at;
}

/* Set the module of an entry. Most lines have the module of the previous line. */
static void set_module(struct kallsyms *k, const char *s, size_t len)
{
	const char *last = k->nr_runs ? k->names + k->runs[k->nr_runs - 1].module : NULL;

	if (last && strlen(last) == len && !memcmp(last, s, len))
		return;
	GROW(k->runs, k->nr_runs, k->cap_runs);
	k->runs[k->nr_runs++] = (struct module_run){ len ? add_name(k, s, len) : 0, k->nr };
}

/* Parse a line. Return: 0: not a line of kallsyms; 1: its address is 0; 2: it has an address. */
static int parse_line(struct kallsyms *k, const char *p, const char *end)
{
	const char *start = p, *tab, *module;
	struct listed_symbol e = { 0 };

	p = hex_number(p, end, &e.addr);
	if (p == start || p - start > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return 0;
	e.type = p[1];
	p += 3;
	/* Data end the code before them. ARM's mapping symbols begin with $. */
	if (*p == '$' || !e.type || !strchr("TtWwDdBbRr", e.type))
		return e.addr ? 2 : 1;
	tab = memchr(p, '\t', end - p);
	module = tab ? tab + 1 : end;
	set_module(k, module, end - module);
	if (strchr("TtWw", e.type))
		e.name = add_name(k, p, (tab ? tab : end) - p);
	GROW(k->entries, k->nr, k->cap);
	k->entries[k->nr++] = e;
	return e.addr ? 2 : 1;
}

static void on_line(void *priv, const char *start, const char *end)
{
	struct kallsyms *k = priv;
	int seen = parse_line(k, start, end);

	k->seen = max(k->seen, seen);
}

static int read_list(struct kallsyms *k, const char *path)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, 0, &st);

	if (fd < 0)
		return fd == -ENOEXEC ? -EINVAL : fd;
	if (st.st_size > KALLSYMS_MAX)
		return -EFBIG;
	return min(lines_read(fd, KALLSYMS_MAX, on_line, k), (s64)0);
}

int kallsyms_read(const char *path, struct kallsyms **out)
{
	struct kallsyms *k = xcalloc(1, sizeof(*k));
	int err;

	/* Reserve offset 0: it means no name. */
	add_name(k, "", 0);
	err = read_list(k, path);
	if (!err && k->seen < 2)
		err = k->seen ? -EPERM : -EBADMSG;
	if (err) {
		kallsyms_destroy(k);
		return err;
	}
	*out = k;
	return 0;
}

void kallsyms_destroy(struct kallsyms *k)
{
	if (!k)
		return;
	free(k->names);
	free(k->entries);
	free(k->runs);
	free(k);
}

/* The end of a run, exclusive. */
static u32 run_end(const struct kallsyms *k, u32 run)
{
	return run + 1 < k->nr_runs ? k->runs[run + 1].first : k->nr;
}

static void take_run(struct kallsyms *k, u32 run, struct symtab *tab)
{
	u32 i;

	for (i = k->runs[run].first; i < run_end(k, run); i++) {
		const struct listed_symbol *e = &k->entries[i];

		symtab_add(tab, e->addr, e->addr, e->name ? k->names + e->name : NULL,
			   e->type == 'T' ? STB_GLOBAL :
			   e->type == 't' ? STB_LOCAL : STB_WEAK);
	}
}

bool kallsyms_take(struct kallsyms *k, const char *module, struct symtab *tab)
{
	const char *wanted = module ? module : "";
	u32 run;

	for (run = 0; run < k->nr_runs; run++) {
		if (!strcmp(k->names + k->runs[run].module, wanted))
			take_run(k, run, tab);
	}
	symtab_finish(tab, CHOOSE_LAST, NULL, 0);
	return tab->nr;
}

int kallsyms_keep(const struct buildid_cache *c, const char *hex)
{
	static const char own[] = "/proc/kallsyms";
	struct kallsyms *k;
	int err;

	if (!buildid_cache_has(c, hex, "kallsyms")) {
		err = kallsyms_read(own, &k);
		if (err)
			return err;
		kallsyms_destroy(k);
	}
	return buildid_cache_add(c, own, "[kernel.kallsyms]", hex, "kallsyms");
}

u64 kallsyms_address(struct kallsyms *k, const char *name)
{
	u32 run, i;

	for (run = 0; run < k->nr_runs; run++) {
		if (k->runs[run].module)
			continue;
		for (i = k->runs[run].first; i < run_end(k, run); i++) {
			if (k->entries[i].name && !strcmp(k->names + k->entries[i].name, name))
				return k->entries[i].addr;
		}
	}
	return 0;
}
