// SPDX-License-Identifier: GPL-2.0
/*
 * Damage of a recording: the first is printed, with file and offset, all are counted. The caller
 * decides whether to go on.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/diag.h"
#include "perfdata/perfdata_private.h"

void damage_in(struct reader *r, const struct data_file *f, u64 offset, const char *fmt, ...)
{
	char reason[256];
	va_list ap;

	r->damaged = true;
	if (r->damage_reported)
		return;
	r->damage_reported = true;
	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	diag_error("%s: offset %#llx: %s", f && f->path ? f->path : r->path, offset, reason);
}

/* The file of a record read earlier; NULL: the record was unpacked or copied. */
static const struct data_file *file_of(const struct reader *r, const void *rec)
{
	const struct data_file *f;

	for (f = r->files; f < r->files + r->nr_files; f++)
		if ((const u8 *)rec >= f->map && (const u8 *)rec < f->map + f->size)
			return f;
	return r->nr_files == 1 ? r->files : NULL;
}

static void bad_records(struct reader *r, const struct data_file *f, u64 nr, u64 offset, const char *reason)
{
	r->bad_records += nr;
	damage_in(r, f, offset, "%s: such records are left out", reason);
}

void bad_record(struct reader *r, u64 offset, const char *reason)
{
	bad_records(r, &r->files[r->cur_file], 1, offset, reason);
}

void reader_bad_records(struct reader *r, u64 nr, const struct perf_event_header *rec, u64 offset, const char *reason)
{
	bad_records(r, file_of(r, rec), nr, offset, reason);
}

void reader_bad_feature(struct reader *r, u32 bit, const char *reason)
{
	damage_in(r, r->files, r->features.sections[bit].offset, "%s", reason);
}
