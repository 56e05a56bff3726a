// SPDX-License-Identifier: GPL-2.0
/*
 * Refuses debug information for which libdw's copies would exceed a multiple of the file: many
 * units can refer to one part of a file, and libdw copies the part for each unit. Reads
 * sections (DWARF 5, 6.2.4 and 7.5.3); struct lines records which line programs were counted.
 */
#include <dwarf.h>
#include <string.h>

#include "cfi/bytes.h"
#include "elf/open.h"
#include "elf/unpack.h"
#include "symbol/dwarf_fit.h"
#include "symbol/srcline.h"

/* Weight of libdw's copy of an abbreviation in bytes of debug information; an attribute has weight 1. */
#define ABBREV_WEIGHT 8
/* Allowed weight for any file, as the abbreviations of a small file may outweigh its DIEs. */
#define WEIGHT_MIN (1 << 20)
/* The longest FDE of a thousand programs has 20 kB: compilers. */
#define CFI_MAX (256 << 10)

/* The section's bytes as unpacked by libdw. */
static struct bytes section(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	const char *here;
	GElf_Shdr shdr;
	Elf_Data *data;

	while ((scn = elf_next_section(elf, scn, &shdr, &here))) {
		/* .zdebug_info is the compressed form */
		if (shdr.sh_type == SHT_NOBITS || here[0] != '.' ||
		    strcmp(here + 1 + (here[1] == 'z'), name))
			continue;
		data = elf_rawdata(scn, NULL);
		return data && data->d_buf ? (struct bytes){ data->d_buf, (u8 *)data->d_buf + data->d_size, false } :
					     (struct bytes){ 0 };
	}
	return (struct bytes){ 0 };
}

bool dwarf_unpacked_fits(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Chdr chdr;
	Elf_Data *data;
	u64 size;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		size = 0;
		if (shdr.sh_flags & SHF_COMPRESSED) {
			if (gelf_getchdr(scn, &chdr))
				size = chdr.ch_size;
		} else if (!(shdr.sh_flags & SHF_ALLOC)) {
			/* .zdebug_*: "ZLIB" and the size, most significant byte first */
			data = elf_rawdata(scn, NULL);
			if (data && data->d_size >= 12 && !memcmp(data->d_buf, "ZLIB", 4)) {
				memcpy(&size, (u8 *)data->d_buf + 4, 8);
				size = __builtin_bswap64(size);
			}
		}
		if (size > inflate_most(shdr.sh_size))
			return false;
	}
	return true;
}

/* The weight of the abbreviation table at @off, read up to @most. */
static u64 table_weight(struct bytes b, u64 off, u64 most)
{
	u64 weight = 0, name, form;

	bytes_skip(&b, off);
	while (weight <= most && !b.bad && bytes_uleb(&b)) {
		bytes_uleb(&b);
		bytes_skip(&b, 1);
		weight += ABBREV_WEIGHT;
		do {
			name = bytes_uleb(&b);
			form = bytes_uleb(&b);
			if (form == DW_FORM_implicit_const)
				bytes_sleb(&b);
			weight++;
		} while (!b.bad && (name || form));
	}
	return weight;
}

bool dwarf_abbrevs_fit(Dwarf *dwarf)
{
	struct bytes abbrev = section(dwarf_getelf(dwarf), "debug_abbrev");
	struct bytes info = section(dwarf_getelf(dwarf), "debug_info");
	u64 left = (info.end - info.p) + WEIGHT_MIN, weight, *known;
	_cleanup_hash_ struct hash tables = { 0 };
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, top;
	Dwarf_Off off;
	Dwarf_Half version;
	uint8_t type;
	bool fit = true, added;

	while (fit && !dwarf_get_units(dwarf, cu, &cu, &version, &type, &die, NULL)) {
		/* DIEs of type units are not used. */
		if (type == DW_UT_type || type == DW_UT_split_type || !dwarf_cu_die(cu, &top, NULL, &off, NULL, NULL, NULL, NULL))
			continue;
		known = hash_insert(&tables, off, 0, &added);
		if (added)
			*known = table_weight(abbrev, off, left);
		weight = *known;
		fit = weight <= left;
		left -= min(weight, left);
	}
	return fit;
}

/* Read a length field: the number of bytes that follow it. */
static u64 length_of(struct bytes *b, bool big)
{
	u32 length = bytes_u32(b);
	u64 wide;

	if (length != 0xffffffff)
		return big ? __builtin_bswap32(length) : length;
	wide = bytes_u64(b);
	return big ? __builtin_bswap64(wide) : wide;
}

bool dwarf_cfi_fits(Elf *elf, const char *name)
{
	struct bytes b = section(elf, name);
	bool big = elf_getident(elf, NULL)[EI_DATA] == ELFDATA2MSB;
	u64 length;

	while (bytes_left(&b)) {
		length = length_of(&b, big);
		if (length > CFI_MAX && length <= bytes_left(&b))
			return false;
		bytes_skip(&b, length);
	}
	return true;
}

bool dwarf_lines_fit(struct lines *l, Dwarf_Die *cu)
{
	u64 size, length, *fit;
	Dwarf_Attribute attr;
	struct bytes b;
	Dwarf_Word off;
	bool added;

	if (dwarf_formudata(dwarf_attr(cu, DW_AT_stmt_list, &attr), &off))
		return true;		/* no such section */
	fit = hash_insert(&l->line_programs, off, 0, &added);
	if (!added)
		return *fit;
	b = section(l->elf, "debug_line");
	size = bytes_left(&b);
	bytes_skip(&b, off);
	length = length_of(&b, elf_getident(l->elf, NULL)[EI_DATA] == ELFDATA2MSB);
	length = min(length, size);
	*fit = length <= size - l->line_bytes;
	if (*fit)
		l->line_bytes += length;
	return *fit;
}
