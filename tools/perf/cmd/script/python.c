// SPDX-License-Identifier: GPL-2.0
/*
 * Scripts in Python: perf script -s FILE, -g python, -l, and by name those that another perf has
 * installed. A script runs in a python3 of its own (driver.py), which gets the samples as lines of
 * JSON from a pipe.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include <driver_py.h>		/* made by the build of driver.py */

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/io.h"
#include "base/outfile.h"
#include "base/printable.h"
#include "base/text.h"
#include "cmd/script/script.h"
#include "event/format.h"

/* Where linux-perf of Debian has its scripts; PERF_EXEC_PATH names another place. */
#define SCRIPTS	"/usr/lib/perf-core"

#define GENERATED	"perf-script.py"	/* what -g writes, as mainline does */

struct feed {
	struct session *s;
	const struct script_options *opts;
	struct frame_cache *frames;
	struct outfile out;
	bool srcline;			/* the script asks for it */
	u64 passed;			/* number of samples given to the script */
};

/* Append @before and the bytes in hexadecimal, as a string. */
static void put_hex(struct outbuf *o, const char *before, const void *bytes, u32 size)
{
	const u8 *p = bytes;
	u32 i;

	outbuf_puts(o, before);
	outbuf_putc(o, '"');
	for (i = 0; i < size; i++)
		outbuf_hex(o, p[i], 2, '0');
	outbuf_putc(o, '"');
}

/* A number, a string, or an array: its bytes in hexadecimal, in brackets */
static void put_field(const struct sample *s, struct tep_format_field *f, struct outbuf *o)
{
	const unsigned long no_number = TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING |
					TEP_FIELD_IS_DYNAMIC;
	unsigned long long v = 0;
	const char *bytes;
	u32 size;

	bytes = tracepoint_field(s, f, &size);
	if (!bytes) {
		outbuf_puts(o, "null");
	} else if (!(f->flags & no_number) && !tep_read_number_field(f, s->raw, &v)) {
		if (f->flags & TEP_FIELD_IS_SIGNED && size && size < 8)
			v = (s64)(v << (64 - 8 * size)) >> (64 - 8 * size);
		outbuf_printf(o, f->flags & TEP_FIELD_IS_SIGNED ? "%lld" : "%llu", v);
	} else if (f->flags & TEP_FIELD_IS_STRING) {
		_cleanup_free_ char *text = xstrndup(bytes, strnlen(bytes, size));

		/* It is somebody else's, and a script prints it. */
		make_printable(text, strlen(text), false);
		json_string(o, text);
	} else {
		put_hex(o, "[", bytes, size);
		outbuf_putc(o, ']');
	}
}

static void put_fields(const struct sample *s, const char *key, struct tep_format_field *f,
		       struct outbuf *o)
{
	const char *between = "";

	outbuf_printf(o, ",\"%s\":{", key);
	for (; f && s->raw; f = f->next, between = ",") {
		json_put(o, between, f->name);
		outbuf_putc(o, ':');
		put_field(s, f, o);
	}
	outbuf_putc(o, '}');
}

static const char *dso_text(const struct frame *f)
{
	return f->dso ? f->dso->name : "[unknown]";
}

static void put_frame(struct frame *f, struct outbuf *o)
{
	outbuf_printf(o, "{\"ip\":%llu", f->ip);
	if (f->sym) {
		outbuf_printf(o, ",\"sym_off\":%llu,\"sym\":{\"start\":%llu,\"end\":%llu,\"binding\":%u,",
			      f->code - f->sym->start, f->sym->start, f->sym->end, f->sym->bind);
		json_put(o, "\"name\":", f->sym->name);
		outbuf_putc(o, '}');
	}
	json_put(o, ",\"dso\":", dso_text(f));
	outbuf_putc(o, '}');
}

static void put_chain(struct feed *fd, const struct visit *v, struct outbuf *o)
{
	const struct callchain *cc = v->chain;
	const char *between = "";
	u32 i, j;

	outbuf_puts(o, ",\"callchain\":[");
	for (i = 0; i < cc->nr_spans; i++) {
		const struct chain_span *span = &cc->spans[i];
		const struct space *sp = timeline_space(fd->s->timeline, v->thread, span->cpumode,
							span->time);
		struct frame *f = NULL;

		for (j = 0; j < span->nr; j++, between = ",") {
			f = span_frame(fd->frames, sp, span, j, f);
			outbuf_puts(o, between);
			put_frame(f, o);
		}
	}
	outbuf_putc(o, ']');
}

/* The frame of the sample's own ip */
static void put_place(struct feed *fd, const struct visit *v, struct outbuf *o)
{
	const struct sample *s = v->sample;
	struct frame *f = frame_of(fd->frames, v->thread, s->ip, s->cpumode, v->chain->time);
	const char *line, *colon;

	if (!f->dso)
		return;
	json_put(o, ",\"dso\":", dso_text(f));
	if (f->map)
		outbuf_printf(o, ",\"dso_map_start\":%llu,\"dso_map_end\":%llu", f->map->start, f->map->end);
	if (f->sym) {
		json_put(o, ",\"symbol\":", f->sym->name);
		outbuf_printf(o, ",\"symoff\":%llu", f->code - f->sym->start);
	}
	line = fd->srcline ? dso_srcline(f->dso, f->code, true) : NULL;
	colon = line ? strrchr(line, ':') : NULL;
	if (colon) {
		_cleanup_free_ char *file = xstrndup(line, colon - line);

		json_put(o, ",\"srcline\":[", file);
		outbuf_printf(o, ",%lu]", strtoul(colon + 1, NULL, 10));
	}
}

static void put_values(const struct sample *s, struct outbuf *o)
{
	u64 type = s->event->attr.sample_type;

	outbuf_printf(o, ",\"sample\":{\"pid\":%d,\"tid\":%d,\"cpu\":%d,\"ip\":%llu,\"time\":%llu,\"period\":%llu",
		      s->pid, s->tid, s->cpu, s->ip, s->time == (u64)-1 ? 0 : s->time, s->period);
	outbuf_printf(o, ",\"id\":%lld,\"stream_id\":%lld,\"addr\":%llu,\"phys_addr\":%llu", s->id,
		      s->stream_id, s->addr, s->phys_addr);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		outbuf_printf(o, ",\"weight\":%llu,\"ins_lat\":%u", s->weight, s->ins_lat);
	if (type & PERF_SAMPLE_DATA_SRC)
		outbuf_printf(o, ",\"datasrc\":%llu", s->data_src);
	if (type & PERF_SAMPLE_TRANSACTION)
		outbuf_printf(o, ",\"transaction\":%llu", s->transaction);
	outbuf_putc(o, '}');
}

/* Bits of a branch's flags: linux/perf_event.h, struct perf_branch_entry */
static void put_branches(const struct sample *s, struct outbuf *o)
{
	const u64 *b = s->branch;
	u64 i;

	outbuf_puts(o, ",\"brstack\":[");
	for (i = 0; i < s->branch_nr && b; i++, b += 3)
		outbuf_printf(o, "%s{\"from\":%llu,\"to\":%llu,\"mispred\":%s,\"predicted\":%s,\"in_tx\":%s,"
			      "\"abort\":%s,\"cycles\":%llu}", i ? "," : "", b[0], b[1], b[2] & 1 ? "true" : "false",
			      b[2] & 2 ? "true" : "false", b[2] & 4 ? "true" : "false",
			      b[2] & 8 ? "true" : "false", b[2] >> 4 & 0xffff);
	outbuf_putc(o, ']');
}

static int on_sample(void *ctx, const struct visit *v)
{
	const struct sample *s = v->sample;
	struct feed *fd = ctx;
	struct outbuf *o = &fd->out.text;
	struct tep_event *tep = s->event->tp_format;
	char name[THREAD_NAME_SIZE];

	frame_cache_limit(&fd->frames, SCRIPT_MAX_FRAMES);
	if (!filter_visit(&fd->opts->filter, fd->frames, v))
		return 0;
	fd->passed++;
	outbuf_printf(o, "{\"event\":%u,", s->event->idx);
	json_put(o, "\"comm\":", thread_comm_at(fd->s->timeline, v->thread, v->chain->time, -1, name));
	put_values(s, o);
	put_place(fd, v, o);
	put_chain(fd, v, o);
	put_branches(s, o);
	put_hex(o, ",\"raw\":", s->raw, s->raw ? s->raw_size : 0);
	put_fields(s, "fields", tep ? tep->format.fields : NULL, o);
	put_fields(s, "common", tep ? tep->format.common_fields : NULL, o);
	outbuf_puts(o, "}\n");
	return outfile_drain(&fd->out);
}

static void put_events(const struct event_list *list, struct outbuf *o)
{
	u32 i;

	outbuf_puts(o, "{\"events\":[");
	for (i = 0; i < list->nr; i++) {
		const struct event *ev = list->events[i];
		const struct tep_event *tep = ev->tp_format;
		const struct tep_format_field *f;

		outbuf_puts(o, i ? ",{" : "{");
		json_put(o, "\"name\":", ev->name);
		json_put(o, ",\"system\":", tep ? tep->system : "");
		json_put(o, ",\"event\":", tep ? tep->name : "");
		put_hex(o, ",\"attr\":", &ev->attr, sizeof(ev->attr));
		outbuf_puts(o, tep ? ",\"fields\":[" : ",\"fields\":null");
		for (f = tep ? tep->format.fields : NULL; f; f = f->next) {
			json_string(o, f->name);
			outbuf_puts(o, f->next ? "," : "");
		}
		outbuf_puts(o, tep ? "]}" : "}");
	}
	outbuf_puts(o, "]}\n");
}

static bool mentions(const char *path, const char *word)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	char line[1024];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, word))
			return true;
	return false;
}

static const char *scripts_dir(void)
{
	const char *dir = getenv("PERF_EXEC_PATH");

	return dir && *dir ? dir : SCRIPTS;
}

/* Start python3; @out: its output. Return: the pipe that it reads, or -1 after diag_error() */
static int start(const char *path, char *const *arguments, int out, pid_t *pid)
{
	_cleanup_words_ struct word_list words = { 0 };
	int fds[2];

	if (pipe(fds))
		return diag_error("perf script -s: no pipe: %m");
	words_add(&words, "python3");
	words_add(&words, "-c");
	words_add(&words, "%s", driver_py);
	words_add(&words, "%d", fds[0]);
	words_add(&words, "%s", path);
	while (*arguments)
		words_add(&words, "%s", *arguments++);
	*pid = fork();
	if (!*pid) {
		signals_default();
		close(fds[1]);
		dup2(out, STDOUT_FILENO);
		setenv("PERF_EXEC_PATH", scripts_dir(), 1);
		execvp(words.v[0], words.v);
		diag_error("perf script -s: python3 cannot be run: %m (Debian: python3)");
		_exit(127);
	}
	close(fds[0]);
	if (*pid > 0)
		return fds[1];
	close(fds[1]);
	return diag_error("perf script -s: no process: %m");
}

/* Put the script that python3 has written to @from in its place. Return: the exit status */
static int keep_generated(int from)
{
	int to = open_output(GENERATED, O_WRONLY | O_NOFOLLOW, 0666, NULL);
	off_t at = 0;
	ssize_t n = 1;

	if (to < 0)
		return diag_error("-g: %s: %s", GENERATED, output_error(to)), 1;
	while (n > 0)
		n = sendfile(to, from, &at, 1 << 20);
	if (n)
		return diag_error("-g: %s: %m", GENERATED), 1;
	close(to);
	printf("generated Python script: %s\n", GENERATED);
	return 0;
}

int script_python(const struct script_options *o, struct session *s, u64 *passed)
{
	const struct session_ops ops = { .sample = on_sample, .filter = &o->filter };
	const char *path = o->gen_script ? "" : o->script;
	struct feed fd = { .s = s, .opts = o, .srcline = mentions(path, "perf_sample_src") };
	int to, status, ret = 0, out = STDOUT_FILENO;
	pid_t pid = -1;

	if (*path && access(path, R_OK))
		return diag_error("-s: %s: %m", path), 1;
	if (o->gen_script) {
		out = memfd_create(GENERATED, MFD_CLOEXEC);
		if (out < 0)
			return diag_error("-g: no memory: %m"), 1;
	}
	signal(SIGPIPE, SIG_IGN);	/* the script may end first */
	fflush(stdout);
	to = start(path, o->arguments, out, &pid);
	if (to < 0)
		return 1;
	fd.frames = frame_cache_create(s->timeline, 0);
	outfile_init(&fd.out, to);
	put_events(s->events, &fd.out.text);
	if (*path)
		ret = session_run(s, &ops, &fd);
	outfile_deinit(&fd.out);
	close(to);
	frame_cache_destroy(fd.frames);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	*passed = fd.passed;
	return o->gen_script ? keep_generated(out) : ret;
}

/* The file of a script's shell script, NAME-record or NAME-report; NULL: there is none */
static char *script_path(const char *name, const char *what)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/scripts/python/bin/%s-%s", scripts_dir(), name, what);
	return strchr(name, '/') || access(path, R_OK) ? NULL : xstrdup(path);
}

/* The rest of a comment such as "# description: ..." of a shell script; "" without */
static void comment_of(const char *path, const char *comment, char *text, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	size_t len = strlen(comment);
	char line[256];

	*text = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		const char *p = line + 1 + strspn(line + 1, " ");

		if (line[0] == '#' && !strncmp(p, comment, len)) {
			snprintf(text, size, "%.*s", (int)strcspn(p + len, "\n"), p + len);
			return;
		}
	}
}

int script_list(void)
{
	char dir[PATH_MAX], path[PATH_MAX + 256], args[128], text[256], name[256];
	struct dirent **files;
	const char *end;
	int nr, i;

	snprintf(dir, sizeof(dir), "%s/scripts/python/bin", scripts_dir());
	nr = scandir(dir, &files, NULL, alphasort);
	if (nr < 0)
		return diag_error("%s: %m (Debian: linux-perf; PERF_EXEC_PATH names another place)", dir), 1;
	puts("List of available trace scripts:");
	for (i = 0; i < nr; i++) {
		end = strstr(files[i]->d_name, "-report");
		if (end && !end[strlen("-report")]) {
			snprintf(path, sizeof(path), "%s/%s", dir, files[i]->d_name);
			comment_of(path, "args:", args, sizeof(args));
			comment_of(path, "description:", text, sizeof(text));
			snprintf(name, sizeof(name), "%.*s%s", (int)(end - files[i]->d_name),
				 files[i]->d_name, args);
			printf("  %-36s%s\n", name, text);
		}
		free(files[i]);
	}
	free(files);
	return 0;
}

/* Replace this process by "sh PATH FIRST... WORDS...", nr words. The script calls perf: this one. */
static int exec_shell(const char *path, const char *const *first, char *const *words, int nr)
{
	_cleanup_words_ struct word_list argv = { 0 };
	char self[PATH_MAX], dirs[2 * PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	words_add(&argv, "sh");
	words_add(&argv, "%s", path);
	while (*first)
		words_add(&argv, "%s", *first++);
	while (nr-- > 0)
		words_add(&argv, "%s", *words++);
	if (len > 0) {
		self[len] = '\0';
		*strrchr(self, '/') = '\0';
		snprintf(dirs, sizeof(dirs), "%s:%s", self, getenv("PATH") ?: "/bin:/usr/bin");
		setenv("PATH", dirs, 1);
	}
	setenv("PERF_EXEC_PATH", scripts_dir(), 1);
	signals_default();
	execvp("sh", argv.v);
	return diag_error("perf script: sh cannot be run: %m");
}

/* NAME [ARGUMENT]... COMMAND...: the shell script that records writes to the one that reports. */
static int run_live(const char *recording, const char *reporting, char **words, int nr)
{
	static const char *const to[] = { "-q", "-o", "-", NULL }, *const from[] = { "-i", "-", NULL };
	char args[128], *c;
	int fds[2], n = 0;
	pid_t pid;

	comment_of(reporting, "args:", args, sizeof(args));
	for (c = args; (c = strchr(c, '<')) && n < nr; c++)
		n += c == args || c[-1] != '[';
	if (pipe(fds))
		return diag_error("perf script: no pipe: %m");
	pid = fork();
	if (pid < 0)
		return diag_error("perf script: no process: %m");
	dup2(fds[!pid], pid ? STDIN_FILENO : STDOUT_FILENO);
	close(fds[0]);
	close(fds[1]);
	if (pid)
		return exec_shell(reporting, from, words, n);
	exec_shell(recording, to, words + n, nr - n);
	_exit(127);
}

int script_named(char **words, int nr)
{
	static const char *const none[] = { NULL };
	bool record = !strcmp(words[0], "record"), report = !strcmp(words[0], "report");
	const char *name = record || report ? words[1] : words[0];
	_cleanup_free_ char *recording = name ? script_path(name, "record") : NULL;
	_cleanup_free_ char *reporting = name ? script_path(name, "report") : NULL;

	if ((!recording && !report) || (!reporting && !record))
		return -ENOENT;
	if (record || report)
		return exec_shell(record ? recording : reporting, none, words + 2, nr - 2);
	return run_live(recording, reporting, words + 1, nr - 1);
}
