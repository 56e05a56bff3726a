/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is looked at: lists of names, numbers and spans of time.
 */
#ifndef PERF_HIST_FILTER_H
#define PERF_HIST_FILTER_H

#include "base/types.h"

struct name_list {
	char **names;		/* sorted */
	u32 nr, cap;
};

/**
 * name_list_parse() - read "a,b,file://names"
 * @option: for messages
 * @arg: the list; an entry file://PATH stands for the lines of that file
 * @l: the list; all zeroes is an empty one
 *
 * Return: 0, or -1 after diag_error().
 */
int name_list_parse(const char *option, const char *arg, struct name_list *l);
bool name_list_has(const struct name_list *l, const char *name);
void name_list_deinit(struct name_list *l);

/* Numbers: spans, both ends inclusive. */
struct number_list {
	struct { u64 from, to; } *spans;
	u32 nr, cap;
};

/**
 * number_list_parse() - read "1,3-5"
 * @option: for messages
 * @arg: the list
 * @l: the list; all zeroes is an empty one
 *
 * Return: 0, or -1 after diag_error().
 */
int number_list_parse(const char *option, const char *arg, struct number_list *l);

static inline void number_list_deinit(struct number_list *l)
{
	free(l->spans);
	*l = (struct number_list){ 0 };
}

static inline bool number_list_has(const struct number_list *l, u64 v)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		if (v >= l->spans[i].from && v <= l->spans[i].to)
			return true;
	return false;
}

/**
 * time_list_parse() - read the argument of --time
 * @arg: "start,stop" in seconds with up to nine decimals, either end left out, several
 *	 separated by spaces; or parts of the recording: "10%/2,10%/4", "0%-10%,30%-40%"
 * @first: of the recording's samples, nanoseconds
 * @last: likewise
 * @l: spans are added here
 *
 * Return: 0, or -1 after diag_error().
 */
int time_list_parse(const char *arg, u64 first, u64 last, struct number_list *l);

#endif /* PERF_HIST_FILTER_H */
