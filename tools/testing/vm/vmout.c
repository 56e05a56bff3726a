// SPDX-License-Identifier: GPL-2.0
/*
 * vmout STATUS FILE: hand an exit status and a file to the host.
 *
 * The guest has a memory device at a fixed physical address (vm/run: pc-dimm) that a file of the
 * host backs. The kernels have no hotplug of memory and leave it alone; /dev/mem maps it. Layout, little
 * endian: u64 magic, u64 status, u64 length; at HEADER the file. Before, vm/run has written
 * "room SIZE" there. The magic is written last.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADDRESS		0x100000000L
#define MAGIC		0x74756f6d76ULL		/* "vmout" */
#define HEADER		4096

static void *map_device(size_t size)
{
	int fd = open("/dev/mem", O_RDWR);
	void *map;

	if (fd < 0)
		return MAP_FAILED;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, ADDRESS);
	close(fd);
	return map;
}

int main(int argc, char **argv)
{
	volatile uint64_t *header;
	struct stat file;
	char room[32] = "";
	unsigned long size;
	char *shm, *data;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: vmout STATUS FILE\n");
		return 2;
	}
	header = map_device(HEADER);
	if (header == MAP_FAILED) {
		perror("vmout: /dev/mem");
		return 1;
	}
	/* Addresses without a device read as zeroes or ones. */
	memcpy(room, (const char *)header, sizeof(room) - 1);
	if (sscanf(room, "room %lu", &size) != 1) {
		fprintf(stderr, "vmout: no memory for the host at 0x%lx: not started by vm/run?\n", ADDRESS);
		return 1;
	}
	shm = map_device(size);
	fd = open(argv[2], O_RDONLY);
	if (shm == MAP_FAILED || fd < 0 || fstat(fd, &file) < 0) {
		perror("vmout");
		return 1;
	}
	header[1] = strtoul(argv[1], NULL, 0);
	header[2] = file.st_size;
	if ((unsigned long)file.st_size > size - HEADER) {
		fprintf(stderr, "vmout: /out holds %lld bytes, room for %lld: none is brought out\n",
			(long long)file.st_size, (long long)size - HEADER);
		header[2] = 0;
		header[1] = header[1] ? header[1] : 1;
	} else if (file.st_size) {
		data = mmap(NULL, file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED) {
			perror("vmout");
			return 1;
		}
		memcpy(shm + HEADER, data, file.st_size);
	}
	__sync_synchronize();
	header[0] = MAGIC;
	return 0;
}
