// SPDX-License-Identifier: GPL-2.0
/*
 * TRACING_DATA, the head of a trace.dat file, trace-cmd.dat(5): a magic, version, byte order and
 * size of long, the formats of all tracepoints, kallsyms and printk formats.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/printable.h"
#include "event/format.h"

/* Limits. The kernel's formats are a tenth of this, and its lines are at most 8 kB. */
#define FORMAT_MAX	(256 << 10)
#define TEXT_MAX	(64 << 10)

struct input {
	const u8 *p, *end;
	bool swap;
};

static const u8 *take(struct input *in, u64 size)
{
	const u8 *p = in->p;

	if (size > (u64)(in->end - in->p)) {
		in->p = in->end;
		return NULL;
	}
	in->p += size;
	return p;
}

/* Read a number of @size bytes, 4 or 8, in the file's byte order. */
static bool take_number(struct input *in, void *v, size_t size)
{
	const u8 *p = take(in, size);
	u8 *to = v;
	size_t i;

	if (!p)
		return false;
	for (i = 0; i < size; i++)
		to[i] = p[in->swap ? size - 1 - i : i];
	return true;
}

static bool take_u32(struct input *in, u32 *v)
{
	return take_number(in, v, sizeof(*v));
}

static const char *take_string(struct input *in)
{
	const u8 *nul = memchr(in->p, 0, in->end - in->p);

	return nul ? (const char *)take(in, nul - in->p + 1) : NULL;
}

static const u8 *take_sized(struct input *in, u64 *size)
{
	return take_number(in, size, sizeof(*size)) ? take(in, *size) : NULL;
}

/* One format text of the section. */
struct text {
	const char *system, *p;
	u64 size;
};

struct texts {
	struct text *t;
	u32 nr, cap;
};

/*
 * libtraceevent knows %ps, %pS, %pf and %pF: %pB becomes %pS, and what may follow (%pSR, %pSb,
 * %pBb) goes. Return: the text, a copy if changed.
 */
static const char *known_symbols(struct arena *arena, const char *text, u64 *size)
{
	char *copy = NULL;
	u64 i, n = 0;

	for (i = 0; i < *size; i++) {
		if (copy)
			copy[n] = text[i];
		n++;
		if (i < 2 || memcmp(text + i - 2, "%p", 2) || (text[i] != 'S' && text[i] != 'B'))
			continue;
		if (!copy)
			copy = memcpy(arena_alloc(arena, *size), text, n);
		copy[n - 1] = 'S';
		while (i + 1 < *size && (text[i + 1] == 'R' || text[i + 1] == 'b'))
			i++;
	}
	*size = n;
	return copy ?: text;
}

static bool take_formats(struct arena *arena, struct texts *texts, struct input *in,
			 const char *system)
{
	u32 nr, i;

	if (!take_u32(in, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		struct text t = { .system = system };

		t.p = (const char *)take_sized(in, &t.size);
		if (!t.p)
			return false;
		if (!t.size || t.size > FORMAT_MAX)
			continue;
		t.p = known_symbols(arena, t.p, &t.size);
		GROW(texts->t, texts->nr, texts->cap);
		texts->t[texts->nr++] = t;
	}
	return true;
}

/* libtraceevent crashes on some damaged texts: a child process parses them first, for one fork. */
static bool survives(struct tep_handle *tep, const struct text *t, u32 nr)
{
	pid_t pid = fork();
	int status;
	u32 i;

	if (pid < 0)
		return false;
	if (!pid) {
		static const int fatal[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM };
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDERR_FILENO);
		for (i = 0; i < ARRAY_SIZE(fatal); i++)
			signal(fatal[i], SIG_DFL);
		alarm(10);
		for (i = 0; i < nr; i++)
			tep_parse_event(tep, t[i].p, t[i].size, t[i].system);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Parse formats, by halves if one does not survive, which is not printed. Return: all parsed? */
static bool parse_formats(struct tep_handle *tep, const struct text *t, u32 nr)
{
	u32 i;

	if (survives(tep, t, nr)) {
		for (i = 0; i < nr; i++)
			tep_parse_event(tep, t[i].p, t[i].size, t[i].system);
		return true;
	}
	if (nr > 1) {
		parse_formats(tep, t, nr / 2);
		parse_formats(tep, t + nr / 2, nr - nr / 2);
	}
	return false;
}

/* "ffffffff81000000 T _text\t[module]": an entry for %pS in print formats. */
static void add_function(struct tep_handle *tep, char *line)
{
	char *name, *module, *end;
	u64 addr = strtoull(line, &end, 16);

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return;
	name = end + 3;
	module = strchr(name, '\t');
	if (module) {
		*module++ = 0;
		if (*module == '[')
			module++;
		module[strcspn(module, "]")] = 0;
	}
	if (*name)
		tep_register_function(tep, name, addr, module);
}

/* "0xffffffff82000000 : \"text\"": libtraceevent strips quotes and newline unchecked. */
static void add_string(struct tep_handle *tep, char *line)
{
	char *text, *end;
	u64 addr = strtoull(line, &end, 16);

	text = strchr(end, '"');
	if (end == line || !text || strlen(text) < 5 || text[strlen(text) - 1] != '"')
		return;
	tep_register_print_string(tep, text, addr);
}

static bool load_symbols(struct tep_handle *tep, struct input *in, bool *any)
{
	char *text, *line, *next;
	const u8 *p;
	u32 size;
	int i;

	for (i = 0; i < 2; i++) {
		if (!take_u32(in, &size))
			return false;
		p = take(in, size);
		if (!p)
			return false;
		*any |= !i && size;
		text = xmalloc(size + 1ul);
		memcpy(text, p, size);
		text[size] = 0;
		for (next = text; (line = strsep(&next, "\n")); ) {
			if (i)
				add_string(tep, line);
			else
				add_function(tep, line);
		}
		free(text);
	}
	return true;
}

static bool load(struct event_list *list, struct input *in, struct texts *texts)
{
	static const u8 magic[10] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	struct tep_handle *tep = list->tep;
	const char *version, *system;
	const u8 *p = take(in, sizeof(magic));
	u32 page_size, nr, i;
	u64 size;
	bool big;

	if (!p || memcmp(p, magic, sizeof(magic)))
		return false;
	version = take_string(in);
	p = take(in, 2);
	if (!version || !p)
		return false;
	big = p[0] != 0;
	in->swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	tep_set_file_bigendian(tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? TEP_BIG_ENDIAN :
				TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, p[1]);
	if (!take_u32(in, &page_size))
		return false;
	tep_set_page_size(tep, page_size);
	/* "header_page", "header_event": formats of ftrace's ring buffers, unused */
	if (!take(in, 12) || !take_sized(in, &size) || !take(in, 13) || !take_sized(in, &size))
		return false;
	if (!take_formats(&list->arena, texts, in, "ftrace") || !take_u32(in, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		system = take_string(in);
		if (!system || !take_formats(&list->arena, texts, in, system))
			return false;
	}
	return load_symbols(tep, in, &list->has_kernel_symbols);
}

int tracepoints_load(struct event_list *list, const u8 *data, u64 size)
{
	struct input in = { .p = data, .end = data + size };
	struct texts texts = { 0 };
	bool ok;

	if (list->tep)
		return 0;
	/* Suppress its messages about damaged formats. */
	tep_set_loglevel(TEP_LOG_NONE);
	list->tep = tep_alloc();
	if (!list->tep)
		return -EINVAL;
	ok = load(list, &in, &texts);
	ok &= parse_formats(list->tep, texts.t, texts.nr);
	free(texts.t);
	if (list->kernel_symbol)
		tracepoints_resolve(list, list->kernel_symbol, list->kernel_symbol_ctx);
	tracepoints_bind(list, 0);
	return ok ? 0 : -EINVAL;
}

void tracepoints_resolve(struct event_list *list,
			 char *(*symbol)(void *ctx, unsigned long long *addr, char **module),
			 void *ctx)
{
	list->kernel_symbol = symbol;
	list->kernel_symbol_ctx = ctx;
	if (list->tep && !list->has_kernel_symbols)
		tep_set_function_resolver(list->tep, symbol, ctx);
}

void tracepoints_bind(struct event_list *list, u32 first)
{
	u32 i;

	if (!list->tep)
		return;
	for (i = first; i < list->nr; i++) {
		struct event *ev = list->events[i];
		struct tep_event *format;

		if (ev->attr.type != PERF_TYPE_TRACEPOINT || ev->tp_format)
			continue;
		format = tep_find_event(list->tep, ev->attr.config);
		ev->tp_format = format;
		ev->tp_print = format ? print_kind(format) : PRINT_SAFE;
		if (format && !ev->named) {
			char name[256];

			snprintf(name, sizeof(name), "%s:%s", format->system, format->name);
			event_set_name(list, ev, name, sizeof(name));
		}
	}
}

/* For strings without NUL and addresses larger than their field (IPv6: 28 bytes). */
#define ENOUGH_BEHIND 64

/* A copy of the raw data, followed by zero bytes that may be read. free() it. */
static void *terminated(const struct sample *s)
{
	u32 size = min(s->raw_size, 1u << 16), behind = s->event->tp_print == PRINT_CHECKED ? PRINT_BEHIND : ENOUGH_BEHIND;
	char *copy = xmalloc(size + behind);

	memcpy(copy, s->raw, size);
	memset(copy + size, 0, behind);
	return copy;
}

/* (libtraceevent does not check it.) */
const char *tracepoint_field(const struct sample *s, const struct tep_format_field *f, u32 *size)
{
	u64 at = f->offset, len = f->size;

	if (!s->raw || f->offset < 0 || f->size < 0 || at + len > s->raw_size)
		return NULL;
	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		/* As the kernel's: for other sizes libtraceevent reads a length out of bounds. */
		if (f->size != 4)
			return NULL;
		/* __data_loc: length and offset of data behind the fields */
		at = tep_read_number(f->event->tep, (const char *)s->raw + f->offset, 4);
		len = at >> 16;
		at &= 0xffff;
		if (f->flags & TEP_FIELD_IS_RELATIVE)
			at += f->offset + f->size;
		if (at + len > s->raw_size)
			return NULL;
	}
	*size = len;
	return (const char *)s->raw + at;
}

static bool field_fits(const struct tep_format_field *f, const struct sample *s)
{
	u32 size;

	return tracepoint_field(s, f, &size);
}

/* Are all fields within the raw data? If not, the sample is not printed. */
static bool fits(const struct tep_event *format, const struct sample *s)
{
	const struct tep_format_field *f;

	for (f = format->format.common_fields; f; f = f->next)
		if (!field_fits(f, s))
			return false;
	for (f = format->format.fields; f; f = f->next)
		if (!field_fits(f, s))
			return false;
	return true;
}

static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

/* Prepare libtraceevent's record. One thread prints at a time. */
static void print_begin(const struct sample *s, struct tep_record *rec, struct trace_seq *seq)
{
	memset(rec, 0, sizeof(*rec));
	rec->data = terminated(s);
	rec->size = s->raw_size;
	rec->cpu = s->cpu == (u32)-1 ? 0 : s->cpu;
	rec->ts = s->time;
	pthread_mutex_lock(&printing);
	trace_seq_init(seq);
}

static void print_end(struct tep_record *rec, struct trace_seq *seq, struct outbuf *o)
{
	if (seq->state == TRACE_SEQ__GOOD) {
		size_t len = min(seq->len, (unsigned int)TEXT_MAX);

		/* Fields may contain names of tasks and files. */
		make_printable(seq->buffer, len, true);
		outbuf_write(o, seq->buffer, len);
	}
	trace_seq_destroy(seq);
	pthread_mutex_unlock(&printing);
	free(rec->data);
}

bool tracepoint_print(const struct event_list *list, const struct sample *s, struct outbuf *o)
{
	struct tep_event *format = s->event->tp_format;
	struct tep_record rec;
	struct trace_seq seq;
	int flags;

	if (!s->raw || !format || !fits(format, s))
		return false;
	print_begin(s, &rec, &seq);
	flags = format->flags;
	/* If the text cannot be printed safely, only the fields are printed. */
	if (s->event->tp_print == PRINT_NOT || (s->event->tp_print == PRINT_CHECKED && !print_check(format, rec.data)))
		format->flags |= TEP_EVENT_FL_FAILED;
	tep_print_event(list->tep, &seq, &rec, "%s", TEP_PRINT_INFO);
	format->flags = flags;
	print_end(&rec, &seq, o);
	return true;
}

bool tracepoint_print_field(const struct sample *s, const struct tep_format_field *field,
			    struct outbuf *o)
{
	struct tep_record rec;
	struct trace_seq seq;

	if (!s->event->tp_format || !field_fits(field, s))
		return false;
	print_begin(s, &rec, &seq);
	tep_print_field(&seq, rec.data, (struct tep_format_field *)field);
	print_end(&rec, &seq, o);
	return true;
}

bool tracepoint_print_fields(const struct event_list *list, const struct sample *s,
			     struct outbuf *o)
{
	struct tep_event *format = s->event->tp_format;
	struct tep_format_field *f;
	struct tep_record rec;
	struct trace_seq seq;

	if (!s->raw || !format || !fits(format, s))
		return false;
	print_begin(s, &rec, &seq);
	for (f = format->format.fields; f; f = f->next) {
		trace_seq_printf(&seq, "%s%s=", f == format->format.fields ? "" : " ", f->name);
		tep_print_field(&seq, rec.data, f);
	}
	print_end(&rec, &seq, o);
	return true;
}

void tracepoints_deinit(struct event_list *list)
{
	if (list->tep)
		tep_free(list->tep);
	list->tep = NULL;
}
