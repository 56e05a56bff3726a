// SPDX-License-Identifier: GPL-2.0
/*
 * The recording is read once more when it is over: where do its user callchains end? One line says
 * how many were cut, and in which files, if they are more than one in a hundred, or
 * if one in ten ends where no file is mapped.
 *
 * A callchain that was cut ends in code that has a caller: its file says so (chain_end.c). What
 * the file does not say counts as whole, so that nothing is said that is not true. Of copies of stacks
 * the first ones are walked: that takes longer than the rest.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sysfs.h"
#include "cmd/chain_end.h"
#include "cmd/record/cut.h"
#include "session/session.h"

#define MIN_CUT		10
#define FILES_SHOWN	3
#define WALKED		500	/* copies of stacks: enough for a percentage */

struct cut_file {
	struct dso *dso;
	u64 nr;
};

struct cuts {
	struct session *session;
	struct chain_ends *ends;
	const struct tables *tables;
	u64 chains, cut, deep;
	u32 max_stack, copied;
	struct hash by_dso;	/* index + 1 */
	u64 nowhere;		/* end in no file: cut, too, where others are, or where they are many */
	struct cut_file *files;
	u32 nr_files, cap_files;
};

static void add(struct cuts *c, struct dso *d)
{
	u64 *at = hash_insert(&c->by_dso, (uintptr_t)d, 0, NULL);

	if (!*at) {
		GROW(c->files, c->nr_files, c->cap_files);
		c->files[c->nr_files] = (struct cut_file){ .dso = d };
		*at = ++c->nr_files;
	}
	c->files[*at - 1].nr++;
	c->cut++;
}

static int on_sample(void *ctx, const struct sample *s, const struct callchain *cc, const struct thread *t)
{
	const struct chain_span *span = cc->nr_spans ? &cc->spans[cc->nr_spans - 1] : NULL;
	struct cuts *c = ctx;
	struct timeline *tl = c->session->timeline;
	const struct space *sp;
	const struct map *m;
	u64 ip, off;

	if (!span || span->cpumode != PERF_RECORD_MISC_USER || !span->nr)
		return 0;
	if (c->copied && c->chains == WALKED)
		return 1;
	c->chains++;
	if (span->nr + cc->nr_spans - 1 >= c->max_stack) {
		c->deep++;
		return 0;
	}
	ip = span->ips[span->nr - 1];
	sp = timeline_space(tl, t, span->cpumode, span->time);
	m = sp ? space_find(tl, sp, ip, span->time, NULL) : NULL;
	off = m ? ip - m->start + m->pgoff : 0;
	if (!c->tables && m && span->nr > 1 && chain_end_is_start(m->dso, off, false))
		return 0;
	switch (chain_end(c->ends, m ? m->dso : NULL, off, span->nr > 1)) {
	case CHAIN_CUT:
		add(c, m->dso);
		break;
	case CHAIN_NOWHERE:
		c->nowhere++;
		break;
	default:
		break;
	}
	return 0;
}

static int most_first(const void *a, const void *b)
{
	const struct cut_file *x = a, *y = b;

	return x->nr < y->nr ? 1 : x->nr > y->nr ? -1 : 0;
}

static void say(struct cuts *c)
{
	char text[2048] = "", how[160] = "";
	u64 all = c->cut + c->nowhere + c->deep;
	const char *why;
	size_t len = 0;
	u32 i;

	if (c->nr_files)
		qsort(c->files, c->nr_files, sizeof(*c->files), most_first);
	for (i = 0; i < c->nr_files && i < FILES_SHOWN; i++) {
		const struct cut_file *f = &c->files[i];

		why = c->tables && f->dso->kind == DSO_USER ? tables_why(c->tables, f->dso->path) : NULL;
		len += snprintf(text + len, sizeof(text) - len, ", %llu in %.200s%s%.200s%s", f->nr, f->dso->name,
				why ? " (" : "", why ? why : "", why ? ")" : "");
	}
	if (c->nr_files > FILES_SHOWN)
		len += snprintf(text + len, sizeof(text) - len, ", ...");
	if (c->nowhere)
		len += snprintf(text + len, sizeof(text) - len, ", %llu at addresses of no file", c->nowhere);
	if (c->deep)
		snprintf(text + len, sizeof(text) - len, ", %llu deeper than kernel.perf_event_max_stack", c->deep);
	if (c->copied)
		snprintf(how, sizeof(how), ". %u bytes of each stack were copied: --call-graph dwarf,BYTES copies more",
			 c->copied);
	else if (!c->tables)
		snprintf(how, sizeof(how), ". Programs without frame pointers want --call-graph %s",
			 access("/proc/sys/kernel/unwind_table_max_kb", F_OK) ? "dwarf on this kernel" : "table");
	fprintf(stderr, "[ perf record: %llu of %s%llu user callchains (%.0f %%) are cut: %s%s ]\n", all,
		c->chains == WALKED && c->copied ? "the first " : "", c->chains, 100.0 * all / c->chains, text + 2, how);
}

static u32 max_stack(void)
{
	char text[32];

	if (read_text("/proc/sys/kernel/perf_event_max_stack", text, sizeof(text)) <= 0)
		return 127;
	return strtoul(text, NULL, 10);
}

void record_cut(const char *path, const struct tables *tables, u32 copied)
{
	const struct session_config cfg = { .input = path, .force = true, .no_progress = true, .no_unwind = !copied,
					    .no_chain_warning = true };
	const struct session_ops ops = { .sample = on_sample };
	struct cuts c = { .max_stack = copied ? UINT32_MAX : max_stack(), .tables = tables, .copied = copied };
	struct error *e = session_open(&cfg, &c.session);

	if (e) {
		error_free(e);
		return;
	}
	c.ends = chain_ends_create();
	if (session_run(c.session, &ops, &c) >= 0 &&
	    ((c.cut + c.deep >= MIN_CUT && 100 * (c.cut + c.deep) > c.chains) ||
	     (c.nowhere >= MIN_CUT && 10 * c.nowhere > c.chains)))
		say(&c);
	chain_ends_destroy(c.ends);
	session_close(c.session);
	hash_deinit(&c.by_dso);
	free(c.files);
}
