// SPDX-License-Identifier: GPL-2.0
/*
 * A recording that is a directory (perf record --threads): "data" is an
 * ordinary perf.data with all the headers, "data.0", "data.1"... hold more
 * records of it and nothing else.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "file/private.h"

struct error *directory_open(struct reader *r, int dirfd)
{
	char path[4096], name[32];
	struct error *err;

	snprintf(path, sizeof(path), "%s/data", r->path);
	for (;;) {
		_cleanup_close_ int fd = -1;
		struct data_file *f;
		struct stat st;

		if (r->nr_files > 1 || r->files[0].path) {
			snprintf(name, sizeof(name), "data.%u", r->nr_files - 1);
			snprintf(path, sizeof(path), "%s/%s", r->path, name);
		} else {
			strcpy(name, "data");
		}
		fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0 && r->files[0].path && errno == ENOENT)
			return NULL;
		if (fd < 0)
			return error_file(path, errno, "cannot be opened: %m%s", r->files[0].path ?
					  "" : " (a recording's directory has a file data in it)");
		if (!r->files[0].path) {
			f = &r->files[0];
		} else {
			if (r->nr_files >= MAX_DIR_FILES)
				return NULL;
			r->files = xrealloc(r->files, (r->nr_files + 1) * sizeof(*r->files));
			f = &r->files[r->nr_files++];
			memset(f, 0, sizeof(*f));
			f->unpack.temp_fd = -1;
		}
		if (f == &r->files[0] && !fstat(fd, &st))
			r->mtime = st.st_mtime;
		err = file_map(f, fd, path);
		if (err)
			return err;
	}
}
