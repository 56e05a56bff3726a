// SPDX-License-Identifier: GPL-2.0
/*
 * vmout STATUS FILE: hand an exit status and a file to the host.
 *
 * QEMU's ivshmem-plain device is memory shared with the host: BAR 2, which
 * sysfs lets us map without any driver, so it works on every kernel
 * configuration and costs nothing on the slow ones. Layout, little endian:
 * u64 magic, u64 status, u64 length, then the file. vm/run reads it; the
 * magic is written last.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PCI_DEVICES	"/sys/bus/pci/devices"
#define IVSHMEM		"0x1af4 0x1110"
#define MAGIC		0x74756f6d76ULL		/* "vmout" */
#define HEADER		4096

static int read_id(const char *dev, const char *file, char *id, size_t size)
{
	char path[512];
	FILE *f;
	int ok;

	snprintf(path, sizeof(path), PCI_DEVICES "/%s/%s", dev, file);
	f = fopen(path, "r");
	if (!f)
		return 0;
	ok = fgets(id, size, f) != NULL;
	fclose(f);
	id[strcspn(id, "\n")] = '\0';
	return ok;
}

static int open_bar(void)
{
	char vendor[16], device[16], id[40], path[512];
	DIR *dir = opendir(PCI_DEVICES);
	struct dirent *d;
	int fd = -1;

	if (!dir)
		return -1;
	while (fd < 0 && (d = readdir(dir))) {
		if (!read_id(d->d_name, "vendor", vendor, sizeof(vendor)) ||
		    !read_id(d->d_name, "device", device, sizeof(device)))
			continue;
		snprintf(id, sizeof(id), "%s %s", vendor, device);
		if (strcmp(id, IVSHMEM))
			continue;
		snprintf(path, sizeof(path), PCI_DEVICES "/%s/enable", d->d_name);
		fd = open(path, O_WRONLY);
		if (fd >= 0) {
			if (write(fd, "1", 1) < 0)
				perror(path);
			close(fd);
		}
		snprintf(path, sizeof(path), PCI_DEVICES "/%s/resource2", d->d_name);
		fd = open(path, O_RDWR);
	}
	closedir(dir);
	return fd;
}

int main(int argc, char **argv)
{
	volatile uint64_t *header;
	struct stat bar, file;
	char *shm, *data;
	int shm_fd, fd;

	if (argc != 3) {
		fprintf(stderr, "usage: vmout STATUS FILE\n");
		return 2;
	}
	shm_fd = open_bar();
	if (shm_fd < 0 || fstat(shm_fd, &bar) < 0) {
		fprintf(stderr, "vmout: no ivshmem device: not started by vm/run?\n");
		return 1;
	}
	shm = mmap(NULL, bar.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, shm_fd, 0);
	fd = open(argv[2], O_RDONLY);
	if (shm == MAP_FAILED || fd < 0 || fstat(fd, &file) < 0) {
		perror("vmout");
		return 1;
	}
	header = (volatile uint64_t *)shm;
	header[1] = strtoul(argv[1], NULL, 0);
	header[2] = file.st_size;
	if (file.st_size > bar.st_size - HEADER) {
		fprintf(stderr, "vmout: /out holds %lld bytes, room for %lld: none is brought out\n",
			(long long)file.st_size, (long long)bar.st_size - HEADER);
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
