// SPDX-License-Identifier: GPL-2.0
/*
 * code.c - objdump as a filter: a range of a file goes in, lines of assembly come out
 *
 * It is given a function and owns its lines. objdump runs without a shell, its errors go to
 * /dev/null. Of its output only lines that begin with an address of the function are taken,
 * in ascending order; other bytes than printable ones do not come through.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "annotate/code.h"
#include "base/cleanup.h"
#include "base/printable.h"
#include "base/stdout.h"

#define MOST (1u << 20)		/* bytes of a function */

static void run_objdump(const struct annotate_func *f, const struct annotate_style *style,
			const char *path, int out)
{
	const char *program = style->objdump ? style->objdump : "objdump", *argv[14];
	char start[40], stop[40];
	sigset_t none;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), n = 0;

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
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	signals_default();
	setenv("LC_ALL", "C", 1);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(program, (char *const *)argv);
	_exit(127);
}

/* "    1139:\tpush   %rbp" */
static void take_line(struct code *c, const struct annotate_func *f, char *line)
{
	char *end, *text;
	u64 addr;

	line[strcspn(line, "\n")] = 0;
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

/* Return: the status of objdump. */
static int read_lines(struct code *c, const struct annotate_func *f,
		      const struct annotate_style *style, const char *path)
{
	_cleanup_free_ char *line = NULL;
	int fds[2], status = -1;
	size_t size = 0;
	FILE *in;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid)
		run_objdump(f, style, path, fds[1]);
	close(fds[1]);
	in = fdopen(fds[0], "r");
	while (in && getline(&line, &size, in) > 0)
		take_line(c, f, line);
	if (in)
		fclose(in);
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	return status;
}

void code_read(struct code *c, const struct annotate_func *f, const struct annotate_style *style)
{
	const char *path = NULL;
	int status;

	memset(c, 0, sizeof(*c));
	if (f->dso->kind == DSO_USER)
		path = dso_elf_path(f->dso);
	else if (f->dso->kind == DSO_KERNEL)
		path = dso_debug_path(f->dso);	/* vmlinux; a list of symbols has no code */
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
	if (*c->why)
		return;
	status = read_lines(c, f, style, path);
	if (c->nr)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
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
