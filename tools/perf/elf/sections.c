// SPDX-License-Identifier: GPL-2.0
/*
 * Makes section headers from program headers, in a copy of the file. Nothing in the file is
 * trusted. Sources: System V ABI, chapter 5; Linux Standard Base 5.0, "Exception Frames"; for
 * DT_GNU_HASH, binutils' documentation of --hash-style.
 */
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "elf/sections.h"

#define MAX_SIZE (256u << 20)
#define MAX_SECTIONS 32
#define PCREL_SDATA4 0x1b	/* the encoding that linkers use for the address of .eh_frame */

/* Names, and their places in it. */
static const char names[] = "\0.text\0.data\0.dynsym\0.dynstr\0.eh_frame_hdr\0.eh_frame\0.shstrtab";
enum { TEXT = 1, DATA = 7, DYNSYM = 13, DYNSTR = 21, EH_HDR = 29, EH = 43, SHSTRTAB = 53 };

struct made_sections {
	u8 *file;
	u64 size;
	Elf64_Shdr v[MAX_SECTIONS + 1];
	u32 nr;
};

/* Is there room at an offset? */
static bool fits(const struct made_sections *c, u64 off, u64 size)
{
	return off <= c->size && size <= c->size - off;
}

static u32 word(const struct made_sections *c, u64 off)
{
	u32 v = 0;

	if (fits(c, off, sizeof(v)))
		memcpy(&v, c->file + off, sizeof(v));
	return v;
}

static Elf64_Shdr *add(struct made_sections *c, u32 name, u32 type, u64 flags, u64 addr, u64 off,
		       u64 size)
{
	if (c->nr == MAX_SECTIONS || !fits(c, off, size))
		return NULL;
	c->v[c->nr] = (Elf64_Shdr){
		.sh_name = name, .sh_type = type, .sh_flags = flags, .sh_addr = addr,
		.sh_offset = off, .sh_size = size, .sh_addralign = 1,
	};
	return &c->v[c->nr++];
}

/* The section of a segment that has an address; 0: none. */
static u32 section_of(const struct made_sections *c, u64 addr)
{
	u32 i;

	for (i = 1; i < c->nr && (c->v[i].sh_name == TEXT || c->v[i].sh_name == DATA); i++)
		if (addr - c->v[i].sh_addr < c->v[i].sh_size)
			return i;
	return 0;
}

/* The offset of an address; beyond the file: none. */
static u64 offset_of(const struct made_sections *c, u64 addr)
{
	const Elf64_Shdr *s = &c->v[section_of(c, addr)];

	return s->sh_type ? addr - s->sh_addr + s->sh_offset : -1ULL;
}

/* The symbols that DT_GNU_HASH has: those of the last chain are the last ones. */
static u64 count_symbols(const struct made_sections *c, u64 hash)
{
	u64 buckets = hash + 16 + 8ULL * word(c, hash + 8), chains;
	u32 nr = word(c, hash), first = word(c, hash + 4), last = 0, i;

	chains = buckets + 4ULL * nr;
	if (!fits(c, chains, 0))
		return 0;
	for (i = 0; i < nr; i++)
		last = max(last, word(c, buckets + 4ULL * i));
	if (last < first)
		return first;
	while (fits(c, chains + 4ULL * (last - first), 4) &&
	       !(word(c, chains + 4ULL * (last - first)) & 1))
		last++;
	return last + 1ULL;
}

static void add_symbols(struct made_sections *c, const GElf_Phdr *dynamic)
{
	u64 tags[DT_SYMENT + 1] = { 0 }, gnu = 0, off, nr, i, at;
	Elf64_Dyn d;
	Elf64_Sym sym;

	for (at = dynamic->p_offset; fits(c, at, sizeof(d)); at += sizeof(d)) {
		memcpy(&d, c->file + at, sizeof(d));
		if (d.d_tag == DT_NULL)
			break;
		if ((u64)d.d_tag < ARRAY_SIZE(tags))
			tags[d.d_tag] = d.d_un.d_val;
		else if (d.d_tag == DT_GNU_HASH)
			gnu = d.d_un.d_val;
	}
	off = offset_of(c, tags[DT_SYMTAB]);
	if (!tags[DT_SYMTAB] || !tags[DT_STRTAB] || !fits(c, off, 0))
		return;
	nr = tags[DT_HASH] ? word(c, offset_of(c, tags[DT_HASH]) + 4) :
	     gnu ? count_symbols(c, offset_of(c, gnu)) : 0;
	nr = min(nr, (c->size - off) / sizeof(sym));
	for (i = 0; i < nr; i++) {
		memcpy(&sym, c->file + off + i * sizeof(sym), sizeof(sym));
		if (sym.st_shndx && sym.st_shndx < SHN_LORESERVE)
			sym.st_shndx = section_of(c, sym.st_value);
		memcpy(c->file + off + i * sizeof(sym), &sym, sizeof(sym));
	}
	if (add(c, DYNSTR, SHT_STRTAB, SHF_ALLOC, tags[DT_STRTAB],
		offset_of(c, tags[DT_STRTAB]), tags[DT_STRSZ]) &&
	    add(c, DYNSYM, SHT_DYNSYM, SHF_ALLOC, tags[DT_SYMTAB], off, nr * sizeof(sym))) {
		c->v[c->nr - 1].sh_link = c->nr - 2;
		c->v[c->nr - 1].sh_entsize = sizeof(sym);
	}
}

/* .eh_frame is where .eh_frame_hdr says; it ends with a zero, at the latest with its segment. */
static void add_frames(struct made_sections *c, const GElf_Phdr *hdr)
{
	u64 addr = hdr->p_vaddr + 4 + (s32)word(c, hdr->p_offset + 4);
	const Elf64_Shdr *s = &c->v[section_of(c, addr)];

	add(c, EH_HDR, SHT_PROGBITS, SHF_ALLOC, hdr->p_vaddr, hdr->p_offset, hdr->p_filesz);
	if (s->sh_type && (word(c, hdr->p_offset) >> 8 & 0xff) == PCREL_SDATA4)
		add(c, EH, SHT_PROGBITS, SHF_ALLOC, addr, offset_of(c, addr),
		    s->sh_addr + s->sh_size - addr);
}

static void add_sections(struct made_sections *c, Elf *elf, size_t nr)
{
	GElf_Phdr ph;
	size_t i;

	add(c, 0, SHT_NULL, 0, 0, 0, 0);
	for (i = 0; i < nr && gelf_getphdr(elf, i, &ph); i++)
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			add(c, TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, ph.p_vaddr,
			    ph.p_offset, ph.p_filesz);
		else if (ph.p_type == PT_LOAD)
			add(c, DATA, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, ph.p_vaddr, ph.p_offset,
			    ph.p_filesz);
	for (i = 0; i < nr && gelf_getphdr(elf, i, &ph); i++)
		if (ph.p_type == PT_DYNAMIC)
			add_symbols(c, &ph);
		else if (ph.p_type == PT_GNU_EH_FRAME)
			add_frames(c, &ph);
}

int elf_with_sections(Elf *elf)
{
	struct made_sections c = { 0 };
	size_t nr, segments, size;
	const void *file;
	Elf64_Ehdr *eh = elf64_getehdr(elf), head;
	_cleanup_close_ int fd = -1;

	if (!eh || eh->e_type == ET_REL || elf_getshdrnum(elf, &nr) || nr ||
	    elf_getphdrnum(elf, &segments) || !segments)
		return -1;
	file = elf_rawfile(elf, &size);
	/* libelf has the header in our byte order. */
	if (!file || size > MAX_SIZE || memcmp(file, eh, sizeof(*eh)))
		return -1;
	c.size = ALIGN_UP(size, (size_t)8);
	c.file = xcalloc(1, c.size);
	memcpy(c.file, file, size);
	add_sections(&c, elf, segments);
	c.v[c.nr] = (Elf64_Shdr){
		.sh_name = SHSTRTAB, .sh_type = SHT_STRTAB, .sh_size = sizeof(names),
		.sh_offset = c.size + (c.nr + 1) * sizeof(*c.v),
	};
	c.nr++;
	memcpy(&head, c.file, sizeof(head));
	head.e_shoff = c.size;
	head.e_shnum = c.nr;
	head.e_shentsize = sizeof(*c.v);
	head.e_shstrndx = c.nr - 1;
	memcpy(c.file, &head, sizeof(head));
	fd = memfd_create("sections", MFD_CLOEXEC);
	if (fd < 0 || write_all(fd, c.file, c.size) || write_all(fd, c.v, c.nr * sizeof(*c.v)) ||
	    write_all(fd, names, sizeof(names))) {
		free(c.file);
		return -1;
	}
	free(c.file);
	return no_close(fd);
}
