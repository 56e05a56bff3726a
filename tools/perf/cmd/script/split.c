// SPDX-License-Identifier: GPL-2.0
/*
 * perf script --per-event-dump: a file for each event, with its samples and records.
 *
 * struct script_split owns the files and their buffers. All are opened at the beginning, as all
 * events are known then.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/io.h"
#include "cmd/script/split.h"

struct split_file {
	char *path;
	struct outbuf out;
	u64 samples;
};

struct script_split {
	struct split_file *files;	/* by event idx */
	u32 nr;
	const char *recording;
};

static char *file_path(const char *recording, const char *event)
{
	size_t len = strlen(recording) + strlen(event) + sizeof("..dump");
	char *path = xmalloc(len), *c;

	snprintf(path, len, "%s.%s.dump", recording, event);
	/* "cpu/cycles/" must not be a directory */
	for (c = path + strlen(recording); *c; c++)
		if (*c == '/')
			*c = '_';
	return path;
}

static int open_file(struct script_split *split, const struct event *ev)
{
	struct split_file *f = &split->files[ev->idx];
	int fd;

	f->path = file_path(split->recording, ev->name);
	/* Do not follow links: a part of the name is from the recording. */
	fd = open_output(f->path, O_WRONLY | O_NOFOLLOW, 0666, NULL);
	if (fd < 0)
		return diag_error("%s: %s", f->path, output_error(fd));
	outbuf_init(&f->out, fd);
	return 0;
}

struct script_split *script_split_open(const struct session *s)
{
	struct script_split *split = xcalloc(1, sizeof(*split));
	u32 i;

	split->recording = reader_path(s->reader);
	split->nr = s->events->nr;
	split->files = xcalloc(max(split->nr, 1u), sizeof(*split->files));
	for (i = 0; i < s->events->nr; i++)
		if (open_file(split, s->events->events[i])) {
			script_split_close(split);
			return NULL;
		}
	return split;
}

struct outbuf *script_split_out(struct script_split *split, const struct event *ev, bool sample)
{
	struct split_file *f = &split->files[ev->idx];

	f->samples += sample;
	return &f->out;
}

int script_split_close(struct script_split *split)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < split->nr; i++) {
		struct split_file *f = &split->files[i];
		struct stat st;
		int err;

		if (f->out.base) {
			err = outbuf_flush(&f->out);
			if (err)
				ret = diag_error("%s: %s", f->path, strerror(-err));
			else if (!fstat(f->out.fd, &st))
				printf("[ perf script: Wrote %.3f MB %s (%llu samples) ]\n",
				       st.st_size / 1048576.0, f->path, f->samples);
			close(f->out.fd);
			outbuf_deinit(&f->out);
		}
		free(f->path);
	}
	free(split->files);
	free(split);
	return ret;
}
