// SPDX-License-Identifier: GPL-2.0
/*
 * Options of the command line: each word is looked up in a table of struct opt, whose entries
 * point to the caller's variables. Owns nothing.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/argparse.h"
#include "base/error.h"
#include "base/nearest.h"

static bool takes_arg(const struct opt *o)
{
	return o->arg_name || o->kind == OPT_INT || o->kind == OPT_U64 ||
	       o->kind == OPT_STRING;
}

static void print_help(const struct opt *o, const char *usage)
{
	char left[128];
	int n;

	printf("\n Usage: %s\n\n", usage);
	for (; o->kind != OPT_END; o++) {
		if (o->hidden)
			continue;
		if (o->kind == OPT_GROUP) {
			printf("\n %s\n", o->help);
			continue;
		}
		n = snprintf(left, sizeof(left), "    ");
		if (o->short_name)
			n += snprintf(left + n, sizeof(left) - n, "-%c%s", o->short_name,
				      o->long_name ? ", " : "");
		if (o->long_name)
			n += snprintf(left + n, sizeof(left) - n, "--%s", o->long_name);
		if (takes_arg(o))
			snprintf(left + n, sizeof(left) - n, o->default_arg ? "[=<%s>]" : " <%s>",
				 o->arg_name ? o->arg_name : "n");
		if (strlen(left) > 29)
			printf("%s\n%30s%s\n", left, "", o->help ? o->help : "");
		else
			printf("%-30s%s\n", left, o->help ? o->help : "");
	}
	printf("\n");
}

static bool next_is_arg(const struct opt *o, int argc, char **argv, int i)
{
	return o->takes_next && i + 1 < argc && argv[i + 1][0] != '-';
}

static struct error *store(const struct opt *o, const char *name, const char *arg, bool unset)
{
	char *end;
	s64 v;

	if (o->set)
		*o->set = !unset;
	switch (o->kind) {
	case OPT_BOOL:
		*(bool *)o->value = !unset;
		return NULL;
	case OPT_COUNT:
		*(int *)o->value = unset ? 0 : *(int *)o->value + 1;
		return NULL;
	case OPT_STRING:
		*(const char **)o->value = unset ? NULL : arg;
		return NULL;
	case OPT_CALLBACK:
		return o->call(o, unset ? NULL : arg, unset);
	case OPT_INT:
	case OPT_U64:
		errno = 0;
		if (unset)
			v = 0;
		else if (o->kind == OPT_INT)
			v = strtoll(arg, &end, 0);
		else
			v = strtoull(arg, &end, 0);
		if (!unset && (end == arg || *end || errno ||
			       (o->kind == OPT_U64 && *arg == '-') ||
			       (o->kind == OPT_INT && v != (int)v)))
			return error_create(EINVAL, "option %s needs a number, not '%s'", name, arg);
		if (o->kind == OPT_INT)
			*(int *)o->value = v;
		else
			*(u64 *)o->value = v;
		return NULL;
	default:
		return error_create(EINVAL, "option %s cannot be used", name);
	}
}

/* Find --name, exact or an unambiguous prefix; *unset for --no-name. */
static const struct opt *find_long(const struct opt *opts, const char *name, size_t len,
				   bool *unset)
{
	const struct opt *o, *match = NULL;
	bool ambiguous = false;
	int negated;

	for (negated = 0; negated < 2; negated++) {
		if (negated) {
			if (len < 4 || strncmp(name, "no-", 3))
				break;
			name += 3;
			len -= 3;
		}
		for (o = opts; o->kind != OPT_END; o++) {
			if (!o->long_name || strncmp(o->long_name, name, len))
				continue;
			*unset = negated;
			if (!o->long_name[len])
				return o;
			ambiguous = match != NULL;
			match = o;
		}
		if (match)
			break;
	}
	return ambiguous ? NULL : match;
}

/* @word is no option, or begins several: which may be meant. */
static struct error *unknown(const struct opt *opts, const char *word)
{
	struct nearest near = { .wanted = word + strspn(word, "-") }, begun = {};
	char names[320] = "", negated[96];
	const struct opt *o;
	u32 i;
	int n = 0;

	near.len = strcspn(near.wanted, "=");
	begun.wanted = near.wanted;	/* with length 0: takes every name */
	for (o = opts; o->kind != OPT_END; o++) {
		if (!o->long_name || o->hidden)
			continue;
		nearest_offer(&near, o->long_name);
		if (word[1] == '-' && !strncmp(o->long_name, near.wanted, near.len))
			nearest_offer(&begun, o->long_name);
		snprintf(negated, sizeof(negated), "no-%s", o->long_name);
		if (!strncmp(near.wanted, "no-", 3))
			nearest_offer(&near, negated);
	}
	if (begun.nr)
		near = begun;
	for (i = 0; i < near.nr; i++)
		n += snprintf(names + n, sizeof(names) - n, "%s--%s", i ? ", " : "", near.best[i].name);
	return error_create(EINVAL, "%s option '%s'%s%s%s", begun.nr ? "ambiguous" : "unknown", word,
			    near.nr ? "; nearest: " : "", names,
			    near.nr ? "; -h lists all" : ": -h lists the options");
}

/* Give option @o its argument: @arg, or the next word, or its default. @used: words of @argv. */
static struct error *take_arg(const struct opt *o, const char *name, const char *arg, int argc,
			      char **argv, int i, int *used)
{
	if (arg)
		return store(o, name, arg, false);
	if (o->default_arg && !next_is_arg(o, argc, argv, i))
		return store(o, name, o->default_arg, false);
	if (i + 1 >= argc)
		return error_create(EINVAL, "option %s needs a value", name);
	*used = 2;
	return store(o, name, argv[i + 1], false);
}

static struct error *parse_long(int argc, char **argv, int i, const struct opt *opts, int *used)
{
	char *word = argv[i] + 2, *eq = strchr(word, '='), name[64];
	bool unset = false;
	const struct opt *o = find_long(opts, word, eq ? (size_t)(eq - word) : strlen(word), &unset);

	if (!o)
		return unknown(opts, argv[i]);
	snprintf(name, sizeof(name), "--%s%s", unset ? "no-" : "", o->long_name);
	if (eq && (unset || !takes_arg(o)))
		return error_create(EINVAL, "option %s takes no value", name);
	if (unset || !takes_arg(o))
		return store(o, name, NULL, unset);
	return take_arg(o, name, eq ? eq + 1 : NULL, argc, argv, i, used);
}

/* One word that begins with '-'. @used: set to how many words were used. */
static struct error *parse_word(int argc, char **argv, int i, const struct opt *opts, int *used)
{
	const struct opt *o;
	struct error *e;
	char *word, name[64];

	*used = 1;
	if (argv[i][1] == '-')
		return parse_long(argc, argv, i, opts, used);
	for (word = argv[i] + 1; *word; word++) {
		for (o = opts; o->kind != OPT_END; o++)
			if (o->short_name && o->short_name == *word)
				break;
		if (o->kind == OPT_END)
			return unknown(opts, argv[i]);
		snprintf(name, sizeof(name), "-%c", *word);
		if (takes_arg(o))
			return take_arg(o, name, word[1] ? word + 1 : NULL, argc, argv, i, used);
		e = store(o, name, NULL, false);
		if (e)
			return e;
	}
	return NULL;
}

struct error *argparse(int argc, char **argv, const struct opt *opts, const char *usage,
		       bool stop_at_operand, int *operand)
{
	char **operands = xcalloc(argc + 1, sizeof(*operands));
	struct error *e = NULL;
	int nr = 0, i, used;

	for (i = 1; i < argc; i += used) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		used = 1;
		if (argv[i][0] != '-' || !argv[i][1]) {
			if (stop_at_operand)
				break;
			operands[nr++] = argv[i];
			continue;
		}
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
			print_help(opts, usage);
			exit(0);
		}
		e = parse_word(argc, argv, i, opts, &used);
		if (e)
			goto out;
	}
	while (i < argc)
		operands[nr++] = argv[i++];
	if (nr)
		memcpy(argv + argc - nr, operands, nr * sizeof(*operands));
	*operand = argc - nr;
out:
	free(operands);
	return e;
}

struct error *opt_switch(const struct opt *opt, const char *arg __unused, bool unset)
{
	*(int *)opt->value = !unset;
	return NULL;
}
