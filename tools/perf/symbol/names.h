/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names in a recording (perf record --embed): symbols, inlined functions and source lines of its
 * addresses, so that it can be shown without programs and debug information. Format:
 * Documentation/perf-data.rst.
 */
#ifndef PERF_SYMBOL_NAMES_H
#define PERF_SYMBOL_NAMES_H

#include "base/outbuf.h"

struct dso;
struct embedded;
struct names_writer;

/*
 * names_open - read and check the names of a recording, for symbol_config.names; @data: may be
 * freed afterwards; @why: set to the reason for NULL. Memory is limited to a multiple of @size.
 */
struct embedded *names_open(const void *data, u64 size, const char **why);

/* names_free - call after the dso table is destroyed; NULL is allowed */
void names_free(struct embedded *n);

/* names_writer_create - for a dso table of sample_names_config() */
struct names_writer *names_writer_create(void);

/* names_note - add an address of the recording; @addr: from dso_map_ip() */
void names_note(struct names_writer *w, struct dso *d, u64 addr);

/*
 * names_write - append the section to @o, nothing if there are no names, and free the writer.
 * Source lines and inlined functions are looked up here. Return: 0, or -ENOMEM.
 */
int names_write(struct names_writer *w, struct outbuf *o);

#endif /* PERF_SYMBOL_NAMES_H */
