// SPDX-License-Identifier: GPL-2.0
/*
 * Reads Go's table of functions. Nothing in it is trusted: what lies outside of its section is 0.
 * Sources: "Go 1.2 Runtime Symbol Table"; package runtime: type pcHeader, type _func. The header has 8
 * bytes and then words: the numbers of functions and files, the address of the code, and the
 * offsets of the names, units, files, values and functions. These are pairs of offsets: from the
 * code, and of the entry, which has offsets of values. A value's runs are pairs of numbers: what is
 * added to the value (-1 before), zigzag, and the size of the code.
 */
#include <gelf.h>
#include <string.h>

#include "base/sort.h"
#include "elf/gopclntab.h"
#include "elf/open.h"

enum { NAME = 4, UNIT = 32, FLAG = 37 };	/* in an entry */
#define OUTERMOST 1
#define ALIGNMENT 32

static u64 get(const struct gopclntab *t, u64 off, u32 size)
{
	u64 v = 0;

	if (off < t->size && size <= t->size - off)
		memcpy(&v, t->data + off, size);
	return v;
}

static u64 number(const struct gopclntab *t, u64 *off)
{
	u32 shift = 0;
	u64 v = 0;
	u8 byte;

	do {
		byte = get(t, (*off)++, 1);
		v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 35);
	return v;
}

static const char *string(const struct gopclntab *t, u64 off)
{
	return off < t->strings_end ? (const char *)t->data + off : NULL;
}

/* In a position-independent program the address of the code may be in a relocation alone. */
static u64 relocated(Elf *elf, u64 addr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Rela r;
	Elf_Data *d;
	int i;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA)
			continue;
		d = elf_getdata(scn, NULL);
		for (i = 0; d && gelf_getrela(d, i, &r); i++)
			if (r.r_offset == addr)
				return r.r_addend;
	}
	return 0;
}

/* Is this a header? @addr: its address */
static bool read_header(Elf *elf, const u8 *data, u64 size, u64 addr, struct gopclntab *t)
{
	struct gopclntab h = {
		.data = data, .size = size, .quantum = data[6], .has_line = data[0] == 0xf1,
	};
	u64 *const to[] = { &h.text, &h.names, &h.units, &h.files, &h.values, &h.funcs };
	u32 word = data[7], i;
	const u8 *last;
	u64 nr;

	if ((data[0] | 1) != 0xf1 || memcmp(data + 1, "\xff\xff\xff\0", 5) || !h.quantum ||
	    (word != 4 && word != 8))
		return false;
	nr = get(&h, 8, word);
	for (i = 0; i < ARRAY_SIZE(to); i++)
		*to[i] = get(&h, 8 + (2 + i) * word, word);
	if (h.funcs >= size || nr > (size - h.funcs) / 8)
		return false;
	last = memrchr(data, 0, size);
	h.strings_end = last - data;
	h.nr = nr;
	h.text = h.text ?: relocated(elf, addr + 8 + 2 * word);
	*t = h;
	return true;
}

void gopclntab_find(Elf *elf, struct gopclntab *t)
{
	const char *ident = elf_getident(elf, NULL), *name;
	Elf_Scn *scn = NULL;
	size_t off, size;
	GElf_Shdr sh;
	Elf_Data *d;

	memset(t, 0, sizeof(*t));
	if (!ident || ident[EI_DATA] != ELFDATA2LSB || !elf_has_section(elf, &GO_SECTION[1]))
		return;
	while ((scn = elf_next_section(elf, scn, &sh, &name))) {
		/* Linkers for C leave it in .data.rel.ro, with other data. */
		if (sh.sh_type != SHT_PROGBITS ||
		    (strcmp(name, ".gopclntab") && strncmp(name, ".data.rel.ro", 12)))
			continue;
		d = elf_rawdata(scn, NULL);
		size = d && d->d_buf ? d->d_size : 0;
		for (off = -sh.sh_addr % ALIGNMENT; off + ALIGNMENT <= size; off += ALIGNMENT)
			if (read_header(elf, (u8 *)d->d_buf + off, size - off, sh.sh_addr + off, t))
				return;
	}
}

bool gopclntab_func(const struct gopclntab *t, u32 i, struct go_func *f)
{
	u64 pair = t->funcs + 8 * (u64)i, start = get(t, pair, 4), end = get(t, pair + 8, 4);

	f->start = t->text + start;
	f->size = end - start;
	f->at = t->funcs + get(t, pair + 4, 4);
	f->name = string(t, t->names + get(t, f->at + NAME, 4));
	f->outermost = get(t, f->at + FLAG + 4 * t->has_line, 1) & OUTERMOST;
	return start < end && f->name && *f->name;
}

bool gopclntab_run(const struct gopclntab *t, const struct go_func *f, enum go_values which,
		   struct go_run *r)
{
	u64 add, code;

	if (!r->end) {
		r->at = t->values + get(t, f->at + which, 4);
		r->value = -1;
	}
	add = number(t, &r->at);
	code = number(t, &r->at) * t->quantum;
	if (r->end >= f->size || !code || (!add && r->end))
		return false;
	r->value += add & 1 ? ~(add >> 1) : add >> 1;
	r->start = r->end;
	r->end += min(code, f->size - r->end);
	return true;
}

static bool value_at(const struct gopclntab *t, const struct go_func *f, enum go_values which,
		     u64 off, s32 *value)
{
	struct go_run r = { 0 };

	while (gopclntab_run(t, f, which, &r)) {
		*value = r.value;
		if (off < r.end)
			return true;
	}
	return false;
}

const char *gopclntab_line(const struct gopclntab *t, u64 addr, s32 *line)
{
	u64 off = addr - t->text, name;
	u32 behind = LOWER_BOUND(0, t->nr, at, get(t, t->funcs + 8 * (u64)at, 4) <= off);
	struct go_func f;
	s32 file;

	if (!behind || !gopclntab_func(t, behind - 1, &f) || addr - f.start >= f.size ||
	    !value_at(t, &f, GO_FILES, addr - f.start, &file) || file < 0 ||
	    !value_at(t, &f, GO_LINES, addr - f.start, line))
		return NULL;
	name = get(t, t->units + 4 * (get(t, f.at + UNIT, 4) + file), 4);
	return name == UINT32_MAX ? NULL : string(t, t->files + name);
}
