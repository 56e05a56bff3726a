/* SPDX-License-Identifier: GPL-2.0 */
/* The header of a recording as text: --header, --header-only, -I, FEATURE records of a dump. */
#ifndef PERF_CMD_HEADER_HEADER_H
#define PERF_CMD_HEADER_HEADER_H

#include "base/outbuf.h"
#include "perfdata/reader.h"

/*
 * header_print - print the header in lines that begin with '#'; @full: with the long lists (-I); a
 * pipe's as far as it was read: it is complete when the first data record was
 */
void header_print(struct reader *r, bool full, struct outbuf *o);

/* header_print_only - --header-only; @input: NULL: perf.data. Return: the exit status. */
int header_print_only(const char *input, bool force, bool full);

/* header_feature_known - can a feature be printed? @bit: FEAT_* */
bool header_feature_known(u32 bit);

/* header_feature_print - append the text of feature @bit, if it has one */
void header_feature_print(const struct features *f, const struct event_list *events, u32 bit,
			  bool full, struct outbuf *o);

/*
 * attr_print_list - append "type = 1 (PERF_TYPE_SOFTWARE), size = 144, ..."; @tp_name: as for
 * attr_each(); @before: in front of the first field, e.g. ", "
 */
void attr_print_list(const struct perf_event_attr *attr, const char *tp_name, const char *before,
		     struct outbuf *o);

/* short_size - bytes with a unit, as mainline rounds them: "4K"; in @buf */
const char *short_size(u64 v, char *buf, size_t size);

/* Numbers being printed, runs of them as "0-3": "0-3,8". */
struct number_runs {
	struct outbuf *o;	/* set by the caller, the rest is 0 */
	s64 from, to;		/* the last run */
	bool any, open;		/* runs were printed; the last run is not printed yet */
};

/* number_runs_add - append a number; it continues the last run if it is the next one */
void number_runs_add(struct number_runs *r, s64 nr);

/* number_runs_end - print the last run, if there is one; to be called after the last number */
void number_runs_end(struct number_runs *r);

/* private: topology.c */
void print_cpu_topology(const struct features *f, struct feature_cursor *c, struct outbuf *o);
void print_numa_topology(struct feature_cursor *c, struct outbuf *o);
void print_cache(struct feature_cursor *c, struct outbuf *o);
void print_mem_topology(struct feature_cursor *c, struct outbuf *o);
void print_domain_info(struct feature_cursor *c, struct outbuf *o);
void print_hybrid_topology(struct feature_cursor *c, struct outbuf *o);

/* private: bpf.c */
void print_bpf_programs(struct feature_cursor *c, struct outbuf *o);
void print_btf(struct feature_cursor *c, struct outbuf *o);

#endif /* PERF_CMD_HEADER_HEADER_H */
