// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables of files that are not simply there under their name: a memfd, a deleted
 * file, a file of an overlay file system; code at another offset of its file, code
 * that moves and goes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bare.h"
#include "stats.h"
#include "test.h"

#define OFFSET	(3 * 4096 + 128)
#define SIZE	(4 * 4096)
#define OVER	"/tmp/table-over"

static const bool walks = sizeof(long) == 8;

static void check(const char *text, bool served, const char *what)
{
	struct bare_seen seen = bare_once(text);

	ok(served && walks ? seen.whole == 2 && !seen.cut && !seen.other :
			     seen.cut == 2 && !seen.whole && !seen.other,
	   "%s: %d samples whole, %d cut, %d other", what, seen.whole, seen.cut, seen.other);
}

/* Write bare() into the file, OFFSET bytes behind its begin. */
static void fill(int fd)
{
	if (ftruncate(fd, SIZE) ||
	    pwrite(fd, bare_text, bare_end - bare_text, OFFSET) != bare_end - bare_text)
		die("write code");
}

/* Map it from its second page on; the address of bare(). */
static char *map_code(int fd)
{
	char *at = mmap(NULL, SIZE - 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096);

	if (at == MAP_FAILED)
		die("mmap code");
	return at + OFFSET - 4096;
}

static void unmap_code(char *text)
{
	munmap(text - (OFFSET - 4096), SIZE - 4096);
}

TEST(tablefile, "unwind tables of memfds and deleted files, and of code that moves")
{
	struct table t;
	char *text, *other;
	int event, fd;

	if (!have_tables()) {
		skip("no CONFIG_UNWIND_USER_TABLE", "tables");
		return;
	}
	t = bare_table(OFFSET);
	event = table_owner();
	fd = memfd_create("code", MFD_CLOEXEC);
	if (fd < 0)
		die("memfd_create");
	fill(fd);
	text = map_code(fd);
	check(text, false, "a memfd without a table");
	ok(!table_add(event, fd, &t), "registered");
	check(text, true, "a memfd");
	close(fd);
	check(text, true, "that is closed");
	other = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (other == MAP_FAILED ||
	    mremap(text - (OFFSET - 4096), SIZE - 4096, SIZE - 4096, MREMAP_MAYMOVE | MREMAP_FIXED,
		   other) == MAP_FAILED)
		die("mremap");
	text = other + OFFSET - 4096;
	check(text, true, "moved by mremap()");
	/* The same bytes at the same address, in memory of no file. */
	unmap_code(text);
	if (mmap(text - (OFFSET - 4096), SIZE - 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		die("mmap");
	memcpy(text, bare_text, bare_end - bare_text);
	check(text, false, "replaced by anonymous memory");
	unmap_code(text);

	fd = open("/tmp/table-code", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		die("open");
	fill(fd);
	text = map_code(fd);
	unlink("/tmp/table-code");
	check(text, false, "a deleted file without a table");
	ok(!table_add(event, fd, &t), "registered");
	close(fd);
	check(text, true, "a deleted file");
	close(event);
	check(text, false, "the event is closed");
	unmap_code(text);
	table_free(&t);
}

TEST(tablegone, "a new file with the inode of one that had an unwind table is not walked by it")
{
	int i, event, fd, served = 0;
	struct bare_seen seen;
	struct table t;
	char *text;

	if (!have_tables()) {
		skip("no CONFIG_UNWIND_USER_TABLE", "tables");
		return;
	}
	t = bare_table(OFFSET);
	event = table_owner();
	for (i = 0; i < 40; i++) {
		fd = open("/tmp/table-gone", O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (fd < 0)
			die("open");
		/* Every other one has a table; the inode is freed behind a grace period. */
		fill(fd);
		text = map_code(fd);
		seen = bare_once(text);
		served += seen.whole;
		if (!(i & 1) && table_add(event, fd, &t))
			die("table");
		unmap_code(text);
		close(fd);
		unlink("/tmp/table-gone");
		usleep(30000);
	}
	ok(!served, "%d samples were walked by another file's table", served);
	close(event);
	table_free(&t);
}

static bool mount_overlay(void)
{
	mkdir(OVER, 0700);
	if (mount("none", OVER, "tmpfs", 0, NULL))
		die("mount tmpfs");
	mkdir(OVER "/lower", 0700);
	mkdir(OVER "/upper", 0700);
	mkdir(OVER "/work", 0700);
	mkdir(OVER "/all", 0700);
	return !mount("none", OVER "/all", "overlay", 0,
		      "lowerdir=" OVER "/lower,upperdir=" OVER "/upper,workdir=" OVER "/work");
}

static int open_at(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd < 0)
		die("%s", path);
	return fd;
}

TEST(tableoverlay, "unwind tables of files of an overlay file system")
{
	int event, lower, merged;
	struct table t;
	char *text;

	if (!have_tables()) {
		skip("no CONFIG_UNWIND_USER_TABLE", "tables");
		return;
	}
	if (!mount_overlay()) {
		skip("no overlay file system in this kernel", "tables of its files");
		umount2(OVER, MNT_DETACH);
		return;
	}
	t = bare_table(OFFSET);
	lower = open_at(OVER "/lower/code", O_RDWR | O_CREAT);
	fill(lower);
	merged = open_at(OVER "/all/code", O_RDONLY);
	text = map_code(merged);

	event = table_owner();
	ok(!table_add(event, merged, &t), "a table for the overlay's file");
	check(text, true, "mapped from the overlay");
	ok(table_add(event, lower, &t) == -EEXIST, "it is that of the file below");
	close(event);
	event = table_owner();
	ok(!table_add(event, lower, &t), "a table for the file below");
	check(text, true, "mapped from the overlay");
	close(event);
	unmap_code(text);
	close(merged);

	/* Written to: what is mapped from now on is the upper file. */
	merged = open_at(OVER "/all/code", O_RDWR);
	text = map_code(merged);
	event = table_owner();
	ok(!table_add(event, merged, &t), "a table for a file that was copied up");
	check(text, true, "mapped from the overlay");
	ok(!table_add(event, lower, &t), "the file below is another one");
	close(event);
	unmap_code(text);
	close(merged);
	close(lower);
	table_free(&t);
	umount2(OVER "/all", MNT_DETACH);
	umount2(OVER, MNT_DETACH);
}
