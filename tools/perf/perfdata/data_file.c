// SPDX-License-Identifier: GPL-2.0
/*
 * A mapped file of records; owns the mapping, copies of misaligned records, and what was unpacked.
 */
#include <sys/mman.h>
#include <sys/stat.h>

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
