// SPDX-License-Identifier: GPL-2.0
/*
 * A directory (perf record --threads): "data" is a complete perf.data, "data.0", "data.1"... have
 * more records. Only regular files are opened. A mapped file owns the mapping, copies of misaligned
 * records, and what was unpacked.
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "perfdata/perfdata_private.h"

struct error *data_file_map(struct data_file *f, int fd, const char *path)
{
	struct stat st;

	f->path = xstrdup(path);
	if (fstat(fd, &st))
		return error_file(path, errno, "%m");
	f->size = st.st_size;
	if (!f->size)
		return NULL;
	/* Private: records of the other byte order are swapped in place. */
	f->map = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (f->map == MAP_FAILED) {
		f->map = NULL;
		return error_file(path, errno, "cannot be mapped: %m");
	}
	madvise(f->map, f->size, MADV_SEQUENTIAL);
	f->end = f->size;
	f->swapped = f->map;
	return NULL;
}

void data_file_deinit(struct data_file *f)
{
	if (f->map)
		munmap(f->map, f->size);
	free(f->copies);
	unpack_deinit(&f->unpack);
	free(f->path);
}

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
