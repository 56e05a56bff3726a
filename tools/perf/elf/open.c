// SPDX-License-Identifier: GPL-2.0
/*
 * Opens ELF files for libelf. It is given a path; the handle belongs to the caller. The size of
 * a file with holes says nothing about its data: the sizes of header tables and sections are
 * compared with the file's bytes on disk before libelf reads them.
 */
#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "elf/open.h"
#include "elf/sections.h"

#define HOLES_MAX 64		/* times the bytes that are stored */
#define PIECE	(1 << 20)

/*
 * libelf reads a section, or a file, by one call, and goes on where a call stops. On a kernel
 * without preemption one call for 30 MB holds a CPU for 18 ms, in which the kernel's buffers
 * overflow.
 */
ssize_t pread(int fd, void *buf, size_t size, off_t at)
{
	return syscall(SYS_pread64, fd, buf, min(size, (size_t)PIECE), at);
}

u64 elf_file_most(const struct stat *st)
{
	u64 stored = (u64)st->st_blocks * 512;

	/* Some file systems do not say how many blocks there are. */
	return max(stored ? HOLES_MAX * stored : (u64)st->st_size, 1ULL << 20);
}

/* A header of a file, as libelf has it in memory. */
union header {
	Elf64_Ehdr eh64;
	Elf32_Ehdr eh32;
	Elf64_Shdr sh64;
	Elf32_Shdr sh32;
	u8 ident[EI_NIDENT];
};

static bool read_header(int fd, u64 at, const u8 *ident, Elf_Type type, size_t size, union header *h)
{
	Elf_Data d = { .d_buf = h, .d_type = type, .d_size = size, .d_version = EV_CURRENT };

	return pread(fd, h, size, at) == (ssize_t)size &&
	       (ident[EI_CLASS] == ELFCLASS64 ? elf64_xlatetom(&d, &d, ident[EI_DATA]) :
						elf32_xlatetom(&d, &d, ident[EI_DATA]));
}

/* libelf allocates something for each section header, and there may be 2^32. */
static bool headers_fit(int fd, u64 most)
{
	union header h, first;
	u64 sections, segments, at;
	u8 ident[EI_NIDENT];
	bool large;

	if (pread(fd, ident, sizeof(ident), 0) != sizeof(ident))
		return false;
	large = ident[EI_CLASS] == ELFCLASS64;
	if (!read_header(fd, 0, ident, ELF_T_EHDR, large ? sizeof(h.eh64) : sizeof(h.eh32), &h))
		return false;
	sections = large ? h.eh64.e_shnum : h.eh32.e_shnum;
	segments = large ? h.eh64.e_phnum : h.eh32.e_phnum;
	at = large ? h.eh64.e_shoff : h.eh32.e_shoff;
	/* What has no room in the file's header is in that of section 0. */
	if (at && (!sections || segments == PN_XNUM) &&
	    read_header(fd, at, ident, ELF_T_SHDR, large ? sizeof(first.sh64) : sizeof(first.sh32), &first)) {
		sections = sections ?: large ? first.sh64.sh_size : first.sh32.sh_size;
		if (segments == PN_XNUM)
			segments = large ? first.sh64.sh_info : first.sh32.sh_info;
	}
	return sections <= most / sizeof(Elf64_Shdr) && segments <= most / sizeof(Elf64_Phdr);
}

/* libelf keeps a copy of the section headers, as it changes them, too, when it unpacks a section. */
static void set_type(Elf_Scn *scn, u32 type)
{
	Elf64_Shdr *large = elf64_getshdr(scn);
	Elf32_Shdr *small = large ? NULL : elf32_getshdr(scn);

	if (large)
		large->sh_type = type;
	else if (small)
		small->sh_type = type;
}

void elf_leave_out(Elf_Scn *scn)
{
	set_type(scn, SHT_NOBITS);
}

void elf_take_back(Elf_Scn *scn)
{
	set_type(scn, SHT_PROGBITS);
}

/* Return: whether there is one that is more than data of the program. */
static bool leave_out_holes(Elf *elf, u64 size, u64 left)
{
	Elf_Scn *scn = NULL;
	bool some = false;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		/* What is not in the file libelf does not read. */
		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS || sh.sh_size > size)
			continue;
		if (sh.sh_size <= left) {
			left -= sh.sh_size;
			continue;
		}
		elf_leave_out(scn);
		some |= !(sh.sh_flags & SHF_WRITE);
	}
	return some;
}

static int open_file(const char *path, Elf **elf, struct stat *st, bool *is_hole)
{
	int fd = open_regular(path, 0, st), copy;
	u64 most;

	*elf = NULL;
	if (fd < 0)
		return fd;
	most = elf_file_most(st);
	elf_version(EV_CURRENT);
	if ((u64)st->st_size <= most || headers_fit(fd, most))
		*elf = elf_begin(fd, !io_open_regular && file_is_ours(st) ? ELF_C_READ_MMAP :
									    ELF_C_READ, NULL);
	if (!*elf) {
		close(fd);
		return -ENOEXEC;
	}
	*is_hole = leave_out_holes(*elf, st->st_size, most);
	copy = (u64)st->st_size <= most ? elf_with_sections(*elf) : -1;
	if (copy < 0)
		return fd;
	elf_end(*elf);
	close(fd);
	*elf = elf_begin(copy, ELF_C_READ_MMAP, NULL);
	if (*elf)
		return copy;
	close(copy);
	return -ENOEXEC;
}

int elf_file_open(const char *path, Elf **elf, struct stat *st)
{
	bool is_hole;

	return open_file(path, elf, st, &is_hole);
}

bool elf_file_is_hole(const char *path)
{
	struct stat st;
	bool is_hole;
	Elf *elf;
	int fd;

	fd = open_file(path, &elf, &st, &is_hole);
	if (fd < 0)
		return false;
	elf_end(elf);
	close(fd);
	return is_hole;
}

/* In a process that cannot open a file again (host/host.h): those that libelf reads. */
static int *held;
static u32 nr_held, cap_held;

void elf_files_close(void)
{
	while (nr_held)
		close(held[--nr_held]);
}

void elf_file_done(Elf *elf, int fd)
{
	if (io_open_regular) {
		GROW(held, nr_held, cap_held);
		held[nr_held++] = fd;
		return;
	}
	/* A file that could not be mapped is read in full. */
	if (!elf_cntl(elf, ELF_C_FDREAD))
		elf_cntl(elf, ELF_C_FDDONE);
	close(fd);
}

Elf_Scn *elf_next_section(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh, const char **name)
{
	size_t names;

	do
		scn = elf_nextscn(elf, scn);
	while (scn && !gelf_getshdr(scn, sh));
	*name = scn && !elf_getshdrstrndx(elf, &names) ? elf_strptr(elf, names, sh->sh_name) : NULL;
	*name = *name ?: "";
	return scn;
}

bool elf_has_section(Elf *elf, const char *name)
{
	const char *found;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_next_section(elf, scn, &sh, &found)))
		if (found[0] == '.' && !strcmp(found + 1 + (found[1] == 'z'), name))
			return true;
	return false;
}
