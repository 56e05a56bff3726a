// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPython a file is, and where the fields of its structures are.
 *
 * _PyRuntime is a section of its own, .PyRuntime, in programs and in libpython. 3.11 and 3.12:
 * offsets by version, from the headers; they are the same for all builds of a minor version for
 * 64-bit machines that are not debug builds. From 3.13 on _PyRuntime begins
 * with struct _Py_DebugOffsets, which grows in each minor version.
 */
#include <gelf.h>
#include <stdio.h>

#include "base/diag.h"
#include "elf/open.h"
#include "runtime/python.h"

#define PYTHON_3_11	0x30b
#define PYTHON_3_12	0x30c
#define PYTHON_3_13	0x30d
#define PYTHON_3_14	0x30e

/* PyASCIIObject and PyBytesObject of 3.12 and later */
#define STRINGS_3_12	.str_length = 16, .str_state = 32, .str_ascii = 40, .str_wide = 56,	\
			.bytes_size = 16, .bytes_data = 32

static const struct python_layout layout_3_11 = {
	.interpreters = 40,
	.interp_next = 0, .interp_threads = 16,
	.thread_next = 8, .thread_native_id = 160, .thread_cframe = 56,
	.cframe_frame = 8, .cframe_previous = 16,
	.frame_previous = 48, .frame_code = 32, .frame_instr = 56, .frame_owner = 69,
	.frame_is_entry = 68,
	.code_file = 112, .code_name = 128, .code_lines = 136, .code_first_line = 72,
	.code_start = 184,
	.str_length = 16, .str_state = 32, .str_ascii = 48, .str_wide = 72,
	.bytes_size = 16, .bytes_data = 32,
};

static const struct python_layout layout_3_12 = {
	.interpreters = 40,
	.interp_next = 0, .interp_threads = 72,
	.thread_next = 8, .thread_native_id = 144, .thread_cframe = 56,
	.cframe_frame = 0, .cframe_previous = 8,
	.frame_previous = 8, .frame_code = 0, .frame_instr = 56, .frame_owner = 70,
	.code_file = 112, .code_name = 128, .code_lines = 136, .code_first_line = 68,
	.code_start = 192,
	STRINGS_3_12,
};

/* Fields of struct _Py_DebugOffsets, by their number: all have 64 bits. */
struct debug_field {
	u16	field;		/* in python_layout */
	u16	word[2];	/* in 3.13, in 3.14 */
};

#define FIELD(name, in_3_13, in_3_14) { offsetof(struct python_layout, name), { in_3_13, in_3_14 } }

static const struct debug_field debug_fields[] = {
	FIELD(interpreters, 5, 5),
	FIELD(interp_next, 8, 8), FIELD(interp_threads, 9, 9),
	FIELD(thread_next, 21, 24), FIELD(thread_frame, 23, 26), FIELD(thread_native_id, 25, 28),
	FIELD(frame_previous, 29, 32), FIELD(frame_code, 30, 33), FIELD(frame_instr, 31, 34),
	FIELD(frame_owner, 33, 36),
	FIELD(code_file, 35, 40), FIELD(code_name, 37, 42), FIELD(code_lines, 38, 43),
	FIELD(code_first_line, 39, 44), FIELD(code_start, 43, 48),
};

#define DEBUG_WORDS	64
/* The largest offset that is believed. */
#define DEBUG_MOST	(1 << 20)

/* Copy what the file has at an address. Return: false if it is not there, or is not stored. */
static bool read_file(Elf *elf, u64 addr, void *buf, size_t size)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    !(sh.sh_flags & SHF_ALLOC) || addr < sh.sh_addr || addr - sh.sh_addr >= sh.sh_size)
			continue;
		data = elf_rawdata(scn, NULL);
		addr -= sh.sh_addr;
		if (!data || addr > data->d_size || data->d_size - addr < size)
			return false;
		memcpy(buf, (char *)data->d_buf + addr, size);
		return true;
	}
	return false;
}

/* What the symbols of a section say. @version: set to the address of Py_Version. */
static void read_symbols(Elf *elf, Elf_Scn *scn, u32 names, struct python_image *image,
			 u64 *version)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Sym sym;
	int i;

	for (i = 0; data && gelf_getsym(data, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) != STT_OBJECT || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, names, sym.st_name);
		if (!name)
			continue;
		if (!strcmp(name, "PyCode_Type"))
			image->code_type = sym.st_value;
		else if (!strcmp(name, "Py_Version"))
			*version = sym.st_value;
	}
}

/* 3.13 and later: the layout that _PyRuntime, a variable with a value, begins with. */
static int read_debug_offsets(struct python_image *image, const u64 word[DEBUG_WORDS])
{
	u32 i, late;

	image->version = word[1] >> 16;
	late = image->version > PYTHON_3_13;
	/* Free-threaded builds have other strings and code objects. */
	if (image->version < PYTHON_3_13 || image->version > PYTHON_3_14 || word[2])
		return -ENOTSUP;
	image->layout = (struct python_layout){ STRINGS_3_12 };
	for (i = 0; i < ARRAY_SIZE(debug_fields); i++) {
		const struct debug_field *f = &debug_fields[i];

		if (word[f->word[late]] > DEBUG_MOST)
			return -ENOTSUP;
		*(u32 *)((char *)&image->layout + f->field) = word[f->word[late]];
	}
	return 0;
}

static int find(Elf *elf, struct python_image *image)
{
	u64 version_at = 0, word[DEBUG_WORDS];
	Elf_Scn *scn = NULL, *symbols = NULL;
	u32 version = 0;
	const char *name;
	GElf_Shdr sh;

	*image = (struct python_image){ 0 };
	while ((scn = elf_next_section(elf, scn, &sh, &name))) {
		if (!strcmp(name, ".PyRuntime"))
			image->runtime = sh.sh_addr;
		if (!strcmp(name, ".text"))
			image->code_delta = sh.sh_addr - sh.sh_offset;
		if (sh.sh_type == SHT_SYMTAB || (sh.sh_type == SHT_DYNSYM && !symbols))
			symbols = scn;
	}
	if (!image->runtime)
		return -ENOENT;
	if (symbols && gelf_getshdr(symbols, &sh))
		read_symbols(elf, symbols, sh.sh_link, image, &version_at);
	if (read_file(elf, image->runtime, word, sizeof(word)) &&
	    !memcmp(word, "xdebugpy", sizeof(*word)))
		return read_debug_offsets(image, word);
	if (version_at)
		read_file(elf, version_at, &version, sizeof(version));
	image->version = version >> 16;
	switch (image->version) {
	case PYTHON_3_11:
		image->layout = layout_3_11;
		return 0;
	case PYTHON_3_12:
		image->layout = layout_3_12;
		return 0;
	}
	return -ENOTSUP;
}

int python_image_find(const char *path, struct python_image *image)
{
	struct stat st;
	Elf *elf;
	int err, fd = elf_file_open(path, &elf, &st);

	if (fd < 0)
		return fd;
	err = find(elf, image);
	elf_file_done(elf, fd);
	elf_end(elf);
	return err;
}

void python_image_refuse(const struct python_image *image, const char *path)
{
	static bool told;
	char version[32] = "before 3.11";	/* whose version no variable tells */

	if (image->version)
		snprintf(version, sizeof(version), "%u.%u", image->version >> 8, image->version & 0xff);
	if (!told)
		diag_warn("%s: the functions of CPython %s are not shown: those of 3.11 to 3.14 are, but not of "
			  "free-threaded and debug builds", path, version);
	told = true;
}
