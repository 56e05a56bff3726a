/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions with their samples by address, beside assembly and source.
 *
 * annotate_collect() reads a session once; annotate_print() makes the text of a function.
 */
#ifndef PERF_ANNOTATE_ANNOTATE_H
#define PERF_ANNOTATE_ANNOTATE_H

#include "base/hash.h"
#include "base/outbuf.h"
#include "session/filter.h"
#include "session/session.h"

/* The samples at a file address. */
struct annotate_hit {
	u64 addr, period, samples;
};

struct annotate_text;

/* A function of one event. */
struct annotate_func {
	const struct event *event;
	struct dso *dso;
	const struct symbol *sym;
	struct annotate_hit *hits;	/* ascending from annotate_collect() on */
	u32 nr_hits, cap_hits;
	u64 period, samples;
	/* private: index in @hits; code and source, read by annotate_print() */
	struct hash by_addr;
	struct annotate_text *text;
};

struct annotate_opt {
	const struct filter *filter;	/* set up */
	const char *symbol;		/* only functions of this name; NULL: any */
	const char *dso;		/* only in the file with this short name; NULL: any */
	const struct event *event;	/* only of this event; NULL: of each */
};

struct annotate {
	const struct annotate_opt *opt;
	struct session *session;
	struct frame_cache *frames;
	struct annotate_func *funcs;	/* by event, then by period, descending */
	u32 nr_funcs, cap_funcs;
	struct hash by_place;		/* (event and file, start) -> index in @funcs */
	struct annotate_hit *total;	/* by event: all samples, filtered or not; no address */
	u64 unknown;			/* samples without a function, after filtering */
};

/* annotate_begin - start counting samples one at a time; @opt: outlives @a; annotate_deinit() it */
void annotate_begin(struct annotate *a, struct session *s, const struct annotate_opt *opt);

/* annotate_sample - count a sample; session_ops.filter is that of annotate_opt */
void annotate_sample(struct annotate *a, const struct visit *v);

/* annotate_decay - multiply all counts by @num / @den, 1 at most; addresses without samples are removed */
void annotate_decay(struct annotate *a, u32 num, u32 den);

/* annotate_sort - order functions and addresses; more samples may follow */
void annotate_sort(struct annotate *a);

/* annotate_collect - the same for a whole session; annotate_deinit() also after an error */
int annotate_collect(struct annotate *a, struct session *s, const struct annotate_opt *opt);
void annotate_deinit(struct annotate *a);

/* The number shown with each instruction. */
enum annotate_column { ANNOTATE_PERCENT, ANNOTATE_SAMPLES, ANNOTATE_PERIOD };

struct annotate_style {
	enum annotate_column column;
	const struct annotate *whole;	/* percentages are of its events; NULL: of the function */
	bool by_samples;		/* percentages are of samples, not of periods */
	const char *objdump;		/* the program; NULL: objdump */
	const char *syntax;		/* for objdump -M: intel; NULL: objdump's default */
	bool no_source;			/* assembly alone */
	bool no_demangle;
	bool raw;			/* show the bytes of the instructions */
};

/*
 * annotate_print - append the text of a function, after annotate_sort(); its code and source are
 * read once. A line of code is "PERCENT : ADDRESS: INSTRUCTION", with samples or period in another
 * column; one of source " : NUMBER TEXT". Without code it begins with the reason, and has a line
 * for each address.
 */
void annotate_print(struct annotate_func *f, const struct annotate_style *style,
		    struct outbuf *o);

/* annotate_text_free - free what annotate_print() has read; @t may be NULL */
void annotate_text_free(struct annotate_text *t);

struct code_line {
	u64 addr;
	const char *text;		/* printable */
};

struct code {
	struct code_line *lines;	/* ascending */
	u32 nr, cap;
	struct arena arena;
	bool is_source;			/* lines of source, without text */
	char why[160];			/* reason for no lines; "": there are lines */
};

/* code_read - read the instructions of a function, or set .why; call code_deinit() */
void code_read(struct code *c, const struct annotate_func *f, const struct annotate_style *style);

#endif /* PERF_ANNOTATE_ANNOTATE_H */
