// SPDX-License-Identifier: GPL-2.0
/*
 * command_view.c - shows the command that prints the current view, or runs it with its output in a
 * file
 *
 * It is given the browser and owns nothing.
 */
#include <ctype.h>
#include <stdio.h>

#include "base/progress.h"
#include "tui/browse.h"

void command_show(struct tui_browser *b, enum tui_form form)
{
	_cleanup_words_ struct word_list c = { 0 };
	_cleanup_outbuf_ struct outbuf o = { 0 };

	if (!browse_words(b, form, &c))
		return;
	command_text(&c, b->screen->columns, &o);
	text_view_show(b, "The command that prints this", outbuf_text(&o));
}

void write_show(struct tui_browser *b)
{
	static const struct { char key; const char *suffix; } forms[] = {
		[FORM_TEXT] = { 't', "txt" }, [FORM_FOLDED] = { 'f', "folded" },
		[FORM_SVG] = { 's', "svg" },
	};
	char answer[8] = "", path[256];
	_cleanup_words_ struct word_list c = { 0 };
	_cleanup_outbuf_ struct outbuf why = { 0 };
	u32 form;

	if (!browse_ask(b, "Write t: text, f: folded stacks, s: a flame graph", answer, sizeof(answer)))
		return;
	for (form = 0; form < ARRAY_SIZE(forms) && tolower(*answer) != forms[form].key;)
		form++;
	if (form == ARRAY_SIZE(forms)) {
		browse_say(b, "t, f or s");
		return;
	}
	snprintf(path, sizeof(path), "perf-report.%s", forms[form].suffix);
	if (!browse_ask(b, "File", path, sizeof(path)) || !*path || !browse_words(b, form, &c))
		return;
	browse_say(b, "writing %s ...", path);
	browse_show(b);
	if (command_write(&c, path, &why))
		browse_say(b, "wrote %s", path);
	else
		browse_say(b, "%s", outbuf_text(&why));
	interrupt_forget();
}
