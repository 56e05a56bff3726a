// SPDX-License-Identifier: GPL-2.0
/*
 * chain_opt.c - the argument of -g
 */
#include <stdlib.h>
#include <strings.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "hist/config.h"

/* Words may be abbreviated to their first @least letters. */
static bool is_word(const char *arg, const char *word, size_t least)
{
	size_t len = strlen(arg);

	return len >= least && !strncasecmp(arg, word, len);
}

static bool parse_word(const char *w, struct chain_opt *opt)
{
	opt->key_set |= is_word(w, "function", 2) || is_word(w, "address", 1) || is_word(w, "srcline", 1);
	if (is_word(w, "graph", 1)) {
		opt->mode = CHAIN_GRAPH;
	} else if (is_word(w, "fractal", 2)) {
		opt->mode = CHAIN_FRACTAL;
	} else if (is_word(w, "flat", 2)) {
		opt->mode = CHAIN_FLAT;
	} else if (is_word(w, "folded", 2)) {
		opt->mode = CHAIN_FOLDED;
	} else if (is_word(w, "none", 1) || is_word(w, "no", 2)) {
		opt->mode = CHAIN_NONE;
	} else if (is_word(w, "caller", 6)) {
		opt->caller = opt->order_set = true;
	} else if (is_word(w, "callee", 6)) {
		opt->caller = false;
		opt->order_set = true;
	} else if (is_word(w, "function", 2)) {
		opt->key = CHAIN_KEY_FUNCTION;
	} else if (is_word(w, "address", 1)) {
		opt->key = CHAIN_KEY_ADDRESS;
	} else if (is_word(w, "srcline", 1)) {
		opt->key = CHAIN_KEY_SRCLINE;
	} else if (is_word(w, "percent", 4)) {
		opt->value = CHAIN_PERCENT;
	} else if (is_word(w, "period", 4)) {
		opt->value = CHAIN_PERIOD;
	} else if (is_word(w, "count", 2)) {
		opt->value = CHAIN_COUNT;
	} else if (is_word(w, "branch", 1)) {
		/* Branch entries are added to the chain only if the recording has them. */
	} else {
		return false;
	}
	return true;
}

struct error *chain_opt_parse(const char *arg, struct chain_opt *opt)
{
	_cleanup_free_ char *copy = xstrdup(arg ? arg : "");
	char *save = NULL, *w, *end;
	bool have_percent = false;

	for (w = strtok_r(copy, ", ", &save); w; w = strtok_r(NULL, ", ", &save)) {
		double v = strtod(w, &end);

		if (end != w && !*end) {
			if (v < 0 || v != v || v > 4e9)
				return error_create(EINVAL,
						    "-g: '%s': a threshold is a percentage of 0 or more",
						    w);
			if (have_percent)
				opt->print_limit = v;
			else
				opt->min_percent = v;
			have_percent = true;
			continue;
		}
		if (!parse_word(w, opt))
			return error_create(EINVAL, "-g: '%s' is not one of: graph fractal flat folded none, "
					    "a threshold and a print limit, caller callee, "
					    "function address srcline, percent period count", w);
	}
	return NULL;
}
