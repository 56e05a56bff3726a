// SPDX-License-Identifier: GPL-2.0
/*
 * columns.c - turns the options -s and -F into keys and columns
 *
 * It is given an environment without keys, and the options. The keys are added to the
 * environment, which owns them; the columns refer to them. Each key and column exists once.
 */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "hist/hist_private.h"

const struct overhead_def overhead_defs[OV_MAX] = {
	[OV_CHILDREN] = { "overhead_children", "Children", 8, true },
	[OV_LATENCY_CHILDREN] = { "latency_children", "Latency", 7, true },
	[OV_LATENCY] = { "latency", "Latency", 8, true },
	[OV_SELF] = { "overhead", "Overhead", 8, true },
	[OV_SYS] = { "overhead_sys", "sys", 8, true },
	[OV_US] = { "overhead_us", "usr", 8, true },
	[OV_GUEST_SYS] = { "overhead_guest_sys", "guest sys", 9, true },
	[OV_GUEST_US] = { "overhead_guest_us", "guest usr", 9, true },
	[OV_SAMPLES] = { "sample", "Samples", 12, false },
	[OV_PERIOD] = { "period", "Period", 12, false },
};

bool hist_shows_branches(const struct hist_env *env)
{
	u32 i;

	for (i = 0; i < env->nr_keys; i++)
		if (env->keys[i]->half == KEY_OF_ROW)
			return true;
	return false;
}

bool hist_columns_hide(struct hist_columns *cols, const char *name)
{
	bool found = false;
	u32 i;

	for (i = 0; i < cols->nr; i++)
		if (cols->cols[i].key && !strcmp(cols->cols[i].name, name))
			found = cols->cols[i].hidden = true;
	return found;
}

void hist_columns_keep_keys(struct hist_columns *cols)
{
	u32 i;

	for (i = 0; i < cols->nr; i++)
		if (cols->cols[i].key && !cols->cols[i].hidden)
			return;
	for (i = 0; i < cols->nr; i++)
		if (cols->cols[i].key)
			cols->cols[i].hidden = false;
}

void hist_columns_hide_latency(struct hist_columns *cols)
{
	u32 i;

	for (i = 0; i < cols->nr; i++)
		cols->cols[i].hidden |= cols->cols[i].unasked;
}

void hist_columns_deinit(struct hist_columns *cols)
{
	free(cols->cols);
	free(cols->order);
	memset(cols, 0, sizeof(*cols));
}

static const struct sort_key *const tables[] = {
	sort_keys_task, sort_keys_place, sort_keys_memory, sort_keys_branch,
};

static const struct sort_key *find_key(const char *name)
{
	const struct sort_key *k;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (k = tables[i]; k->name; k++)
			if (!strcasecmp(k->name, name) || (k->alias && !strcasecmp(k->alias, name)))
				return k;
	return NULL;
}

static int find_overhead(const char *name)
{
	int i;

	for (i = 0; i < OV_MAX; i++)
		if (!strcasecmp(overhead_defs[i].name, name))
			return i;
	return -1;
}

/* Keys of other versions of perf that are not implemented. */
static const struct { const char *names, *why; } left_out[] = {
	{ ",sym_from,sym_to,ipc_lbr,ipc_null,cycles_max,cycles_min,",
	  "is of branch records and not looked at: use symbol_from, symbol_to, srcline_from, "
	  "srcline_to, cycles" },
	{ ",symbol_iaddr,type,typeoff,typecln,symtype,",
	  "needs the types of data: use symbol_daddr, data_addr, dcacheline, symoff" },
	{ ",simd,", "is not looked at: use mem, weight, ins_lat, time" },
};

static const char *why_left_out(const char *name)
{
	char word[64];
	size_t i;

	snprintf(word, sizeof(word), ",%s,", name);
	for (i = 0; i < ARRAY_SIZE(left_out); i++)
		if (strcasestr(left_out[i].names, word))
			return left_out[i].why;
	return NULL;
}

void hist_key_names(struct outbuf *o)
{
	size_t i;
	int n;

	for (n = 0; n < OV_MAX; n++)
		outbuf_printf(o, "%s ", overhead_defs[n].name);
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (n = 0; tables[i][n].name; n++)
			outbuf_printf(o, "%s ", tables[i][n].name);
	outbuf_puts(o, "trace trace_fields");
}

/* The error for an unknown key; it lists the keys. */
static struct error *wrong_key(const char *option, const char *name)
{
	_cleanup_outbuf_ struct outbuf o = { 0 };

	if (why_left_out(name))
		return error_create(EINVAL, "%s: '%s' %s", option, name, why_left_out(name));
	hist_key_names(&o);
	return error_create(EINVAL, "%s: there is no key '%s'; there are: %s and the fields of the recorded tracepoints",
			    option, name, outbuf_text(&o));
}

/* Copy the format of a key to its column. */
static void show_key(struct hist_column *col, const struct sort_key *key)
{
	col->name = key->name;
	col->header = key->header;
	col->right = key->right;
	col->ragged = key->ragged;
	col->fixed = key->fixed;
	col->cut = key->cut;
	col->is_name = key->is_sym || key->text == sort_string_text;
	col->min_width = key->min_width;
	col->event = key->event;
}

static u32 add_overhead_column(struct hist_columns *cols, enum overhead_kind overhead)
{
	u32 i;

	for (i = 0; i < cols->nr; i++)
		if (!cols->cols[i].key && cols->cols[i].overhead == overhead)
			return i;
	GROW(cols->cols, cols->nr, cols->cap);
	cols->cols[cols->nr] = (struct hist_column){
		.overhead = overhead, .header = overhead_defs[overhead].header,
	};
	return cols->nr++;
}

static void add_order(struct hist_columns *cols, u32 col)
{
	if (cols->cols[col].ordered)
		return;
	cols->cols[col].ordered = true;
	GROW(cols->order, cols->nr_order, cols->cap_order);
	cols->order[cols->nr_order++] = col;
}

/* The column of a key; a tracepoint may have many. */
static u32 add_key_column(struct hist_env *env, struct hist_columns *cols, struct sort_key *k)
{
	u64 *v = hash_insert(&env->key_columns, (uintptr_t)hist_string(env, k->name),
			     (uintptr_t)k->event, NULL);

	if (*v)
		return *v - 1;
	GROW(env->keys, env->nr_keys, env->cap_keys);
	env->keys[env->nr_keys++] = k;
	GROW(cols->cols, cols->nr, cols->cap);
	cols->cols[cols->nr] = (struct hist_column){ .key = k };
	show_key(&cols->cols[cols->nr], k);
	*v = ++cols->nr;
	return cols->nr - 1;
}

/* The context in which a list of words is parsed. */
struct word_use {
	struct hist_env *env;
	struct hist_columns *cols;
	const char *option;	/* -s or -F */
	bool order;		/* rows are sorted by the named columns */
};

static void use_column(const struct word_use *u, u32 col)
{
	if (u->order)
		add_order(u->cols, col);
}

/* The error for a key that needs what the recording or the options lack. */
static struct error *check_need(const struct word_use *u, const char *word, enum key_need need)
{
	const struct hist_config *cfg = &u->env->cfg;
	u64 recorded = u->env->session->events->sample_type;

	if (need == NEED_MEM && !(recorded & (PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_ADDR)))
		return error_create(ENODATA, "%s %s: the recording has no data addresses: "
				    "record with -d", u->option, word);
	if (need == NEED_PARALLELISM && !u->env->session->has_parallelism)
		return error_create(ENODATA, "%s %s: the recording does not say how many threads "
				    "ran when: record with --latency, into a file", u->option, word);
	if (need == NEED_BRANCH && !cfg->branches && recorded & PERF_SAMPLE_BRANCH_STACK)
		return error_create(EINVAL, "%s %s: is of branches: say -b, too", u->option, word);
	if (need == NEED_BRANCH && !cfg->branches)
		return error_create(ENODATA, "%s %s: the recording has no branch records: record "
				    "with -b", u->option, word);
	if (need == NEED_BRANCH_HISTORY && !cfg->branch_history)
		return error_create(EINVAL, "%s %s: is of stacks of branches: say "
				    "--branch-history, too", u->option, word);
	return NULL;
}

static struct error *use_trace_fields(const struct word_use *u)
{
	_cleanup_free_ struct sort_key **keys = NULL;
	u32 nr = sort_trace_fields(u->env, &keys), i;

	if (!nr)
		return error_create(ENODATA, "%s trace_fields: no recorded event has a format",
				    u->option);
	for (i = 0; i < nr; i++)
		use_column(u, add_key_column(u->env, u->cols, keys[i]));
	return NULL;
}

/* The header of a key. As in mainline, those of two weight keys are exchanged on x86. */
static const char *header_of(const struct hist_env *env, const struct sort_key *k)
{
	static const char *const swapped[][2] = {
		{ "p_stage_cyc", "Retire Latency" }, { "local_p_stage_cyc", "Local Retire Latency" },
		{ "retire_lat", "Pipeline Stage Cycle" }, { "local_retire_lat", "Local Pipeline Stage Cycle" },
	};
	const struct features *f = env->session->features;
	size_t i;

	if (f && f->arch && strncmp(f->arch, "x86", 3))
		return k->header;
	for (i = 0; i < ARRAY_SIZE(swapped); i++)
		if (!strcmp(k->name, swapped[i][0]))
			return swapped[i][1];
	return k->header;
}

static struct error *use_key(const struct word_use *u, const char *word)
{
	const struct sort_key *def = find_key(word);
	struct sort_key *k;
	struct error *e;

	if (def) {
		e = check_need(u, word, def->need);
		if (e)
			return e;
		k = arena_alloc(&u->env->arena, sizeof(*k));
		*k = *def;
		k->header = header_of(u->env, k);
	} else {
		k = sort_key_trace(u->env, word);
		if (!k)
			return wrong_key(u->option, word);
	}
	use_column(u, add_key_column(u->env, u->cols, k));
	return NULL;
}

static struct error *use_word(const struct word_use *u, const char *word)
{
	int overhead = find_overhead(word);

	if (overhead == OV_CHILDREN && !u->env->cfg.children)
		return NULL;
	if (overhead >= 0) {
		bool latency = overhead == OV_LATENCY || overhead == OV_LATENCY_CHILDREN;
		struct error *e = latency ? check_need(u, word, NEED_PARALLELISM) : NULL;

		if (!e)
			use_column(u, add_overhead_column(u->cols, overhead));
		return e;
	}
	return strcmp(word, "trace_fields") ? use_key(u, word) : use_trace_fields(u);
}

static struct error *use_words(struct hist_env *env, struct hist_columns *cols, const char *option,
			       const char *list, bool order)
{
	const struct word_use u = { .env = env, .cols = cols, .option = option, .order = order };
	_cleanup_free_ char *copy = xstrdup(list);
	struct error *e = NULL;
	char *save = NULL, *w;

	for (w = strtok_r(copy, ", ", &save); w && !e; w = strtok_r(NULL, ", ", &save))
		e = use_word(&u, w);
	return e;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, word, len) && (!list[len] || list[len] == ','))
			return true;
	}
	return false;
}

/* The keys of a report without -s. */
static const char *default_keys(const struct hist_env *env)
{
	const struct event_list *events = env->session->events;

	if (env->cfg.mem_mode)
		return HIST_MEMORY_KEYS;
	if (env->cfg.branches)
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	if (env->cfg.branch_history)
		return "srcline,symbol,dso,callchain_branch_predicted,callchain_branch_abort,"
		       "callchain_branch_cycles";
	if (sort_all_tracepoints(env) && events->events[0]->tp_format)
		return "trace";
	return "comm,dso,symbol";
}

/* -F selects the columns. -s, if given, selects the sort order. */
static struct error *setup_fields(struct hist_env *env, const char *fields, const char *sort, bool parent,
				  struct hist_columns *cols)
{
	struct error *e = use_words(env, cols, "-F", fields, false);
	u32 i;

	if (!e && sort)
		e = use_words(env, cols, "-s", sort, true);
	if (!e && parent)
		e = use_words(env, cols, "-p", "parent", false);
	for (i = 0; !e && i < cols->nr; i++)
		add_order(cols, i);
	return e;
}

/* Use a column of a sum and, if threads ran in parallel, the same sum by latency. */
static void use_overhead(const struct word_use *u, bool latency_first, enum overhead_kind sum,
			 enum overhead_kind latency)
{
	if (latency_first)
		use_column(u, add_overhead_column(u->cols, latency));
	use_column(u, add_overhead_column(u->cols, sum));
	if (!latency_first && u->env->session->has_parallelism) {
		u32 col = add_overhead_column(u->cols, latency);

		u->cols->cols[col].unasked = true;
		use_column(u, col);
	}
}

/*
 * If the list of keys names one of the overhead columns, the others are not added. Exception: the
 * own sum is added if only overhead_children is named and children are not summed.
 */
static bool wants_self(const struct hist_env *env, const char *sort)
{
	return !strstr(sort, "overhead") || has_word(sort, "overhead") ||
	       (has_word(sort, "overhead_children") && !env->cfg.children);
}

struct error *columns_setup(struct hist_env *env, const struct hist_column_opt *opt,
			    struct hist_columns *cols)
{
	const char *sort = opt->sort, *fields = opt->fields, *def = default_keys(env);
	struct word_use u = { .env = env, .cols = cols };
	_cleanup_free_ char *all = NULL;
	struct error *e;
	bool named;

	if (sort && sort[0] == '+') {
		all = xmalloc(strlen(sort) + strlen(def) + 2);
		sprintf(all, "%s,%s", def, sort + 1);
		sort = all;
	}
	if (fields && fields[0] != '+')
		return setup_fields(env, fields, sort, opt->parent, cols);
	sort = sort ? sort : def;
	named = strstr(sort, "overhead");
	/* Rows are sorted by these columns in the order in which they are shown. */
	u.order = !named;
	cols->self = env->cfg.children;
	if (env->cfg.children && (!named || has_word(sort, "overhead_children")))
		use_overhead(&u, opt->latency, OV_CHILDREN, OV_LATENCY_CHILDREN);
	if (wants_self(env, sort))
		use_overhead(&u, opt->latency, OV_SELF, OV_LATENCY);
	if (opt->sys_us) {
		add_overhead_column(cols, OV_SYS);
		add_overhead_column(cols, OV_US);
	}
	if (opt->nr_samples)
		add_overhead_column(cols, OV_SAMPLES);
	if (opt->period)
		add_overhead_column(cols, OV_PERIOD);
	if (fields) {
		e = use_words(env, cols, "-F", fields + 1, false);
		if (e)
			return e;
	}
	e = use_words(env, cols, "-s", sort, true);
	return e || !opt->parent ? e : use_words(env, cols, "-p", "parent", true);
}
