/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The headers of perf.data and their tables, for reader and writer. Described in
 * Documentation/perf-data.rst.
 */
#ifndef PERF_PERFDATA_LAYOUT_H
#define PERF_PERFDATA_LAYOUT_H

#include "event/abi.h"

struct file_section {
	u64 offset, size;
};

struct file_header {
	u64 magic, size, attr_size;
	struct file_section attrs, data, event_types;
	u64 features[FEAT_MAX / 64];
};
_Static_assert(sizeof(struct file_header) == 104, "file_header");

/* The only header of a pipe. */
struct pipe_header {
	u64 magic, size;
};
#define PIPE_HEADER_SIZE 16
_Static_assert(sizeof(struct pipe_header) == PIPE_HEADER_SIZE, "pipe_header");

/* An entry of the attribute table, in the size that we write. */
struct file_attr {
	struct perf_event_attr attr;
	struct file_section ids;
};

#endif /* PERF_PERFDATA_LAYOUT_H */
