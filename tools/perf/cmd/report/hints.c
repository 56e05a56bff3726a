// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a report about problems of the profile and their solution. The head has truncated
 * callchains, code without symbols and lost records; the end has general tips, such as a clock as
 * the only event. A line is printed only if the recording shows that it applies.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/types.h"
#include "cmd/cut_chains.h"
#include "cmd/missing_files.h"
#include "cmd/report/report.h"
#include "symbol/dso.h"

/* Does a file have the line @line? @line includes the newlines around it. */
static bool has_line(int dir, const char *file, const char *line, size_t len)
{
	_cleanup_close_ int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ void *p = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return false;
	p = io_read_part(fd, 0, st.st_size);
	return p && memmem(p, st.st_size, line, len);
}

/* "libc6:amd64.list" -> "libc6-dbg", others "NAME-dbgsym" */
static void name_package(const char *list, char *name, size_t size)
{
	size_t len = strcspn(list, ":");

	if (!list[len])
		len -= strlen(".list");
	snprintf(name, size, "%.*s-%s", (int)len, list,
		 len == 5 && !strncmp(list, "libc6", 5) ? "dbg" : "dbgsym");
}

/*
 * The Debian package with a file's debug information: named after the package that installed the
 * file, by the lists of dpkg (/var/lib/dpkg/info, or DPKG_ADMINDIR/info), one path a line. It is
 * not checked that a configured archive has it. Return: true if a package has the file.
 */
static bool debug_package(const char *path, char *name, size_t size)
{
	const char *admin = getenv("DPKG_ADMINDIR") ?: "/var/lib/dpkg";
	char lines[2][4096];
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *e;
	size_t len[2];
	bool found = false;
	u32 i;

	/* Packages may name files by /lib if it is a link to /usr/lib, and vice versa. */
	len[0] = snprintf(lines[0], sizeof(lines[0]), "\n%s\n", path);
	len[1] = snprintf(lines[1], sizeof(lines[1]), "\n%s%s\n", strncmp(path, "/usr/", 5) ? "/usr" : "",
			  strncmp(path, "/usr/", 5) ? path : path + 4);
	if (*path != '/' || len[0] >= sizeof(lines[0]) || len[1] >= sizeof(lines[1]))
		return false;
	snprintf(name, size, "%s/info", admin);
	dir = opendir(name);
	while (dir && !found && (e = readdir(dir))) {
		if (strlen(e->d_name) < 6 || strcmp(e->d_name + strlen(e->d_name) - 5, ".list"))
			continue;
		for (i = 0; i < 2 && !found; i++)
			found = has_line(dirfd(dir), e->d_name, lines[i], len[i]);
		if (found)
			name_package(e->d_name, name, size);
	}
	return found;
}

#define hint(o, fmt, ...) outbuf_printf(o, "# (Tip: " fmt ")\n", ##__VA_ARGS__)

/* Sample counts by file. */
struct file_counts {
	struct hist_file *v;
	u32 nr;
	u64 samples;
};

static bool has_runtime(const struct file_counts *f, u32 runtime)
{
	u32 i;

	for (i = 0; i < f->nr; i++)
		if (runtime_of(f->v[i].dso->short_name) == runtime)
			return true;
	return false;
}

/* Return: the percentage of samples in JIT code. */
static double hint_jit(const struct file_counts *f, struct outbuf *o)
{
	const struct runtime *r;
	const char *why = NULL;
	char run[512] = "";
	u64 samples = 0;
	size_t n = 0;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		const struct hist_file *h = &f->v[i];

		if (h->dso->kind != DSO_ANON || !dso_why_no_symbols(h->dso))
			continue;
		samples += h->samples;
		why = why ? why : dso_why_no_symbols(h->dso);
	}
	if (!samples || 100 * samples < f->samples)
		return 0;
	for (i = 1; (r = runtime_at(i)); i++)
		if (r->names && has_runtime(f, i))
			n += snprintf(run + n, sizeof(run) - n, "%s%s", n ? ", or " : "run ", r->names);
	hint(o, "%.0f %% of the samples are in code that a program made while it ran, whose functions have "
	     "no names (%s): %s", 100.0 * samples / f->samples, why,
	     n ? run : "its runtime may have an option that writes /tmp/perf-PID.map");
	return 100.0 * samples / f->samples;
}

/*
 * The interpreter's functions do not name functions of the script. -g does, by [python], of the
 * versions that it knows; so does the code that -X perf generates for each function.
 */
static void hint_python(const struct report_run *r, const struct file_counts *f, struct outbuf *o)
{
	bool known = false;
	u64 samples = 0;
	const char *s;
	int minor;
	u32 i;

	if (r->cuts && cuts_in_jit(r->cuts))
		return;
	for (i = 0; i < f->nr; i++) {
		s = f->v[i].dso->short_name;
		if (f->v[i].dso->kind == DSO_ANON || !strncmp(s, "jitted-", 7) || !strcmp(s, "[python]"))
			return;
		s += strncmp(s, "lib", 3) ? 0 : 3;
		minor = strncmp(s, "python3.", 8) ? 0 : atoi(s + 8);
		if (minor < 11)
			continue;
		samples += f->v[i].samples;
		known = minor <= 14;
	}
	if (10 * samples > f->samples)
		hint(o, "%.0f %% of the samples are in the interpreter of Python: %s the callchains of perf record -g "
		     "name the functions of the script", 100.0 * samples / f->samples,
		     known ? "on x86-64" : "with python3 -X perf");
}

/* The source of a file's symbols: its package, or its build-id. */
static void put_source(const struct report_run *r, struct dso *d, char *text, size_t size)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char package[512], id[ELF_BUILD_ID_HEX];
	size_t n = 0;

	*text = 0;
	build_id_hex(d->build_id, d->build_id_size, id);
	if (!r->opt->cfg.symbols.symfs && dso_elf_path(d) && debug_package(dso_elf_path(d), package, sizeof(package)))
		n = snprintf(text, size, ": Debian's debug archive may have them in %.200s%s", package,
			     urls && *urls ? "" : ", or set DEBUGINFOD_URLS=https://debuginfod.debian.net");
	else if (*id)
		n = snprintf(text, size, ": install its debug package, with build-id %s", id);
	if (d->kind == DSO_USER && !r->opt->cfg.symbols.function_starts)
		snprintf(text + n, size - n, "%s --function-starts makes a row of each function", n ? ";" : ":");
}

static void hint_symbols(const struct report_run *r, const struct file_counts *f, struct outbuf *o)
{
	u64 without = 0, hidden = 0, worst = 0, n;
	struct missing_files missing = { .nr = 0 };
	struct dso *d = NULL;
	_cleanup_outbuf_ struct outbuf text = { 0 };
	char source[800];
	const char *why;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		why = f->v[i].samples ? dso_why_no_symbols(f->v[i].dso) : NULL;
		if (why && !strcmp(why, DSO_KERNEL_HIDDEN)) {
			hidden += f->v[i].samples;
			continue;
		}
		if (f->v[i].dso->kind == DSO_ANON || (!why && f->v[i].dso->kind != DSO_USER))
			continue;
		/* A stripped file still has its exported symbols. */
		n = why ? f->v[i].samples : f->v[i].unnamed;
		if (dso_is_absent(f->v[i].dso)) {
			missing_files_add(&missing, f->v[i].dso, n);
			continue;
		}
		without += n;
		if (n > worst) {
			worst = n;
			d = f->v[i].dso;
		}
	}
	if (hidden)
		hint(o, "the kernel's symbols are hidden from %.0f %% of the samples: as root, sysctl "
		     "kernel.kptr_restrict=0, or give --kallsyms or -k vmlinux",
		     100.0 * hidden / f->samples);
	missing_files_text(&missing, r->session, f->samples, &text);
	if (outbuf_len(&text))
		hint(o, "%s", outbuf_text(&text));
	missing_files_deinit(&missing);
	if (!d || 100 * without < f->samples)
		return;
	why = dso_why_no_symbols(d);
	put_source(r, d, source, sizeof(source));
	hint(o, "%.0f %% of the samples are in %s without symbols, most in %s (%s)%s",
	     100.0 * without / f->samples, why ? "files" : "functions", d->name,
	     why ? why : "it is stripped of all but those that it exports", source);
}

static void hint_files(const struct report_run *r, struct outbuf *o)
{
	double cut = r->cuts ? cuts_percent(r->cuts) : 0;
	struct file_counts f = { 0 };
	_cleanup_outbuf_ struct outbuf jit = { 0 };
	bool first;

	f.nr = hists_files(r->hists, r->session->events->nr, &f.v, &f.samples);
	/*
	 * The one about more samples is first: some callchains of a runtime are always truncated.
	 */
	first = hint_jit(&f, &jit) > cut;
	if (first)
		outbuf_append(o, &jit);
	if (cut) {
		outbuf_puts(o, "# (Tip: ");
		cuts_text(r->cuts, NULL, NULL, o);
		outbuf_puts(o, ")\n");
	}
	hint_symbols(r, &f, o);
	if (!first)
		outbuf_append(o, &jit);
	hint_python(r, &f, o);
	free(f.v);
}

void report_diagnosis(struct report_run *r, struct outbuf *o)
{
	const struct session_stats *st = &r->session->stats;

	hint_files(r, o);
	if (st->lost_events || st->lost_samples)
		hint(o, "%llu records were lost: record with a larger buffer (-m) or a lower "
		     "frequency (-F)", max(st->lost_events, st->lost_samples));
}

void report_hints(struct report_run *r, struct outbuf *o)
{
	const struct event_list *list = r->session->events;
	bool clock_only = list->nr > 0;
	u32 i;

	for (i = 0; i < list->nr; i++)
		clock_only &= list->events[i]->attr.type == PERF_TYPE_SOFTWARE &&
			      (list->events[i]->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
			       list->events[i]->attr.config == PERF_COUNT_SW_TASK_CLOCK ||
			       list->events[i]->attr.config == PERF_COUNT_SW_DUMMY);
	if (clock_only)
		hint(o, "a clock was the only event: it shows time, not cycles or cache misses, and "
		     "parts that run with interrupts off where they end");
}
