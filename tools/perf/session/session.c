// SPDX-License-Identifier: GPL-2.0
/*
 * Opens and closes sessions: chooses how a recording is read, from its properties and those of
 * this machine.
 *
 * Calls between the folder's files go one way: session --> note (pass 1); run (pass 2) --> pipe,
 * team --> deliver --> chain, filter. The passes of a pipe run window by window: pipe --> note.
 */
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/diag.h"
#include "event/format.h"
#include "session/feed.h"
#include "session/session_private.h"
#include "symbol/names.h"

/* Stacks of x86 and arm64 are walked. A pipe tells its architecture only with its records. */
static bool has_known_stacks(const struct session *s)
{
	const char *arch = s->features ? s->features->arch : NULL;

	return !arch || !strncmp(arch, "x86", 3) || (*arch == 'i' && !strcmp(arch + 2, "86")) ||
	       !strcmp(arch, "aarch64");
}

static void setup_stacks(struct session_priv *sp, const struct session_config *cfg)
{
	const struct event_list *events = sp->s.events;
	const u64 copies = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER;
	u32 i;

	for (i = 0; i < events->nr; i++)
		if (attr_lbr_chains(&events->events[i]->attr))
			sp->lbr_depth = lbr_depth(&sp->s);
	if ((events->sample_type & copies) != copies || cfg->no_unwind)
		return;
	sp->s.foreign_stacks = !has_known_stacks(&sp->s);
	if (sp->s.foreign_stacks)
		diag_warn("%s was recorded on %s: copies of user stacks are walked only if they are of x86 or arm64", sp->s.reader->path, sp->s.features->arch);
	else
		sp->unwinder = dwarf_unwinder_create(cfg->live);
}

/* Recorded on this machine with the kernel that runs? Then its files are the recording's. */
static bool is_this_machine(const struct session *s)
{
	struct utsname u;

	return session_same_host(s) && !uname(&u) && s->features->os_release &&
	       !strcmp(u.release, s->features->os_release);
}

bool session_same_host(const struct session *s)
{
	const char *host = s->features->hostname;
	struct utsname u;

	return !uname(&u) && host && !strcmp(u.nodename, host);
}

static enum process_age has_process(void *timeline, u32 pid)
{
	return timeline_has_process(timeline, pid);
}

/* When the recording was made, before its first sample; 0: unknown. A later copy took less time. */
static s64 begun(const struct session *s)
{
	const struct reader *r = s->reader;
	u64 length = s->features->last_sample - s->features->first_sample;

	return length && r->mtime_ns - r->made_ns >= (s64)length ? r->made_ns : 0;
}

static const char *input_path(const struct session_config *cfg)
{
	struct stat st;

	if (cfg->input)
		return cfg->input;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

/* Open the recording's FEAT_NAMES section, if names are to be looked up. */
static void open_names(struct session_priv *sp)
{
	const struct feature_section *s = &sp->s.features->sections[FEAT_NAMES];
	const char *why;

	if (!s->data || sp->cfg.symbols.no_files)
		return;
	sp->cfg.symbols.names = names_open(s->data, s->size, &why);
	if (!sp->cfg.symbols.names)
		reader_bad_feature(sp->s.reader, FEAT_NAMES, why);
}

/* The function of the recorded kernel at an address, for tracepoints_resolve(). */
static char *kernel_symbol(void *ctx, unsigned long long *addr, char **module)
{
	struct session *s = ctx;
	const struct space *kernel = timeline_kernel_space(s->timeline);
	const struct map *m = space_find(s->timeline, kernel, *addr, -1, NULL);
	u64 at = m ? dso_map_ip(m->dso, *addr, m->start, m->pgoff) : 0;
	const struct symbol *sym = m ? dso_find_symbol(m->dso, at) : NULL;

	if (!sym)
		return NULL;
	*addr -= at - sym->start;
	*module = NULL;
	return (char *)sym->name;
}

/* Create the objects that both passes use. */
static void begin(struct session_priv *sp)
{
	if (!sp->s.dsos)
		sp->s.dsos = dso_table_create(&sp->cfg.symbols);
	sp->s.timeline = timeline_create(sp->s.dsos);
	dso_table_processes(sp->s.dsos, has_process, sp->s.timeline);
	note_init(sp);
}

struct session *session_fed(struct event_list *events, const struct symbol_config *symbols)
{
	static const struct features none;
	struct session_priv *sp = xcalloc(1, sizeof(*sp));

	sp->cfg = (struct session_config){ .symbols = *symbols, .as_recorded = true, .live = true };
	sp->cfg.symbols.same_machine = sp->cfg.symbols.same_host = sp->cfg.symbols.local = true;
	sp->last_tid = -2;
	sp->is_pipe = true;
	sp->s.first_time = -1;
	sp->s.events = events;
	sp->s.features = &none;
	sp->s.has_time = events->sample_type & PERF_SAMPLE_TIME;
	sp->s.recorded_here = true;
	begin(sp);
	setup_stacks(sp, &sp->cfg);
	return &sp->s;
}

void session_feed_seal(struct session *s, u64 until)
{
	struct session_priv *sp = container_of(s, struct session_priv, s);

	note_seal(sp, until);
	/* Other processes may run now. */
	dso_table_processes(s->dsos, has_process, s->timeline);
}

void session_feed_forget(struct session *s)
{
	struct session_priv *sp = container_of(s, struct session_priv, s);

	timeline_destroy(s->timeline);
	sp->nr_lost = sp->sorted_lost = 0;
	begin(sp);
}

struct error *session_open(const struct session_config *cfg, struct session **s)
{
	struct session_priv *sp = xcalloc(1, sizeof(*sp));
	struct error *err;

	sp->cfg = *cfg;
	sp->last_tid = -2;
	sp->s.first_time = -1;
	err = reader_open_stored(input_path(cfg), cfg->force, cfg->store_pipe, &sp->s.reader);
	if (err) {
		free(sp);
		return err;
	}
	sp->is_pipe = sp->s.reader->stream;
	sp->s.events = &sp->s.reader->events;
	sp->s.features = &sp->s.reader->features;
	sp->s.has_time = sp->s.events->sample_type & PERF_SAMPLE_TIME;
	if (!sp->cfg.symbols.os_release)
		sp->cfg.symbols.os_release = sp->s.features->os_release;
	sp->cfg.symbols.force |= cfg->force;
	sp->s.recorded_here = is_this_machine(&sp->s);
	sp->cfg.symbols.same_machine |= sp->s.recorded_here;
	sp->cfg.symbols.same_host |= session_same_host(&sp->s);
	sp->cfg.symbols.recorded_ns = sp->s.reader->mtime_ns;
	sp->cfg.symbols.begun_ns = begun(&sp->s);
	open_names(sp);
	begin(sp);
	tracepoints_resolve(sp->s.events, kernel_symbol, &sp->s);
	setup_stacks(sp, cfg);
	if (sp->offcpu.used && sp->is_pipe) {
		err = error_create(EINVAL, "off-CPU times are found in a second pass, which a pipe does not have: "
				   "store it in a file first ('cat > FILE'), or record with -o FILE");
		session_close(&sp->s);
		return err;
	}
	if (!sp->is_pipe)
		note_file(sp);
	if (cfg->traces && sp->s.features->has_traces) {
		err = error_file(sp->s.reader->path, EINVAL, "has hardware traces, which this perf does not "
				 "decode (--%s): use 'perf inject --itrace' of linux-perf first", cfg->traces);
		session_close(&sp->s);
		return err;
	}
	*s = &sp->s;
	return NULL;
}

struct error *session_only_counts(const struct session *s)
{
	if (!s->features->has_counts || s->stats.nr_samples)
		return NULL;
	return error_file(s->reader->path, EINVAL, "is of perf stat record, which counts and takes no "
			  "samples: 'perf stat report -i %s' shows it", reader_path(s->reader));
}

void session_close(struct session *s)
{
	struct session_priv *sp = container_of(s, struct session_priv, s);

	if (!s)
		return;
	if (sp->unwinder)
		dwarf_unwinder_destroy(sp->unwinder);
	deferred_deinit(&sp->deferred);
	free(sp->offcpu.marks);
	free(sp->parallel.marks);
	free(sp->lost_times);
	timeline_destroy(s->timeline);
	dso_table_destroy(s->dsos);
	names_free(sp->cfg.symbols.names);
	if (s->reader)
		reader_close(s->reader);
	free(sp);
}
