// SPDX-License-Identifier: GPL-2.0
/*
 * code.c - disassembles a range of a file by objdump
 *
 * It is given a function and owns its lines. objdump runs without a shell, and can be stopped
 * (base/child.h); its errors go to /dev/null. Only lines that begin with an address of the
 * function are used, in ascending order; unprintable bytes are removed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate/code.h"
#include "annotate/unstrip.h"
#include "base/child.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "elf/open.h"

#define MOST (1u << 20)		/* limit: bytes of a function */

struct code_reading {
	struct code *c;
	const struct annotate_func *f;
};

/* "    1139:\tpush   %rbp" */
static void take_line(void *ctx, char *line)
{
	const struct annotate_func *f = ((struct code_reading *)ctx)->f;
	struct code *c = ((struct code_reading *)ctx)->c;
	char *end, *text;
	u64 addr;

	addr = strtoull(line, &end, 16);
	if (end == line || *end != ':' || end[1] != '\t' || addr < f->sym->start ||
	    addr >= f->sym->end || (c->nr && addr <= c->lines[c->nr - 1].addr))
		return;
	text = end + 2;
	for (end = text; *end; end++)
		if (*end == '\t')
			*end = ' ';
	while (end > text && end[-1] == ' ')
		*--end = 0;
	GROW(c->lines, c->nr, c->cap);
	c->lines[c->nr++] = (struct code_line){
		addr, printable_copy(&c->arena, arena_strndup(&c->arena, text, strlen(text))),
	};
}

/* Return: as child_run(). */
static int read_lines(struct code *c, const struct annotate_func *f,
		      const struct annotate_style *style, const char *path)
{
	const char *program = style->objdump ? style->objdump : "objdump", *argv[14];
	_cleanup_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct code_reading r = { c, f };
	char start[40], stop[40];
	int n = 0;

	snprintf(start, sizeof(start), "--start-address=0x%llx", f->sym->start);
	snprintf(stop, sizeof(stop), "--stop-address=0x%llx", f->sym->end);
	argv[n++] = program;
	argv[n++] = "-d";
	argv[n++] = start;
	argv[n++] = stop;
	if (!style->raw)
		argv[n++] = "--no-show-raw-insn";
	if (!style->no_demangle)
		argv[n++] = "-C";
	if (style->syntax) {
		argv[n++] = "-M";
		argv[n++] = style->syntax;
	}
	argv[n++] = "--";
	argv[n++] = path;
	argv[n] = NULL;
	return child_run(&(struct child){
		.program = program, .argv = (char *const *)argv, .out = CHILD_READ, .err = null,
		.plain_locale = true, .what = "objdump", .line = take_line, .ctx = &r,
	});
}

void code_read(struct code *c, const struct annotate_func *f, const struct annotate_style *style)
{
	const char *path = NULL;
	char unstripped[64];
	int status, fd;

	memset(c, 0, sizeof(*c));
	if (f->dso->kind == DSO_USER)
		path = dso_elf_path(f->dso);
	else if (f->dso->kind == DSO_KERNEL)
		path = dso_debug_path(f->dso);	/* vmlinux; kallsyms has no code */
	if (f->dso->kind == DSO_KERNEL && !path)
		snprintf(c->why, sizeof(c->why), "it is the kernel's, which is in a vmlinux: -k vmlinux");
	else if (f->dso->kind == DSO_MODULE)
		snprintf(c->why, sizeof(c->why), "code of modules is placed when they are loaded");
	else if (f->dso->kind != DSO_USER && f->dso->kind != DSO_KERNEL)
		snprintf(c->why, sizeof(c->why), "its code is in no file");
	else if (!path)
		snprintf(c->why, sizeof(c->why), "%s", dso_why_no_symbols(f->dso) ?: "it has no code here");
	else if (f->sym->end <= f->sym->start || f->sym->end - f->sym->start > MOST)
		snprintf(c->why, sizeof(c->why), "%llu bytes are no function's size",
			 f->sym->end - f->sym->start);
	else if (elf_file_is_hole(path))
		snprintf(c->why, sizeof(c->why), "its file has only holes");
	if (*c->why)
		return;
	fd = f->dso->kind == DSO_USER ? unstripped_file(f->dso) : -ENODATA;
	if (fd >= 0) {
		snprintf(unstripped, sizeof(unstripped), "/proc/%d/fd/%d", getpid(), fd);
		path = unstripped;
	}
	status = read_lines(c, f, style, path);
	if (fd >= 0)
		close(fd);
	/* After ^C the lines are incomplete. */
	if (status == -EINTR)
		c->nr = 0;
	if (c->nr)
		return;
	if (status == -EINTR)
		snprintf(c->why, sizeof(c->why), "objdump was interrupted");
	else if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		snprintf(c->why, sizeof(c->why), "%s cannot be run: --objdump PATH (Debian: binutils)",
			 style->objdump ? style->objdump : "objdump");
	else
		snprintf(c->why, sizeof(c->why), "objdump shows no code there");
}

void code_deinit(struct code *c)
{
	free(c->lines);
	arena_deinit(&c->arena);
	memset(c, 0, sizeof(*c));
}
