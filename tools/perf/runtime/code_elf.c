// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a small shared object: header, segments, code at CODE_ELF_BEGIN (address and file offset),
 * unwind tables as in memory, sections that are not loaded: symbols, lines. Host's byte order.
 */
#include <dwarf.h>
#include <elf.h>

#include "base/arena.h"
#include "runtime/code_elf.h"

enum { SEC_NULL, SEC_TEXT, SEC_FRAME, SEC_FRAME_HDR, SEC_BUILD_ID, SEC_ABBREV, SEC_INFO, SEC_LINE, SEC_SYMTAB, SEC_STRTAB, SEC_NAMES, SECS };

static const char *const section_names[SECS] = {
	"", ".text", ".eh_frame", ".eh_frame_hdr", ".note.gnu.build-id", ".debug_abbrev", ".debug_info", ".debug_line", ".symtab", ".strtab",
	".shstrtab",
};

struct maker {
	const struct code_elf *in;
	struct outbuf *o;
	Elf64_Shdr secs[SECS];
};

static void align(struct outbuf *o, u32 to)
{
	while (outbuf_len(o) % to)
		outbuf_putc(o, 0);
}

static void uleb(struct outbuf *o, u64 v)
{
	do {
		outbuf_putc(o, (v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
}

static void sleb(struct outbuf *o, s64 v)
{
	bool more;

	do {
		u8 byte = v & 0x7f;

		v >>= 7;
		more = !((!v && !(byte & 0x40)) || (v == -1 && byte & 0x40));
		outbuf_putc(o, byte | (more ? 0x80 : 0));
	} while (more);
}

static void put_text(struct outbuf *o, const char *s)
{
	outbuf_write(o, s, strlen(s) + 1);
}

static void begin(struct maker *m, u32 sec, u32 type, u64 flags, u32 alignment)
{
	align(m->o, alignment);
	m->secs[sec] = (Elf64_Shdr){
		.sh_type = type, .sh_flags = flags, .sh_offset = outbuf_len(m->o), .sh_addralign = alignment,
		.sh_addr = flags & SHF_ALLOC ? outbuf_len(m->o) : 0,
	};
}

static void end(struct maker *m, u32 sec)
{
	m->secs[sec].sh_size = outbuf_len(m->o) - m->secs[sec].sh_offset;
}

/* Set the 32-bit length field at @at to the size of the rest of the file. */
static void set_length(struct outbuf *o, size_t at)
{
	u32 length = outbuf_len(o) - at - sizeof(length);

	memcpy(o->base + at, &length, sizeof(length));
}

static void put_frames(struct maker *m)
{
	const struct code_elf *in = m->in;
	const u8 *data = in->unwind;
	u32 frame = in->unwind_size - in->unwind_hdr;
	/* V8 has .eh_frame_hdr (version, encodings) after the table, the specification before. */
	bool first = in->unwind_hdr >= 4 && data[0] == 1 && data[1] == (DW_EH_PE_pcrel | DW_EH_PE_sdata4);
	u32 parts[2] = { first ? SEC_FRAME_HDR : SEC_FRAME, first ? SEC_FRAME : SEC_FRAME_HDR }, i;

	for (i = 0; i < 2; i++) {
		u32 size = parts[i] == SEC_FRAME ? frame : in->unwind_hdr;

		/* Tables have addresses relative to their own, so they must be adjacent. */
		begin(m, parts[i], SHT_PROGBITS, SHF_ALLOC, i ? 1 : 8);
		outbuf_write(m->o, data, size);
		end(m, parts[i]);
		data += size;
	}
}

/* A unit without children, with its line table and address range. */
static void put_info(struct maker *m)
{
	static const u8 abbrev[] = {
		1, DW_TAG_compile_unit, 0, DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data8, DW_AT_name, DW_FORM_string, 0, 0, 0,
	};
	size_t at;

	begin(m, SEC_ABBREV, SHT_PROGBITS, 0, 1);
	outbuf_write(m->o, abbrev, sizeof(abbrev));
	end(m, SEC_ABBREV);
	begin(m, SEC_INFO, SHT_PROGBITS, 0, 1);
	at = outbuf_len(m->o);
	outbuf_put32(m->o, 0);
	outbuf_write(m->o, (u16[]){ 4 }, 2);
	outbuf_put32(m->o, 0);
	outbuf_putc(m->o, 8);
	uleb(m->o, 1);
	outbuf_put32(m->o, 0);
	outbuf_put64(m->o, CODE_ELF_BEGIN);
	outbuf_put64(m->o, m->in->size);
	put_text(m->o, m->in->lines[0].file);
	set_length(m->o, at);
	end(m, SEC_INFO);
}

/* The file table of the lines: an entry for each run of lines of one file. */
static void put_files(struct maker *m)
{
	const char *last = NULL;
	u32 i;

	for (i = 0; i < m->in->nr_lines; i++) {
		if (m->in->lines[i].file == last)
			continue;
		last = m->in->lines[i].file;
		put_text(m->o, last);
		uleb(m->o, 0);
		uleb(m->o, 0);
		uleb(m->o, 0);
	}
	outbuf_putc(m->o, 0);
}

static void put_rows(struct maker *m)
{
	const struct code_elf_line *l;
	const char *last = NULL;
	u64 offset = 0;
	u32 i, file = 0, line = 1;

	outbuf_write(m->o, (u8[]){ 0, 9, DW_LNE_set_address }, 3);
	outbuf_put64(m->o, CODE_ELF_BEGIN);
	for (i = 0; i < m->in->nr_lines; i++) {
		l = &m->in->lines[i];
		if (l->file != last) {
			last = l->file;
			outbuf_putc(m->o, DW_LNS_set_file);
			uleb(m->o, ++file);
		}
		outbuf_putc(m->o, DW_LNS_advance_pc);
		uleb(m->o, l->offset - offset);
		outbuf_putc(m->o, DW_LNS_advance_line);
		sleb(m->o, (s64)l->line - line);
		outbuf_putc(m->o, DW_LNS_copy);
		offset = l->offset;
		line = l->line;
	}
	outbuf_putc(m->o, DW_LNS_advance_pc);
	uleb(m->o, m->in->size - offset);
	outbuf_write(m->o, (u8[]){ 0, 1, DW_LNE_end_sequence }, 3);
}

static void put_lines(struct maker *m)
{
	/* instruction length, most operations, default is_stmt, line base, range, opcode base */
	static const u8 head[] = { 1, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1 };
	size_t at, header;

	begin(m, SEC_LINE, SHT_PROGBITS, 0, 1);
	at = outbuf_len(m->o);
	outbuf_put32(m->o, 0);
	outbuf_write(m->o, (u16[]){ 4 }, 2);
	header = outbuf_len(m->o);
	outbuf_put32(m->o, 0);
	outbuf_write(m->o, head, sizeof(head));
	outbuf_putc(m->o, 0);			/* no include directories */
	put_files(m);
	set_length(m->o, header);
	put_rows(m);
	set_length(m->o, at);
	end(m, SEC_LINE);
}

static void put_build_id(struct maker *m)
{
	static const char owner[4] = "GNU";

	begin(m, SEC_BUILD_ID, SHT_NOTE, 0, 4);
	outbuf_put32(m->o, sizeof(owner));
	outbuf_put32(m->o, CODE_ELF_BUILD_ID);
	outbuf_put32(m->o, NT_GNU_BUILD_ID);
	outbuf_write(m->o, owner, sizeof(owner));
	outbuf_write(m->o, m->in->build_id, CODE_ELF_BUILD_ID);
	end(m, SEC_BUILD_ID);
}

static void put_symbols(struct maker *m)
{
	const struct code_elf *in = m->in;
	Elf64_Sym sym = { 0 };
	u32 i, name = 1;

	begin(m, SEC_SYMTAB, SHT_SYMTAB, 0, 8);
	outbuf_write(m->o, &sym, sizeof(sym));
	for (i = 0; i < in->nr_functions; i++) {
		sym = (Elf64_Sym){
			.st_name = name, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
			.st_value = CODE_ELF_BEGIN + in->functions[i].offset, .st_size = in->functions[i].size,
		};
		outbuf_write(m->o, &sym, sizeof(sym));
		name += strlen(in->functions[i].name) + 1;
	}
	end(m, SEC_SYMTAB);
	m->secs[SEC_SYMTAB].sh_entsize = sizeof(sym);
	m->secs[SEC_SYMTAB].sh_info = 1;
	begin(m, SEC_STRTAB, SHT_STRTAB, 0, 1);
	outbuf_putc(m->o, 0);
	for (i = 0; i < in->nr_functions; i++)
		put_text(m->o, in->functions[i].name);
	end(m, SEC_STRTAB);
}

/* Append the section table, without absent sections. Return: their number. */
static u32 put_sections(struct maker *m, u64 *offset)
{
	u32 i, nr = 0, numbers[SECS] = { 0 };

	begin(m, SEC_NAMES, SHT_STRTAB, 0, 1);
	for (i = 0; i < SECS; i++) {
		if (i && !m->secs[i].sh_type)
			continue;
		numbers[i] = nr++;
		m->secs[i].sh_name = outbuf_len(m->o) - m->secs[SEC_NAMES].sh_offset;
		put_text(m->o, section_names[i]);
	}
	end(m, SEC_NAMES);
	m->secs[SEC_SYMTAB].sh_link = numbers[SEC_STRTAB];
	align(m->o, 8);
	*offset = outbuf_len(m->o);
	for (i = 0; i < SECS; i++)
		if (!i || m->secs[i].sh_type)
			outbuf_write(m->o, &m->secs[i], sizeof(m->secs[i]));
	return nr;
}

static void set_headers(struct maker *m, u64 loaded, u32 nr, u64 table)
{
	const Elf64_Phdr load = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = loaded, .p_memsz = loaded, .p_align = 0x1000,
	};
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = m->in->machine, .e_version = EV_CURRENT, .e_phoff = sizeof(head),
		.e_ehsize = sizeof(head), .e_phentsize = sizeof(load), .e_phnum = 1, .e_shoff = table,
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = nr, .e_shstrndx = nr - 1,
	};

	memcpy(m->o->base, &head, sizeof(head));
	memcpy(m->o->base + sizeof(head), &load, sizeof(load));
}

void code_elf_make(const struct code_elf *in, struct outbuf *o)
{
	struct maker m = { .in = in, .o = o };
	u64 loaded, table;
	u32 nr;

	outbuf_fill(o, 0, CODE_ELF_BEGIN);
	begin(&m, SEC_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16);
	if (in->code)
		outbuf_write(o, in->code, in->size);
	else
		outbuf_fill(o, 0, in->size);
	end(&m, SEC_TEXT);
	if (in->unwind && in->unwind_hdr < in->unwind_size)
		put_frames(&m);
	loaded = outbuf_len(o);
	if (in->build_id)
		put_build_id(&m);
	if (in->nr_lines) {
		put_info(&m);
		put_lines(&m);
	}
	put_symbols(&m);
	nr = put_sections(&m, &table);
	set_headers(&m, loaded, nr, table);
}
