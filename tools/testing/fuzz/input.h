/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all that fuzzes the tool does with an input: load it, and decode a recording's records.
 */
#ifndef TOOL_FUZZ_INPUT_H
#define TOOL_FUZZ_INPUT_H

#include <stdio.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "event/sample.h"
#include "perfdata/reader.h"

/* fuzz_load - a whole file; the program ends when it cannot be read. The caller frees it. */
static inline u8 *fuzz_load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	u8 *data;

	if (!f || fstat(fileno(f), &st)) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(1);
	}
	data = xmalloc(st.st_size + 1);
	if (fread(data, 1, st.st_size, f) != (size_t)st.st_size)
		exit(1);
	fclose(f);
	*size = st.st_size;
	return data;
}

/* fuzz_decode - decode the records up to the end of a pass. Return: how many there are. */
static inline u64 fuzz_decode(struct reader *r)
{
	struct record rec;
	u64 nr = 0;

	while (reader_next(r, &rec)) {
		struct event *ev = event_list_find(&r->events, rec.header);
		struct sample s;

		nr++;
		record_time(&r->events, rec.header);
		if (ev && rec.header->type == PERF_RECORD_SAMPLE)
			sample_decode(ev, rec.header, rec.offset, &s);
		else if (ev && rec.header->type < REC_HEADER_ATTR)
			sample_id_decode(ev, rec.header, &s);
	}
	return nr;
}

#endif /* TOOL_FUZZ_INPUT_H */
