// SPDX-License-Identifier: GPL-2.0
/*
 * perf unwind: makes the unwind tables of programs and libraries, and prints their size and
 * coverage, their rows, or the differences from libdw. A table is freed before the next one is
 * made. --serve registers the tables of all that runs (serve.c).
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/argparse.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/unwind/unwind.h"
#include "cmd/values.h"

#define DEFAULT_LIMIT	"128M"

struct unwind_cmd {
	bool check, dump, cache, serve, status;
	const char *output, *limit;
	struct unwind_made sum;
	struct unwind_compared compared;
	u32 files;
};

static double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static u64 not_expressible(const struct unwind_made *m)
{
	u64 sum = 0;
	u32 why;

	for (why = UNWIND_WHY_NOTHING + 1; why < UNWIND_WHY_NR; why++)
		sum += m->why[why];
	return sum;
}

static void head(const struct unwind_cmd *u)
{
	if (u->check)
		printf("%12s %8s %8s %12s %12s  %s\n", "equal", "wrong", "absent", "inexpressible",
		       "undescribed", "file");
	else
		printf("%9s %6s %9s %9s %11s %8s %13s  %s\n", "rows", "rules", "bytes", "bytes/row",
		       "text", "covered", "inexpressible", "file");
}

static void line(const struct unwind_made *m, const char *name)
{
	printf("%9u %6u %9zu %9.2f %11llu %7.2f%% %12.4f%%  %s\n", m->nr_rows, m->nr_rules, m->size,
	       m->nr_rows ? (double)m->size / m->nr_rows : 0, m->text,
	       min(percent(m->known, m->text), 100.0), percent(not_expressible(m), m->text), name);
}

static void check_line(const struct unwind_compared *c, const char *name)
{
	printf("%12llu %8llu %8llu %12llu %12llu  %s\n", c->equal, c->wrong, c->absent,
	       c->unknown + c->fp_lost, c->nothing + c->only_ours, name);
}

static void add(struct unwind_cmd *u, const struct unwind_made *m)
{
	u32 why;

	u->files++;
	u->sum.nr_rows += m->nr_rows;
	u->sum.nr_rules += m->nr_rules;
	u->sum.size += m->size;
	u->sum.text += m->text;
	u->sum.known += m->known;
	u->sum.innermost += m->innermost;
	u->sum.fp_lost += m->fp_lost;
	for (why = 0; why < UNWIND_WHY_NR; why++)
		u->sum.why[why] += m->why[why];
}

/* What was counted of single bytes and functions, where there is something. */
static void details(const struct unwind_made *m)
{
	const struct unwind_counts *c = &m->counts;
	u32 why;

	for (why = UNWIND_WHY_NOTHING + 1; why < UNWIND_WHY_NR; why++)
		if (m->why[why])
			printf("    %-32s %10llu bytes %9.4f%%\n", unwind_why_names[why], m->why[why],
			       percent(m->why[why], m->text));
	if (m->innermost)
		printf("    %-32s %10llu bytes %9.4f%%\n", "rule for innermost frames only",
		       m->innermost, percent(m->innermost, m->text));
	if (m->fp_lost)
		printf("    %-32s %10llu bytes %9.4f%%\n", "caller's frame pointer is lost",
		       m->fp_lost, percent(m->fp_lost, m->text));
	if (verbose <= 0)
		return;
	printf("    functions: %llu; empty %llu, outside of the code %llu, overlapping %llu, "
	       "described twice %llu, damaged %llu\n", c->funcs, c->empty, c->outside, c->overlapping,
	       c->doubled, c->damaged);
}

static void dump(const struct unwind_made *m)
{
	struct unwind_table t;
	u32 page, row;
	char text[96];

	if (unwind_table_check(m->data, m->size, &t))
		return;
	for (page = 0; page < t.head->nr_pages; page++)
		for (row = t.pages[page]; row < t.pages[page + 1]; row++)
			printf("%12llx  %s\n", unwind_table_row_offset(&t, page, row),
			       unwind_rule_text(&t.rules[t.rows[row].rule], t.head->arch, text, sizeof(text)));
}

static int write_out(const char *path, const struct unwind_made *m)
{
	struct new_file file;
	int err = new_file_open(&file, path, 0666);

	if (!err)
		err = write_all(file.fd, m->data, m->size);
	err = new_file_close(&file, err);
	return err ? diag_error("%s: can't be written: %s", path, output_error(err)) : 0;
}

static void compare(struct unwind_cmd *u, const char *path, const struct unwind_made *m)
{
	struct unwind_compared c;

	if (unwind_compare(path, m, &c))
		return;
	check_line(&c, path);
	if (c.wrong || c.absent)
		diag_error("%s: the table differs from libdw, first at file offset 0x%llx: %s",
			   path, c.first_wrong, c.what);
	u->compared.equal += c.equal;
	u->compared.wrong += c.wrong;
	u->compared.absent += c.absent;
	u->compared.unknown += c.unknown;
	u->compared.fp_lost += c.fp_lost;
	u->compared.nothing += c.nothing;
	u->compared.only_ours += c.only_ours;
}

static void one(struct unwind_cmd *u, const char *path)
{
	struct unwind_made m;
	struct unwind_table t;
	const char *why;
	int err = unwind_file(path, &m, &why);

	if (err) {
		diag_error("%s: no unwind table: %s", path, why);
		return;
	}
	if (why)
		diag_error("%s: the table is incomplete: %s", path, why);
	why = unwind_table_check(m.data, m.size, &t);
	if (why) {
		diag_error("%s: a table of ours fails the check: %s (report this)", path, why);
	} else if (u->dump) {
		dump(&m);
	} else if (u->check) {
		add(u, &m);
		compare(u, path, &m);
	} else {
		add(u, &m);
		line(&m, path);
		details(&m);
	}
	if (!why && u->output)
		write_out(u->output, &m);
	free(m.data);
}

/* --serve and --status. Return: the exit status. */
static int service(const struct unwind_cmd *u, int operands)
{
	u64 limit;

	if (operands || u->check || u->dump || u->cache || u->output || (u->serve && u->status)) {
		diag_error("--serve and --status go with no other option than --limit, and with no FILE");
		return 129;
	}
	if (value_size(u->limit, &limit) || !limit) {
		diag_error("--limit: '%s' is no size: for example 128M", u->limit);
		return 129;
	}
	return (u->serve ? unwind_serve(limit) : status_print()) ? 1 : 0;
}

int cmd_unwind(int argc, char **argv)
{
	struct unwind_cmd u = { .limit = DEFAULT_LIMIT };
	const struct opt opts[] = {
		{ OPT_BOOL, 0, "check", &u.check,
		  .help = "compare with libdw, at every byte of the code" },
		{ OPT_BOOL, 0, "cache", &u.cache,
		  .help = "only make tables missing in perf's cache" },
		{ OPT_BOOL, 'D', "dump", &u.dump, .help = "print the rows" },
		{ OPT_STRING, 'o', "output", &u.output, "file",
		  .help = "write the table of the one FILE" },
		{ OPT_BOOL, 0, "serve", &u.serve,
		  .help = "keep the tables of all that runs registered, for all tracers" },
		{ OPT_STRING, 0, "limit", &u.limit, "size",
		  .help = "of --serve: maximum of all tables (" DEFAULT_LIMIT ")" },
		{ OPT_BOOL, 0, "status", &u.status, .help = "print the state of --serve" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "say more" },
		{ .kind = OPT_END },
	};
	int i;

	if (error_report(argparse(argc, argv, opts, "perf unwind [<options>] FILE...", false, &i)))
		return 129;
	if (u.serve || u.status)
		return service(&u, argc - i);
	if (i == argc || (u.output && argc - i > 1)) {
		diag_error(i == argc ? "no file named: perf unwind FILE..." :
			   "-o takes the table of one file: name only one");
		return 129;
	}
	if (u.cache) {
		unwind_fill_cache(argv + i, argc - i);
		return diag_errors() ? 1 : 0;
	}
	if (!u.dump)
		head(&u);
	for (; i < argc; i++)
		one(&u, argv[i]);
	if (u.files > 1 && u.check) {
		check_line(&u.compared, "all");
	} else if (u.files > 1 && !u.dump) {
		line(&u.sum, "all");
		details(&u.sum);
	}
	return diag_errors() ? 1 : 0;
}
