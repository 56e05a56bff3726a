// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of incomplete user callchains. Callchains are counted by address and reason of their
 * end, which are few; chain_end() classifies them when the result is requested. It is given a
 * session and its samples, and owns the counted addresses and files. The table of language runtimes
 * is here.
 */
#include <ctype.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/sysfs.h"
#include "cmd/cut_chains.h"
#include "event/event.h"
#include "measure/kernel_features.h"
#include "unwind/dwarf_unwind.h"

#define MIN_CUT		10
#define FILES_SHOWN	3
#define DEFAULT_LIMIT	127	/* the default of kernel.perf_event_max_stack */

/* Callchains with one end address. */
struct cut_place {
	struct dso *dso;	/* NULL: not in code */
	u64 off;
	u32 runtime;		/* that made the code while it ran; 0: none that is known */
	u64 nr[2 * WALK_STOPS];	/* by reason; from WALK_STOPS on: callchains with a single entry */
};

/* Incomplete callchains by file and reason. */
struct cut_file {
	struct dso *dso;	/* NULL: in no file */
	u32 runtime;
	enum chain_end end;
	u64 nr;
};

struct cuts {
	struct session *session;
	u32 limit;		/* maximum number of frames in the kernel's callchains */
	struct hash by_place;	/* index + 1 */
	struct hash runtimes;	/* by a file of code made at run time: runtime + 1 */
	struct cut_place *places;
	u32 nr_places, cap_places;
	u64 whole;		/* complete callchains, not in by_place */
	u64 settled;		/* callchains of cuts_settle() */
	/* This user can record with tables, on the recorded machine (a walker may not ask). */
	bool takes_tables;
	/* Results of cuts_percent(); files by callchains, descending */
	bool is_judged;
	u64 chains, cut, by_end[CHAIN_ENDS];
	struct cut_file *files;
	u32 nr_files, cap_files;
};

/* The limit: the sysctl's value if recorded on this machine; else the default. */
static u32 frame_limit(const struct session *s)
{
	char text[32];

	if (!s->recorded_here || read_text("/proc/sys/kernel/perf_event_max_stack", text, sizeof(text)) <= 0)
		return DEFAULT_LIMIT;
	return strtoul(text, NULL, 10);
}

struct cuts *cuts_create(struct session *s)
{
	struct cuts *c = xcalloc(1, sizeof(*c));

	c->session = s;
	c->takes_tables =
		s->recorded_here && kernel_allows(false) && kernel_has(KERNEL_UNWIND_TABLE);
	c->limit = frame_limit(s);
	return c;
}

static void forget_places(struct cuts *c)
{
	hash_deinit(&c->by_place);
	hash_deinit(&c->runtimes);
	free(c->places);
	free(c->files);
	c->places = NULL;
	c->files = NULL;
	c->nr_places = c->cap_places = c->nr_files = c->cap_files = 0;
}

void cuts_destroy(struct cuts *c)
{
	if (!c)
		return;
	forget_places(c);
	free(c);
}

/* Code made at run time, or a file of it by perf inject --jit. */
static bool is_jit(const struct dso *d)
{
	return d && (d->kind == DSO_ANON || !strncmp(d->short_name, "jitted-", 7));
}

static struct cut_place *place_of(struct cuts *c, struct dso *d, u64 off)
{
	u64 *at = hash_insert(&c->by_place, d ? d->id + 1ULL : 0, off, NULL);

	if (!*at) {
		GROW(c->places, c->nr_places, c->cap_places);
		c->places[c->nr_places] = (struct cut_place){ .dso = d, .off = off };
		*at = ++c->nr_places;
	}
	return &c->places[*at - 1];
}

void cuts_merge(struct cuts *c, const struct cuts *from)
{
	u32 i, k;

	c->whole += from->whole;
	for (i = 0; i < from->nr_places; i++) {
		struct cut_place *p = place_of(c, from->places[i].dso, from->places[i].off);

		p->runtime = from->places[i].runtime;
		for (k = 0; k < ARRAY_SIZE(p->nr); k++)
			p->nr[k] += from->places[i].nr[k];
	}
}

/* Does the event have walked user callchains? */
static bool is_walked(const struct perf_event_attr *a)
{
	return (a->sample_type & PERF_SAMPLE_STACK_USER) ||
	       ((a->sample_type & PERF_SAMPLE_CALLCHAIN) && !a->exclude_callchain_user);
}

/* Has a callchain by the kernel reached the limit? A deferred user half has its own limit. */
static bool is_at_limit(const struct cuts *c, const struct event *ev, const struct callchain *cc)
{
	const struct perf_event_attr *a = &ev->attr;
	u32 limit = a->sample_max_stack ? a->sample_max_stack : c->limit, nr = 0, i;

	if (ev->stack_copied == STACK_IN_PLACE)
		return cc->spans[cc->nr_spans - 1].nr == IN_PLACE_FRAMES;
	for (i = cc->user_half ? cc->nr_spans - 1 : 0; i < cc->nr_spans; i++)
		nr += cc->spans[i].nr;
	return nr == limit;
}

static bool is_code(const struct map *m)
{
	/* MMAP records (unlike MMAP2) have no protection: they are of code only. */
	return m && m->dso && (!m->prot || (m->prot & PROT_EXEC));
}

/* The runtime in a process that made code. */
static u32 runtime_in(struct cuts *c, const struct dso *d, const struct space *sp, u64 time)
{
	u64 *at = hash_insert(&c->runtimes, d->id, 0, NULL);

	if (!*at)
		*at = 1 + space_search(c->session->timeline, sp, time, runtime_of);
	return *at - 1;
}

void cuts_count(struct cuts *c, const struct visit *v)
{
	const struct callchain *cc = v->chain;
	const struct thread *t = v->thread;
	const struct sample *s = v->sample;
	const struct chain_span *span = cc->nr_spans ? &cc->spans[cc->nr_spans - 1] : NULL;
	const struct perf_event_attr *a = &s->event->attr;
	const struct map *m = NULL;
	struct walk_end w = { .dso = NULL };
	struct cut_place *place;
	const struct space *sp;
	u32 i;

	if (!span || span->cpumode != PERF_RECORD_MISC_USER || !is_walked(a))
		return;
	/* Most callchains are complete; that is known without symbols. */
	if (cc->user_half == USER_HALF_UNWOUND && cc->stop == WALK_OUTERMOST) {
		c->whole++;
		return;
	}
	sp = timeline_space(c->session->timeline, t, span->cpumode, span->time);
	for (i = span->nr; i; i--) {
		/* Not by a frame: it has a symbol, and to read those takes time. */
		m = !sp ? NULL : space_find(c->session->timeline, sp, span->ips[i - 1],
					    span->time, NULL);
		if (is_code(m))
			break;
	}
	if (i) {
		w.dso = m->dso;
		w.off = span->ips[i - 1] - m->start + m->pgoff;
		w.single = i == 1;
	}
	if (cc->user_half == USER_HALF_BRANCHES || cc->user_half == USER_HALF_UNWOUND) {
		w.stop = cc->stop;
	} else if (s->event->stack_copied && s->event->stack_copied != STACK_IN_PLACE) {
		w.stop = WALK_EARLIER;
	} else if (is_at_limit(c, s->event, cc)) {
		w.stop = WALK_LIMIT;
	} else {
		w.stop = i < span->nr ? WALK_ASTRAY : WALK_UNTOLD;
	}
	/* Entries of our own walks are in the call, in front of the return address. */
	if (s->event->stack_copied && cc->user_half == USER_HALF_OWN)
		w.off += i > 1;
	place = place_of(c, w.dso, w.off);
	place->nr[w.stop + (w.single ? WALK_STOPS : 0)]++;
	if (is_jit(w.dso))
		place->runtime = runtime_in(c, w.dso, sp, span->time);
}

u64 cuts_in_jit(const struct cuts *c)
{
	const struct cut_place *p;
	u64 nr = 0;
	u32 k;

	for (p = c->places; p < c->places + c->nr_places; p++)
		for (k = 0; is_jit(p->dso) && k < ARRAY_SIZE(p->nr); k++)
			nr += p->nr[k];
	return nr;
}

/* The code that one runtime made in all processes counts as one file. */
static void add_cut(struct cuts *c, struct hash *by_file, const struct cut_place *p,
		    enum chain_end end, u64 nr)
{
	u64 key = !p->dso ? 0 : is_jit(p->dso) ? UINT64_MAX - p->runtime : p->dso->id + 1ULL;
	u64 *at = hash_insert(by_file, key, end, NULL);

	if (!*at) {
		GROW(c->files, c->nr_files, c->cap_files);
		c->files[c->nr_files] = (struct cut_file){ p->dso, p->runtime, end, 0 };
		*at = ++c->nr_files;
	}
	c->files[*at - 1].nr += nr;
	c->by_end[end] += nr;
	c->cut += nr;
}

static const char *cut_file_name(const struct cut_file *f)
{
	return !f->dso ? "" : is_jit(f->dso) ? "code made at run time" : f->dso->name;
}

static int most_first(const void *a, const void *b)
{
	const struct cut_file *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	return strcmp(cut_file_name(x), cut_file_name(y)) ?: (int)x->runtime - (int)y->runtime;
}

static void judge(struct cuts *c)
{
	struct chain_ends *ends = chain_ends_create();
	_cleanup_hash_ struct hash by_file = { 0 };
	u32 i, k;

	c->chains = c->whole + c->settled;
	for (i = 0; i < c->nr_places; i++) {
		const struct cut_place *p = &c->places[i];

		for (k = 0; k < ARRAY_SIZE(p->nr); k++) {
			struct walk_end w = { p->dso, p->off, k >= WALK_STOPS, k % WALK_STOPS };
			enum chain_end end;

			if (!p->nr[k])
				continue;
			c->chains += p->nr[k];
			end = chain_end(ends, &w);
			if (end != CHAIN_WHOLE)
				add_cut(c, &by_file, p, end, p->nr[k]);
		}
	}
	chain_ends_destroy(ends);
	if (c->nr_files)
		qsort(c->files, c->nr_files, sizeof(*c->files), most_first);
	c->is_judged = true;
}

void cuts_settle(struct cuts *c)
{
	judge(c);
	c->settled = c->chains - c->whole;
	c->is_judged = false;
	forget_places(c);
}

void cuts_go_on(struct cuts *c, struct session *s)
{
	c->session = s;
}

double cuts_percent(struct cuts *c)
{
	u64 nowhere;

	if (!c->is_judged)
		judge(c);
	nowhere = c->by_end[CHAIN_CUT_UNMAPPED];
	if ((c->cut - nowhere < MIN_CUT || 100 * (c->cut - nowhere) <= c->chains) &&
	    (nowhere < MIN_CUT || 10 * nowhere <= c->chains))
		return 0;
	return 100.0 * c->cut / c->chains;
}

u64 cuts_numbers(const struct cuts *c, u64 *chains)
{
	*chains = c->chains;
	return c->cut;
}

/* Were the callchains walked by tables, in the kernel or by a BPF program? */
static bool by_tables(const struct cuts *c)
{
	const struct event_list *list = c->session->events;
	bool any = false;
	u32 i;

	for (i = 0; i < list->nr; i++)
		any |= attr_flags(&list->events[i]->attr) & ATTR_DEFER_CALLCHAIN || list->events[i]->stack_copied == STACK_IN_PLACE;
	return any;
}

static const char *words(const struct cuts *c, enum chain_end end)
{
	static const char *const text[CHAIN_ENDS] = {
		[CHAIN_CUT_COPY] = "where the copy of the stack ends",
		[CHAIN_CUT_FAR] = "where the stack extends beyond the largest copy, or changes to another stack",
		[CHAIN_CUT_NO_CFI] = "in code without call frame information",
		[CHAIN_CUT_NO_FILE] = "in files that are not here",
		[CHAIN_CUT_UNMAPPED] = "at addresses where no known mapping is",
		[CHAIN_CUT_BAD_FRAME] = "at frames that do not fit their code",
		[CHAIN_CUT_BRANCHES] = "after as many calls as the processor keeps (lbr)",
		[CHAIN_CUT_LIMIT] = "at the largest number of frames",
	};

	if (end == CHAIN_CUT_KERNEL)
		return by_tables(c) ? "in code without unwind table or frame pointers" : "in code without frame pointers";
	return text[end];
}

/* The most frequent reason not in @done; CHAIN_WHOLE: none. */
static enum chain_end next_end(const struct cuts *c, u32 done)
{
	enum chain_end end, best = CHAIN_WHOLE;

	for (end = CHAIN_WHOLE + 1; end < CHAIN_ENDS; end++)
		if (c->by_end[end] && !(done >> end & 1) && (!best || c->by_end[end] > c->by_end[best]))
			best = end;
	return best;
}

static void advise_kernel(const struct cuts *c, struct outbuf *o)
{
	if (by_tables(c))
		outbuf_puts(o, ". perf unwind FILE prints the code that a table does not cover");
	else
		outbuf_printf(o, ". Record with --call-graph %s", c->takes_tables ? "table" : "live");
}

static void advise_copy(const struct cuts *c, bool far, struct outbuf *o)
{
	const struct event_list *list = c->session->events;
	bool live = false;
	u32 copy = 0, i;

	for (i = 0; i < list->nr; i++) {
		u32 copied = list->events[i]->stack_copied;

		if (copied == STACK_IN_PLACE)
			continue;
		copy = max(copy, max(list->events[i]->attr.sample_stack_user, copied));
		live |= copied;
	}
	if (!far)
		outbuf_printf(o, ". %u bytes of each stack were copied: record with --call-graph %s,%u", copy,
			      live ? "live" : "dwarf",
			      min(max(4 * copy, 8192U), (u32)DWARF_MAX_COPY));
	else if (c->takes_tables)
		outbuf_puts(o, ". Record with --call-graph table");
	else
		outbuf_puts(o, ". Programs that keep frame pointers (Go; gcc -fno-omit-frame-pointer) have whole "
			    "callchains with --call-graph fp");
}

static void advise_limit(const struct cuts *c, struct outbuf *o)
{
	const struct event_list *list = c->session->events;
	bool given = false;
	u32 i;

	for (i = 0; i < list->nr; i++)
		given |= list->events[i]->attr.sample_max_stack;
	if (list->sample_type & PERF_SAMPLE_STACK_USER || (list->nr && list->events[0]->stack_copied == STACK_IN_PLACE))
		return;
	if (given)
		outbuf_puts(o, ". Record with a larger max-stack");
	else if (!geteuid())
		outbuf_printf(o, ". Before recording: sysctl kernel.perf_event_max_stack=%u", 4 * c->limit);
	else
		outbuf_puts(o, ". Record with --call-graph live, or have root raise kernel.perf_event_max_stack");
}

/* Append a remedy for the most frequent reason, on this machine and for this user. */
static void advise(const struct cuts *c, enum chain_end end, struct outbuf *o)
{
	switch (end) {
	case CHAIN_CUT_KERNEL:
		advise_kernel(c, o);
		break;
	case CHAIN_CUT_COPY:
	case CHAIN_CUT_FAR:
		advise_copy(c, end == CHAIN_CUT_FAR, o);
		break;
	case CHAIN_CUT_NO_CFI:
		outbuf_puts(o, ". Build it with -fasynchronous-unwind-tables, or install its debug package");
		break;
	case CHAIN_CUT_NO_FILE:
		outbuf_puts(o, ". Read it where it was recorded, or with --symfs and a folder that has them");
		break;
	case CHAIN_CUT_BRANCHES:
		outbuf_printf(o, ". Record with --call-graph %s", c->takes_tables ? "table" : "live");
		break;
	case CHAIN_CUT_LIMIT:
		advise_limit(c, o);
		break;
	default:
		break;
	}
}

/* Append a remedy for each runtime in whose code a tenth of these callchains ends. */
static void advise_jit(const struct cuts *c, enum chain_end end, struct outbuf *o)
{
	const struct runtime *r;
	u32 i;

	for (i = 0; i < c->nr_files; i++) {
		const struct cut_file *f = &c->files[i];

		if (f->end != end || !is_jit(f->dso) || 10 * f->nr < c->by_end[end])
			continue;
		r = runtime_at(f->runtime);
		outbuf_printf(o, ". %s", r && r->whole ? r->whole :
			      "The runtime must keep frame pointers");
	}
}

void cuts_text(const struct cuts *c, const char *(*why)(const void *ctx, const char *path), const void *ctx,
	       struct outbuf *o)
{
	enum chain_end end, first = next_end(c, 0);
	const struct cut_file *most = NULL;
	u32 done = 0, i, nr;
	bool no_rule;		/* nothing says how to unwind the code */

	outbuf_printf(o, "%llu of %llu user callchains (%.0f %%) are cut", c->cut, c->chains, 100.0 * c->cut / c->chains);
	for (end = first; end != CHAIN_WHOLE; end = next_end(c, done)) {
		outbuf_printf(o, "%s %llu %s", done ? "," : ":", c->by_end[end], words(c, end));
		done |= 1U << end;
		for (i = nr = 0; i < c->nr_files; i++) {
			const struct cut_file *f = &c->files[i];
			const char *more = NULL;

			if (f->end != end || !f->dso)
				continue;
			if (end == CHAIN_CUT_NO_FILE)
				more = dso_why_no_symbols(f->dso);
			else if (why && f->dso->kind == DSO_USER)
				more = why(ctx, f->dso->path);
			most = !nr && end == first ? f : most;
			if (nr++ == FILES_SHOWN) {
				outbuf_puts(o, ", ...");
				break;
			}
			outbuf_puts(o, nr == 1 ? " (" : ", ");
			if (f->nr < c->by_end[end])
				outbuf_printf(o, "%llu ", f->nr);
			outbuf_printf(o, "in %s%s%s%s%s", cut_file_name(f), f->runtime ? " by " : "",
				      f->runtime ? runtime_at(f->runtime)->name : "",
				      more ? ": " : "", more ? more : "");
		}
		if (nr)
			outbuf_puts(o, ")");
	}
	no_rule = first == CHAIN_CUT_KERNEL || first == CHAIN_CUT_NO_CFI;
	if (!no_rule || !most || !is_jit(most->dso))
		advise(c, first, o);
	if (no_rule)
		advise_jit(c, first, o);
}

static const struct runtime runtimes[] = {
	{ "Java", { "libjvm" },
	  "java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (17 and later)",
	  "Run java with -XX:+PreserveFramePointer" },
	{ "Python", { "libpython", "python" }, NULL,
	  "Record python3 -X perf with -g: its callchains are whole then, with names of Python's functions" },
	{ "Node.js", { "node", "nodejs", "libnode" }, "node --perf-basic-prof", NULL },
	{ ".NET", { "libcoreclr" }, "dotnet with DOTNET_PerfMapEnabled=1", NULL },
	{ "LuaJIT", { "libluajit", "luajit" }, NULL, "Run luajit with -joff, which makes no code" },
};

u32 runtime_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(runtimes); i++) {
		for (k = 0; k < ARRAY_SIZE(runtimes[i].files) && runtimes[i].files[k]; k++) {
			len = strlen(runtimes[i].files[k]);
			if (!strncmp(name, runtimes[i].files[k], len) && name[len] != '_' &&
			    !isalpha((unsigned char)name[len]))
				return i + 1;
		}
	}
	return 0;
}

const struct runtime *runtime_at(u32 nr)
{
	return nr - 1 < ARRAY_SIZE(runtimes) ? &runtimes[nr - 1] : NULL;
}
