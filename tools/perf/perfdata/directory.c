// SPDX-License-Identifier: GPL-2.0
/*
 * A directory (perf record --threads): "data" is a complete perf.data, "data.0", "data.1"... have
 * more records. Only regular files are opened.
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "perfdata/perfdata_private.h"

/* Report "data.N" files that were not read: those after a missing one, or above the limit. */
static void check_whole(struct reader *r, int dirfd)
{
	_cleanup_closedir_ DIR *dir = open_dir_at(dirfd, ".");
	u32 next = r->nr_files - 1;
	struct dirent *de;

	while (dir && (de = readdir(dir))) {
		char name[32];
		u32 nr = strncmp(de->d_name, "data.", 5) ? 0 : strtoul(de->d_name + 5, NULL, 10);

		snprintf(name, sizeof(name), "data.%u", nr);
		if (nr < next || strcmp(name, de->d_name))
			continue;
		r->damaged = true;
		diag_error(next < MAX_DIR_FILES - 1 ? "%s: it has a file %s, but no data.%u: what is in later files is not read" :
			   "%s: it has a file %s: no more than %u are read", r->path, name, next);
		break;
	}
}

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
		fd = open_regular_at(dirfd, name, 0, &st);
		if (fd == -ENOENT && r->files[0].path) {
			check_whole(r, dirfd);
			return NULL;
		}
		if (fd == -ENOEXEC)
			return error_file(path, EINVAL, "is no regular file");
		if (fd < 0)
			return error_file(path, -fd, "cannot be opened: %m%s", r->files[0].path ?
					  "" : " (a recording's directory has a file data in it)");
		if (!r->files[0].path) {
			f = &r->files[0];
		} else {
			if (r->nr_files >= MAX_DIR_FILES) {
				check_whole(r, dirfd);
				return NULL;
			}
			r->files = xrealloc(r->files, (r->nr_files + 1) * sizeof(*r->files));
			f = &r->files[r->nr_files++];
			memset(f, 0, sizeof(*f));
			f->unpack.temp_fd = -1;
		}
		if (f == &r->files[0])
			r->mtime_ns = st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec;
		err = data_file_map(f, fd, path);
		if (err)
			return err;
	}
}
