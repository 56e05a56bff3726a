/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line that prints the current view.
 */
#ifndef PERF_TUI_COMMAND_H
#define PERF_TUI_COMMAND_H

#include "tui/shown_rows.h"

enum tui_form { FORM_TEXT, FORM_FOLDED, FORM_SVG };

struct tui_command {
	char **argv;			/* ended by NULL; [0] is "perf" */
	u32 nr, cap;
};

/**
 * command_make() - the command line that prints the view
 * @c: the command; command_deinit() it
 * @argv: of the command that made this, [0] is "report"
 * @v: the view
 * @form: in which form to print
 *
 * Return: NULL, or why there is no such command; then there is nothing to command_deinit().
 */
const char *command_make(struct tui_command *c, char *const *argv, const struct tui_view *v,
			 enum tui_form form);
/* command_add - one more word at the end */
void command_add(struct tui_command *c, const char *word);
void command_deinit(struct tui_command *c);

/* command_text - the command for a shell, in lines of this many characters if words fit */
void command_text(const struct tui_command *c, u32 width, struct outbuf *o);

/**
 * command_write() - run the command, with its output in a new file
 * @c: the command
 * @path: the file; one that is there is left alone
 * @why: set to the reason, also if it was stopped (base/child.h)
 *
 * Return: whether the file was written; if not it is not there.
 */
bool command_write(const struct tui_command *c, const char *path, struct outbuf *why);

#endif /* PERF_TUI_COMMAND_H */
