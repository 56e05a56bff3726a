// SPDX-License-Identifier: GPL-2.0
/*
 * Build-ids: the NT_GNU_BUILD_ID note of an ELF file. Only its program headers
 * and notes are read, not the file.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "synth/synth.h"

u8 build_id_from_notes(const void *p, size_t size, u8 *id)
{
	const char *pos = p, *end = pos + size;

	while ((size_t)(end - pos) >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr n;
		u64 name_size, desc_size;
		const char *name = pos + sizeof(n);

		memcpy(&n, pos, sizeof(n));
		name_size = ALIGN_UP((u64)n.n_namesz, 4ULL);
		desc_size = ALIGN_UP((u64)n.n_descsz, 4ULL);
		if (name_size + desc_size > (size_t)(end - name))
			return 0;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(name, "GNU", 4)) {
			u8 len = min(n.n_descsz, 20u);

			memset(id, 0, 20);
			memcpy(id, name + name_size, len);
			return len;
		}
		pos = name + name_size + desc_size;
	}
	return 0;
}

#define FIND_NOTES(bits)							\
static u8 find_notes##bits(int fd, const char *head, size_t got, u8 *id)	\
{										\
	const Elf##bits##_Ehdr *e = (const void *)head;				\
	Elf##bits##_Phdr ph;							\
	char notes[4096];							\
	u32 i;									\
										\
	if (got < sizeof(*e) || e->e_phentsize != sizeof(ph))			\
		return 0;							\
	for (i = 0; i < e->e_phnum; i++) {					\
		u64 at = e->e_phoff + (u64)i * sizeof(ph);			\
		size_t size;							\
		u8 len;								\
										\
		if (at + sizeof(ph) <= got)					\
			memcpy(&ph, head + at, sizeof(ph));			\
		else if (pread(fd, &ph, sizeof(ph), at) != sizeof(ph))		\
			return 0;						\
		if (ph.p_type != PT_NOTE)					\
			continue;						\
		size = min((u64)ph.p_filesz, (u64)sizeof(notes));		\
		if (ph.p_offset + size <= got)					\
			memcpy(notes, head + ph.p_offset, size);		\
		else if (pread(fd, notes, size, ph.p_offset) != (ssize_t)size)	\
			continue;						\
		len = build_id_from_notes(notes, size, id);			\
		if (len)							\
			return len;						\
	}									\
	return 0;								\
}
FIND_NOTES(32)
FIND_NOTES(64)

u8 build_id_read(const char *path, u8 *id)
{
	/* Not blocked by a fifo that somebody mapped over the name. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[4096] __attribute__((aligned(8)));
	struct stat st;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	got = pread(fd, head, sizeof(head), 0);
	if (got < EI_NIDENT || memcmp(head, ELFMAG, SELFMAG))
		return 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (head[EI_DATA] != ELFDATA2LSB)
		return 0;
#else
	if (head[EI_DATA] != ELFDATA2MSB)
		return 0;
#endif
	return head[EI_CLASS] == ELFCLASS64 ? find_notes64(fd, head, got, id) :
					      find_notes32(fd, head, got, id);
}
