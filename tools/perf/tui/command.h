/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line that prints the current view.
 */
#ifndef PERF_TUI_COMMAND_H
#define PERF_TUI_COMMAND_H

#include "base/words.h"
#include "tui/shown_rows.h"

enum tui_form { FORM_TEXT, FORM_FOLDED, FORM_SVG };

/**
 * command_make() - the command line that prints the view
 * @c: the command, whose first word is "perf"; words_deinit() it
 * @argv: the command line that made the report; [0] is "report"
 * @v: the view
 * @form: the form of output
 *
 * Return: NULL, or the reason why no command prints the view; then @c need not be deinitialised.
 */
const char *command_make(struct word_list *c, char *const *argv, const struct tui_view *v,
			 enum tui_form form);

/*
 * command_text - append the command in shell syntax, in lines of up to @width characters if its
 * words fit
 */
void command_text(const struct word_list *c, u32 width, struct outbuf *o);

/**
 * command_write() - run the command, with its output in a new file
 * @c: the command
 * @path: the file; it must not exist
 * @why: set to the reason, also if it was stopped (base/child.h)
 *
 * Return: true if the file was written; else it does not exist.
 */
bool command_write(const struct word_list *c, const char *path, struct outbuf *why);

#endif /* PERF_TUI_COMMAND_H */
