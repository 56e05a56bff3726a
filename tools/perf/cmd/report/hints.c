// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a report about problems of the profile and their solution. The head has truncated
 * callchains, code without symbols and lost records; the end has general tips, such as a clock as
 * the only event. A line is printed only if the recording shows that it applies.
 */
#include <stdarg.h>
#include <stdio.h>

#include "cmd/missing_files.h"
#include "cmd/package.h"
#include "cmd/report/report.h"
#include "symbol/dso.h"

static void hint(struct outbuf *o, const char *fmt, ...) __printf(2, 3);

static void hint(struct outbuf *o, const char *fmt, ...)
{
	char s[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	outbuf_printf(o, "# (Tip: %s)\n", s);
}

/* Sample counts by file. */
struct file_counts {
	struct hist_file *v;
	u32 nr;
	u64 samples;
};

/*
 * The options with which a runtime provides symbols for its JIT code, by the runtime's file name.
 */
static const struct runtime {
	const char *file, *option;
} runtimes[] = {
	{ "node", "node --perf-basic-prof" },
	{ "nodejs", "node --perf-basic-prof" },
	{ "libnode.so", "node --perf-basic-prof" },
	{ "libjvm.so", "java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "
	  "-XX:+DumpPerfMapAtExit (17 and later)" },
	{ "libcoreclr.so", "dotnet with DOTNET_PerfMapEnabled=1" },
};

static bool has_runtime(const struct file_counts *f, const struct runtime *r)
{
	size_t len = strlen(r->file);
	const char *name;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		name = f->v[i].dso->short_name;
		if (!strncmp(name, r->file, len) && (!name[len] || name[len] == '.'))
			return true;
	}
	return false;
}

/* Return: the percentage of samples in JIT code. */
static double hint_jit(const struct file_counts *f, struct outbuf *o)
{
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
	for (i = 0; i < ARRAY_SIZE(runtimes); i++)
		if (has_runtime(f, &runtimes[i]))
			n += snprintf(run + n, sizeof(run) - n, "%s%s", n ? ", or " : "run ", runtimes[i].option);
	hint(o, "%.0f %% of the samples are in code that a program made while it ran, whose functions have "
	     "no names (%s): %s", 100.0 * samples / f->samples, why,
	     n ? run : "its runtime may have an option that writes /tmp/perf-PID.map");
	return 100.0 * samples / f->samples;
}

/*
 * The interpreter's functions do not name functions of the script; with -X perf, code is generated
 * for each of these.
 */
static void hint_python(const struct report_run *r, const struct file_counts *f, struct outbuf *o)
{
	u64 samples = 0;
	const char *s;
	u32 i;

	if (r->cuts && cuts_in_jit(r->cuts))
		return;
	for (i = 0; i < f->nr; i++) {
		s = f->v[i].dso->short_name;
		if (f->v[i].dso->kind == DSO_ANON || !strncmp(s, "jitted-", 7))
			return;
		s += strncmp(s, "lib", 3) ? 0 : 3;
		if (!strncmp(s, "python3.", 8) && atoi(s + 8) >= 12)
			samples += f->v[i].samples;
	}
	if (10 * samples > f->samples)
		hint(o, "%.0f %% of the samples are in the interpreter of Python: with python3 -X perf "
		     "whole callchains name the functions of the script, too", 100.0 * samples / f->samples);
}

/* The source of a file's symbols: its package, or its build-id. */
static void put_source(const struct report_run *r, struct dso *d, char *text, size_t size)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char package[512], id[41] = "";
	size_t n = 0;
	u32 i;

	*text = 0;
	for (i = 0; i < d->build_id_size; i++)
		sprintf(id + 2 * i, "%02x", d->build_id[i]);
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
	struct outbuf text;
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
	outbuf_init(&text, -1);
	missing_files_text(&missing, r->session, f->samples, &text);
	if (outbuf_len(&text))
		hint(o, "%s", outbuf_text(&text));
	outbuf_deinit(&text);
	missing_files_deinit(&missing);
	if (!d || 100 * without < f->samples)
		return;
	why = dso_why_no_symbols(d);
	put_source(r, d, source, sizeof(source));
	hint(o, "%.0f %% of the samples are in %s without symbols, most in %s (%s)%s",
	     100.0 * without / f->samples, why ? "files" : "functions", d->name,
	     why ? why : "it is stripped of all but those that it exports", source);
}

/* Truncated callchains hide callers: the most important hint. */
static void hint_cut(const struct report_run *r, struct outbuf *o)
{
	if (!r->cuts || !cuts_percent(r->cuts))
		return;
	outbuf_puts(o, "# (Tip: ");
	cuts_text(r->cuts, NULL, NULL, o);
	outbuf_puts(o, ")\n");
}

static void hint_files(const struct report_run *r, struct outbuf *o)
{
	struct file_counts f = { 0 };
	struct outbuf jit;
	bool first;

	outbuf_init(&jit, -1);
	f.nr = hists_files(r->hists, r->session->events->nr, &f.v, &f.samples);
	/*
	 * The hint about more samples is first. Some callchains of a runtime are always truncated.
	 */
	first = hint_jit(&f, &jit) > (r->cuts ? cuts_percent(r->cuts) : 0);
	if (first)
		outbuf_write(o, jit.base, outbuf_len(&jit));
	hint_cut(r, o);
	hint_symbols(r, &f, o);
	if (!first)
		outbuf_write(o, jit.base, outbuf_len(&jit));
	outbuf_deinit(&jit);
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
