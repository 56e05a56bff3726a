// SPDX-License-Identifier: GPL-2.0
/*
 * colour.c - colours of numbers on a terminal
 */
#include <unistd.h>

#include "base/error.h"
#include "render/colour.h"

bool ui_colour;

struct error *colour_setup(const char *when, bool pager)
{
	const char *term = getenv("TERM");

	if (!when || !strcmp(when, "auto"))
		ui_colour = (pager || isatty(STDOUT_FILENO)) && !getenv("NO_COLOR") &&
			    term && strcmp(term, "dumb");
	else if (!strcmp(when, "always"))
		ui_colour = true;
	else if (!strcmp(when, "never"))
		ui_colour = false;
	else
		return error_create(EINVAL, "--stdio-color: '%s' is not one of: always never auto", when);
	return NULL;
}

const char *colour_begin(double percent)
{
	if (!ui_colour || percent < COLOUR_WARM)
		return "";
	return percent >= COLOUR_HOT ? "\033[31m" : "\033[32m";
}

const char *colour_end(double percent)
{
	return !ui_colour || percent < COLOUR_WARM ? "" : "\033[m";
}
