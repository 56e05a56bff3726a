// SPDX-License-Identifier: GPL-2.0
/* Build-ids: the NT_GNU_BUILD_ID note of an ELF file, also one that an opener reads. */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "synth/synth.h"

/* Find NT_GNU_BUILD_ID in a run of notes. Return: its length in bytes; 0: none. */
static u8 build_id_from_notes(const void *p, size_t size, u8 *id)
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

/* An ELF file and its first bytes. */
struct elf_head {
	int fd;
	const char *head;
	size_t got;			/* bytes at @head */
};

/* Read bytes of the file at offset @at, which is not trusted. */
static bool read_at(const struct elf_head *e, u64 at, void *to, size_t size)
{
	struct stat st;

	if (at <= e->got && size <= e->got - at) {
		memcpy(to, e->head + at, size);
		return true;
	}
	/* The kernel, too, reads no more than the first page of a stranger's file. */
	if (fstat(e->fd, &st) || (st.st_uid && st.st_uid != geteuid()))
		return false;
	return pread(e->fd, to, size, at) == (ssize_t)size;
}

/* Read program header @i; a 32-bit one is converted to 64 bits. */
static bool read_program_header(const struct elf_head *e, u32 i, Elf64_Phdr *ph)
{
	const Elf64_Ehdr *e64 = (const void *)e->head;
	const Elf32_Ehdr *e32 = (const void *)e->head;
	Elf32_Phdr narrow;

	if (e->head[EI_CLASS] == ELFCLASS64)
		return read_at(e, e64->e_phoff + (u64)i * sizeof(*ph), ph, sizeof(*ph));
	if (!read_at(e, e32->e_phoff + (u64)i * sizeof(narrow), &narrow, sizeof(narrow)))
		return false;
	*ph = (Elf64_Phdr){ .p_type = narrow.p_type, .p_offset = narrow.p_offset,
			    .p_filesz = narrow.p_filesz };
	return true;
}

/* Return: the number of program headers; 0 also if their size is unknown. */
static u32 program_headers(const struct elf_head *e)
{
	const Elf64_Ehdr *e64 = (const void *)e->head;
	const Elf32_Ehdr *e32 = (const void *)e->head;

	if (e->head[EI_CLASS] == ELFCLASS64)
		return e->got >= sizeof(*e64) && e64->e_phentsize == sizeof(Elf64_Phdr) ? e64->e_phnum : 0;
	return e->got >= sizeof(*e32) && e32->e_phentsize == sizeof(Elf32_Phdr) ? e32->e_phnum : 0;
}

static u8 find_build_id(const struct elf_head *e, u8 *id)
{
	u32 i, nr = program_headers(e);
	char notes[4096];
	Elf64_Phdr ph;

	for (i = 0; i < nr; i++) {
		size_t size;
		u8 len;

		if (!read_program_header(e, i, &ph))
			return 0;
		size = min((u64)ph.p_filesz, (u64)sizeof(notes));
		if (ph.p_type != PT_NOTE || !read_at(e, ph.p_offset, notes, size))
			continue;
		len = build_id_from_notes(notes, size, id);
		if (len)
			return len;
	}
	return 0;
}

u8 build_id_of_file(int fd, u8 *id)
{
	char head[4096] __attribute__((aligned(8)));
	ssize_t got = pread(fd, head, sizeof(head), 0);

	if (got < EI_NIDENT || memcmp(head, ELFMAG, SELFMAG))
		return 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (head[EI_DATA] != ELFDATA2LSB)
		return 0;
#else
	if (head[EI_DATA] != ELFDATA2MSB)
		return 0;
#endif
	return find_build_id(&(struct elf_head){ .fd = fd, .head = head, .got = got }, id);
}

u8 build_id_read(const char *path, u8 *id)
{
	struct stat st;
	_cleanup_close_ int fd = open_regular(path, 0, &st);

	return fd < 0 ? 0 : build_id_of_file(fd, id);
}

u8 build_id_of_notes(const char *path, u8 *id)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char notes[4096];
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, notes, sizeof(notes));
	return n > 0 ? build_id_from_notes(notes, n, id) : 0;
}

struct id_question {
	struct mapped m;
	u8 id[BUILD_ID_MAX];
	char path[PATH_MAX];
};

/* In an opener. */
static int answer(void *arg, const int *in, int *out)
{
	struct id_question *q = arg;
	_cleanup_close_ int fd = -1;
	struct stat st;

	q->m.path = q->path;
	fd = mapped_open(&q->m, &st);
	return fd < 0 ? 0 : build_id_of_file(fd, q->id);
}

u8 build_id_of_mapped(struct host *h, const struct mapped *m, u8 *id)
{
	struct id_question q = { .m = *m };
	struct aside_call c = { .fn = answer, .arg = &q, .size = sizeof(q) };
	int size;

	snprintf(q.path, sizeof(q.path), "%s", m->path);
	size = h ? host_run(h, m->pid, q.path, &c) : 0;
	if (size <= 0)
		return 0;
	memcpy(id, q.id, size);
	return size;
}
