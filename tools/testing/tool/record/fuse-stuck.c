// SPDX-License-Identifier: GPL-2.0
/*
 * fuse-stuck FILE DIRECTORY STOP: a file system on DIRECTORY with one file, "app", that has the contents of FILE. From
 * when the file STOP is there requests are read and never answered, as by a server that hangs: whoever waits for
 * an answer cannot even be killed, until the connection is aborted (/sys/fs/fuse/connections).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REQUEST_SIZE (1 << 18)

static int fuse;
static char *contents;
static size_t size;

static void answer(const struct fuse_in_header *in, int error, const void *p, size_t len)
{
	struct fuse_out_header out = { .len = sizeof(out) + len, .error = error, .unique = in->unique };
	struct iovec iov[2] = { { &out, sizeof(out) }, { (void *)p, len } };

	if (writev(fuse, iov, 2) < 0)
		perror("fuse-stuck: answer");
}

static struct fuse_attr attr_of(unsigned long node)
{
	return (struct fuse_attr){
		.ino = node, .size = node == 1 ? 4096 : size, .blocks = size / 512 + 1, .nlink = 1, .blksize = 4096,
		.mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0755,
	};
}

/* Nothing but what is read is valid for any time: each look asks. */
static void serve(const struct fuse_in_header *in, const void *arg)
{
	const struct fuse_read_in *r = arg;
	struct fuse_init_out init = { .major = 7, .minor = 31, .max_readahead = 65536, .max_write = 4096 };
	struct fuse_entry_out entry = { .nodeid = 2, .attr = attr_of(2) };
	struct fuse_attr_out attr = { .attr = attr_of(in->nodeid) };
	struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		answer(in, strcmp(arg, "app") ? -ENOENT : 0, &entry, strcmp(arg, "app") ? 0 : sizeof(entry));
		break;
	case FUSE_GETATTR:
		answer(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		answer(in, 0, contents + (r->offset < size ? r->offset : size),
		       r->offset >= size ? 0 : r->size < size - r->offset ? r->size : size - r->offset);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
		answer(in, 0, NULL, 0);
		break;
	default:
		answer(in, -ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	char options[64], *request = malloc(REQUEST_SIZE);
	FILE *f = argc == 4 ? fopen(argv[1], "r") : NULL;
	struct stat st;

	fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (!f || fstat(fileno(f), &st) || fuse < 0)
		return 1;
	size = st.st_size;
	contents = malloc(size);
	if (fread(contents, 1, size, f) != size)
		return 1;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
	if (mount("none", argv[2], "fuse", 0, options)) {
		perror("fuse-stuck: mount");
		return 1;
	}
	while (read(fuse, request, REQUEST_SIZE) > 0)
		if (access(argv[3], F_OK))
			serve((void *)request, request + sizeof(struct fuse_in_header));
	return 0;
}
