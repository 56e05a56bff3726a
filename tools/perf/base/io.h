/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Complete writes: interrupted and partial write() calls are continued. Opening of files named
 * by a recording, which may be any file.
 */
#ifndef PERF_BASE_IO_H
#define PERF_BASE_IO_H

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/types.h"

/**
 * io_again() - whether a read() or write() that failed is to be made again
 * @events: POLLIN or POLLOUT
 *
 * It is when it was interrupted. A pipe or terminal that another process has set to non-blocking
 * mode (the mode belongs to all who have it open) is waited for first.
 */
bool io_again(int fd, short events);

/*
 * write_all - write at the position of the file. Return: 0, or -errno; then a part may have been
 * written.
 */
int write_all(int fd, const void *p, size_t size);

/*
 * pwrite_all - write at an offset; @offset: where to, in bytes; the position of the file is not
 * used. Return: as write_all().
 */
int pwrite_all(int fd, const void *p, size_t size, u64 offset);

/**
 * io_copy() - copy the rest of a file
 * @from: the file, read from its position
 * @to: written at its position
 * @most: bytes that it may have
 *
 * Return: 0; -EFBIG: there is more; or another -errno; then a part may have been written.
 */
int io_copy(int from, int to, u64 most);

/**
 * io_copy_piece() - copy a piece of a file by its extents: holes remain holes
 * @to: a new file
 * @offset: where to begin, 0 first; set to where the next piece begins
 *
 * Return: bytes of data, about 1 MB at most; 0: at the end, and @to is as long as @from; or -errno.
 */
int io_copy_piece(int from, int to, u64 *offset);

/**
 * io_read_part() - read a part of a file into memory
 * @fd: the file
 * @offset: where it begins
 * @size: bytes
 *
 * Whoever may write the file could shorten it while it is mapped.
 * Return: the memory, for free(); NULL: the file ends before.
 */
void *io_read_part(int fd, u64 offset, size_t size);

/**
 * open_regular() - open a file for reading that somebody else named
 * @flags: O_NOFOLLOW or 0
 * @st: set to the result of fstat()
 *
 * A device or a FIFO is not even opened: that alone may do something, or wait.
 * Return: a descriptor; -ENOEXEC: it is no regular file; or another -errno.
 */
int open_regular(const char *path, int flags, struct stat *st);

/* file_is_ours - may those alone write the file whose programs perf's user runs? */
static inline bool file_is_ours(const struct stat *st)
{
	return (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & 022);
}

/* io_open_regular - what open_regular() does in a process that has no file system (host/host.h) */
extern int (*io_open_regular)(const char *path, struct stat *st);

/* open_regular_at - the same, of a path below a folder that is open as @dir */
int open_regular_at(int dir, const char *path, int flags, struct stat *st);

/* open_dir_at - open a folder below another, no link, to read its entries; NULL: errno says why not */
DIR *open_dir_at(int dir, const char *name);

/**
 * open_output() - open a file that is written anew, or create it
 * @path: its path, which the user gave
 * @flags: O_WRONLY or O_RDWR; O_NOFOLLOW
 * @mode: of a new file
 * @created: set to whether it was not there; NULL: nobody asks
 *
 * In a world-writable folder such as /tmp, a file of another user (not the folder's owner) at the path is
 * not opened: the maker of a link would choose the file to write, the owner of a file or FIFO read the output.
 *
 * Return: a descriptor; -EXDEV: another user has put it there; or another -errno.
 */
int open_output(const char *path, int flags, mode_t mode, bool *created);

/* struct new_file - a file that takes the place of an earlier one when it is complete */
struct new_file {
	int fd;			/* to be written to; -1: none */
	char *path;		/* of the file that is replaced, or of a created one */
	bool created;
};

/**
 * new_file_open() - begin a file that the user named
 * @n: set; to be given to new_file_close(), also after an error
 * @path, @mode: as open_output()'s
 *
 * A regular file with contents stays as it is until new_file_close(); the new one has no name before, so nothing is left
 * of it when the process is killed. A device, a FIFO, an empty file, one of several names (hard links), or one in a
 * folder that may not be written is opened in place, as by open_output().
 *
 * Return: 0, or -errno as open_output()'s.
 */
int new_file_open(struct new_file *n, const char *path, mode_t mode);

/*
 * new_file_close - end it; @err: 0: it is complete; or -errno: the earlier file stays, and a
 * created one is removed. Return: @err, or the -errno of closing or renaming it.
 */
int new_file_close(struct new_file *n, int err);

/* output_error - text of an error of open_output() or new_file_open() */
const char *output_error(int err);

#endif /* PERF_BASE_IO_H */
