/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ELF files made by a test: either class, either byte order, sound unless the
 * test damages them.
 */
#ifndef TOOL_UNIT_ELF_H
#define TOOL_UNIT_ELF_H

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/types.h"

struct elf_sym {
	const char *name;
	u64 value, size;
	u8 info;		/* ELF64_ST_INFO(bind, type) */
	u16 shndx;
};

#define MADE_TEXT	1
#define MADE_DATA	2
#define MADE_SYMTAB	3
#define MADE_STRTAB	4
#define MADE_NOTE	5
#define MADE_LINK	6
#define MADE_SHSTRTAB	7
#define MADE_SECTIONS	8

struct made_elf {
	u8 buf[65536];
	size_t size;
	bool is64, big;
	u64 shoff;		/* of the section headers */
	u64 symoff;
};

static inline void put(struct made_elf *e, size_t off, u64 v, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		e->buf[off + (e->big ? size - 1 - i : i)] = v >> (8 * i);
	if (off + size > e->size)
		e->size = off + size;
}

/* An address-sized field at the offset of its class. */
static inline void put_word(struct made_elf *e, size_t off32, size_t off64, u64 v)
{
	put(e, e->is64 ? off64 : off32, v, e->is64 ? 8 : 4);
}

static inline void put_section(struct made_elf *e, u32 idx, u32 name, u32 type, u64 flags,
			       u64 addr, u64 off, u64 size, u32 link, u64 entsize)
{
	size_t h = e->shoff + idx * (e->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));

	put(e, h, name, 4);
	put(e, h + 4, type, 4);
	put_word(e, h + 8, h + 8, flags);
	put_word(e, h + 12, h + 16, addr);
	put_word(e, h + 16, h + 24, off);
	put_word(e, h + 20, h + 32, size);
	put(e, h + (e->is64 ? 40 : 24), link, 4);
	put(e, h + (e->is64 ? 44 : 28), 1, 4);
	put_word(e, h + 32, h + 48, 4);
	put_word(e, h + 36, h + 56, entsize);
}

/*
 * .text at file offset 0x1000, address @vaddr, 0x1000 bytes; .data behind it.
 * @id: 20 bytes of build id, or NULL. @link: name for .gnu_debuglink, or NULL.
 */
static inline void make_elf(struct made_elf *e, bool is64, bool big, u16 type, u64 vaddr,
			    const struct elf_sym *syms, u32 nr, const u8 *id, const char *link,
			    u32 crc)
{
	static const char names[] = "\0.text\0.data\0.symtab\0.strtab\0.note.gnu.build-id\0"
				    ".gnu_debuglink\0.shstrtab";
	size_t symsize = is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), off, str, o;
	size_t eh = is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	u32 i;

	memset(e, 0, sizeof(*e));
	e->is64 = is64;
	e->big = big;
	memcpy(e->buf, ELFMAG, SELFMAG);
	e->buf[EI_CLASS] = is64 ? ELFCLASS64 : ELFCLASS32;
	e->buf[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	e->buf[EI_VERSION] = EV_CURRENT;
	put(e, 16, type, 2);
	put(e, 18, big ? EM_PPC : is64 ? EM_X86_64 : EM_386, 2);
	put(e, 20, EV_CURRENT, 4);
	put_word(e, 28, 32, eh);			/* program headers */
	put(e, is64 ? 52 : 40, eh, 2);
	put(e, is64 ? 54 : 42, is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
	put(e, is64 ? 56 : 44, 1, 2);
	put(e, is64 ? 58 : 46, is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
	put(e, is64 ? 60 : 48, MADE_SECTIONS, 2);
	put(e, is64 ? 62 : 50, MADE_SHSTRTAB, 2);
	/* One PT_LOAD, r-x */
	put(e, eh, PT_LOAD, 4);
	put(e, eh + (is64 ? 4 : 24), PF_R | PF_X, 4);
	put_word(e, eh + 4, eh + 8, 0x1000);
	put_word(e, eh + 8, eh + 16, vaddr);
	put_word(e, eh + 16, eh + 32, 0x1000);
	put_word(e, eh + 20, eh + 40, 0x1000);

	e->symoff = off = 0x3000;
	str = 0x8000;
	o = str + 1;
	for (i = 0; i < nr; i++) {
		const struct elf_sym *s = &syms[i];

		off = e->symoff + (i + 1) * symsize;
		put(e, off, o - str, 4);
		put(e, off + (is64 ? 4 : 12), s->info, 1);
		put(e, off + (is64 ? 6 : 14), s->shndx, 2);
		put_word(e, off + 4, off + 8, s->value);
		put_word(e, off + 8, off + 16, s->size);
		strcpy((char *)e->buf + o, s->name);
		o += strlen(s->name) + 1;
	}
	e->size = max(e->size, o);
	if (id) {
		put(e, 0xa000, 4, 4);
		put(e, 0xa004, 20, 4);
		put(e, 0xa008, 3, 4);
		memcpy(e->buf + 0xa00c, "GNU", 4);
		memcpy(e->buf + 0xa010, id, 20);
	}
	if (link) {
		strcpy((char *)e->buf + 0xa100, link);
		put(e, 0xa100 + ALIGN_UP(strlen(link) + 1, (size_t)4), crc, 4);
	}
	memcpy(e->buf + 0xa200, names, sizeof(names));
	e->shoff = 0xb000;
	put_word(e, 32, 40, e->shoff);
	put_section(e, MADE_TEXT, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, vaddr, 0x1000, 0x1000,
		    0, 0);
	put_section(e, MADE_DATA, 7, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, vaddr + 0x1000, 0x2000,
		    0x1000, 0, 0);
	put_section(e, MADE_SYMTAB, 13, SHT_SYMTAB, 0, 0, e->symoff, (nr + 1) * symsize,
		    MADE_STRTAB, symsize);
	put_section(e, MADE_STRTAB, 21, SHT_STRTAB, 0, 0, str, o - str, 0, 0);
	put_section(e, MADE_NOTE, 29, id ? SHT_NOTE : SHT_NULL, SHF_ALLOC, 0, 0xa000, 36, 0, 0);
	put_section(e, MADE_LINK, 48, link ? SHT_PROGBITS : SHT_NULL, 0, 0, 0xa100,
		    link ? ALIGN_UP(strlen(link) + 1, (size_t)4) + 4 : 0, 0, 0);
	put_section(e, MADE_SHSTRTAB, 63, SHT_STRTAB, 0, 0, 0xa200, sizeof(names), 0, 0);
}

static inline void write_file(const char *path, const void *p, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, p, size) != (ssize_t)size) {
		perror(path);
		exit(1);
	}
	close(fd);
}

#endif /* TOOL_UNIT_ELF_H */
