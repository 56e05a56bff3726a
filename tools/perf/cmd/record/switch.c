// SPDX-License-Identifier: GPL-2.0
/*
 * --switch-output and --timestamp-filename: a recording in several files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cmd/record/record.h"

char *output_rename(struct record *rec)
{
	u32 later = 0;
	char *path;

	/* Two in one hundredth of a second: the second one gets the next. */
	path = output_timestamped(rec->output, later);
	while (renameat2(AT_FDCWD, rec->output, AT_FDCWD, path, RENAME_NOREPLACE)) {
		if (errno == EEXIST && ++later < 1000) {
			free(path);
			path = output_timestamped(rec->output, later);
			continue;
		}
		if (errno == EINVAL && !rename(rec->output, path))
			break;		/* a file system without NOREPLACE */
		diag_error("%s: cannot be renamed to %s: %s", rec->output, path, strerror(errno));
		free(path);
		return NULL;
	}
	return path;
}

void output_dumped(struct record *rec, char *path)
{
	GROW(rec->switched, rec->nr_switched, rec->cap_switched);
	rec->switched[rec->nr_switched++] = path;
	if (verbose >= 0)
		fprintf(stderr, "[ perf record: Dump %s ]\n", path);
	/* Only the last few are kept. */
	while (rec->switch_max_files > 0 &&
	       rec->nr_switched - rec->dropped_files > (u32)rec->switch_max_files) {
		const char *oldest = rec->switched[rec->dropped_files++];

		if (unlink(oldest))
			diag_warn("%s: cannot be removed: %s", oldest, strerror(errno));
	}
}

const char *output_final_name(struct record *rec)
{
	char *path;

	if (rec->writer.is_pipe || (!rec->timestamp_filename && !rec->switch_output))
		return rec->output;
	path = output_rename(rec);
	if (!path)
		return rec->output;
	output_dumped(rec, path);
	return path;
}

int output_hand_over(struct record *rec)
{
	int err = 0;

	output_prepare(rec);
	follow_carry(rec, true);
	if (rings_backward(&rec->rings))
		err = output_snapshot(rec);
	rec->rounds_held = UINT32_MAX;	/* whatever is in the buffers */
	if (!err)
		err = output_round(rec);
	follow_carry(rec, false);
	return err;
}

int output_switch(struct record *rec)
{
	u32 time_offset = rec->rings.stats.time_offset;
	char *path;

	if (late_finish(rec, true) || output_end(rec))
		return -1;
	/* Where nothing is waited for any more. */
	if (!late_waiting(rec)) {
		path = output_rename(rec);
		if (!path)
			return -1;
		output_dumped(rec, path);
	}
	rec->total_lost += rec->rings.stats.lost;
	rec->rings.stats = (struct ring_stats){ .time_offset = time_offset };
	if (rec->compressor)
		compressor_reset(rec->compressor);
	return output_begin(rec, rec->output) ?: writer_publish(&rec->writer);
}
