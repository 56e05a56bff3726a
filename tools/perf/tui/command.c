// SPDX-License-Identifier: GPL-2.0
/*
 * command.c - the command line that prints the current view, and running it
 *
 * It is given the words of the original command and the view, and owns copies of the words.
 * Files are written by the displayed command itself, so that a script gets the same bytes.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/function.h"
#include "tui/browse.h"

/* The option that selects the samples, or rows, with one value of a key. */
static const char *option_of(const char *key)
{
	static const struct { const char *key, *option; } options[] = {
		{ "dso", "--dsos" }, { "comm", "--comms" }, { "tid", "--tid" }, { "pid", "--tid" },
		{ "tgid", "--pid" }, { "cgroup", "--cgroups" }, { "socket", "--socket-filter" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].key, key))
			return options[i].option;
	return NULL;
}

static const char *add_zoom(struct word_list *c, const struct tui_zoom *z)
{
	const char *option = option_of(z->col->name);

	if (!option)
		return "no option of perf report chooses rows by this key";
	/* --socket-filter -1 means any socket. */
	if (!strcmp(option, "--socket-filter") && (int)z->value < 0)
		return "no option of perf report chooses samples whose socket is not known";
	words_add(c, "%s", option);
	if (strcmp(option, "--tid") && strcmp(option, "--pid") && strcmp(option, "--socket-filter")) {
		_cleanup_free_ char *quoted = list_entry_quote(z->text);

		words_add(c, "%s", quoted);
		return NULL;
	}
	words_add(c, "%d", (int)z->value);
	return NULL;
}

const char *command_make(struct word_list *c, char *const *argv, const struct tui_view *v,
			 enum tui_form form)
{
	static const char *const forms[] = { "--stdio", "--folded", "--flamegraph=-" };
	const char *why = NULL;
	u32 i;

	memset(c, 0, sizeof(*c));
	words_add(c, "perf");
	for (; *argv; argv++)
		if (strcmp(*argv, "--tui") && strcmp(*argv, "--stdio"))
			words_add(c, "%s", *argv);
	words_add(c, "%s", forms[form]);
	if (v->relative) {
		words_add(c, "--percentage");
		words_add(c, "relative");
	}
	if (v->limit > 0) {
		words_add(c, "--percent-limit");
		words_add(c, "%g", v->limit);
	}
	for (i = 0; i < v->nr_zooms && !why; i++)
		why = add_zoom(c, &v->zooms[i]);
	if (why)
		words_deinit(c);
	return why;
}

static void put_word(const char *s, struct outbuf *o)
{
	const char *p = s;

	while (isalnum((u8)*p) || (*p && strchr("_-+=./,:@%", *p)))
		p++;
	if (p > s && !*p) {
		outbuf_puts(o, s);
		return;
	}
	outbuf_putc(o, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			outbuf_puts(o, "'\\''");
		else
			outbuf_putc(o, *s);
	}
	outbuf_putc(o, '\'');
}

void command_text(const struct word_list *c, u32 width, struct outbuf *o)
{
	size_t line = outbuf_len(o), from;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		from = outbuf_len(o);
		if (i)
			outbuf_putc(o, ' ');
		put_word(c->v[i], o);
		/* A continued line ends in a blank and a backslash. */
		if (!i || outbuf_len(o) - line + 2 <= width)
			continue;
		o->pos = o->base + from;
		outbuf_puts(o, " \\\n    ");
		line = outbuf_len(o) - 4;
		put_word(c->v[i], o);
	}
}

/* The first line of its output is the reason if it fails. */
static void take_line(void *ctx, char *line)
{
	struct outbuf *why = ctx;

	if (!outbuf_len(why))
		outbuf_puts(why, line);
}

bool command_write(const struct word_list *c, const char *path, struct outbuf *why)
{
	_cleanup_close_ int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	char what[128];
	int status;

	if (out < 0) {
		outbuf_printf(why, "%s: %s", path, strerror(errno));
		return false;
	}
	snprintf(what, sizeof(what), "writing %s", path);
	status = child_run(&(struct child){
		.program = "/proc/self/exe", .argv = c->v, .out = out, .err = CHILD_READ,
		.what = what, .line = take_line, .ctx = why,
	});
	if (!status)
		return true;
	if (status == -EINTR)
		why->pos = why->base;
	if (!outbuf_len(why))
		outbuf_printf(why, status == -EINTR ? "stopped: %s is not written" :
			      "%s: perf report could not write it", path);
	unlink(path);
	return false;
}
