// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of programs and libraries: out of the program, out of the file with
 * its debug information, or both.
 */
#include <gelf.h>
#include <sys/auxv.h>

#include "elf/inflate.h"
#include "symbol/find_file.h"

/* Prelink moves a program but not its debug file. */
static u64 load_bias(Elf *run, Elf *dbg)
{
	u64 addr[2] = { 0 };
	Elf *elf[2] = { run, dbg };
	size_t i, j, nr;
	GElf_Phdr ph;

	for (i = 0; i < 2; i++) {
		if (!elf[i] || elf_getphdrnum(elf[i], &nr))
			return 0;
		for (j = 0; j < nr && gelf_getphdr(elf[i], j, &ph); j++)
			if (ph.p_type == PT_LOAD)
				break;
		if (j == nr)
			return 0;
		addr[i] = ph.p_vaddr;
	}
	return addr[0] - addr[1];
}

/* The small .symtab that Fedora's programs carry in an xz-compressed ELF of its own. */
static bool read_minidebug(struct dso_file *f, struct elf_file *run, const char *path)
{
	struct elf_file mini;
	Elf_Data *data = elf_section(f, run->elf, ".gnu_debugdata");
	void *image;
	size_t size;

	if (!data || inflate_memory(INFLATE_XZ, data->d_buf, data->d_size, &image, &size))
		return false;
	elf_images_add(&f->images, image);
	if (elf_open_memory(image, size, &mini))
		return false;
	f->elfs[2] = f->symbols_elf = mini.elf;
	/* It leaves out what .dynsym has. */
	elf_add_symbols(f, run, 0, path);
	return !elf_read_symbols(f, &mini, 0, path);
}

static void set_why(struct dso_file *f, enum find_file_result r)
{
	switch (r) {
	case FIND_FILE_TAKEN:
		break;
	case FIND_FILE_ABSENT:
		f->why = "its file is not here";
		break;
	case FIND_FILE_NOT_ELF:
		f->why = "its file is not an ELF file";
		break;
	case FIND_FILE_OTHER_BUILD:
		f->why = "its file was replaced since the recording (another build id)";
		break;
	case FIND_FILE_REPEATED:
		f->why = "the recording names its file in too many ways: the first 16 have symbols";
		break;
	}
}

/* Open the program itself. Return: its path, or NULL with @f->why set. */
static char *open_program(struct dso_file *f, struct elf_file *run)
{
	char *path = find_file_path(f, "%s", f->dso.path);
	u8 size = f->dso.build_id_size;
	enum find_file_result r;

	r = find_file_open(f, path, run);
	if (r == FIND_FILE_TAKEN)
		return path;
	set_why(f, r);
	if (size < 2)
		return NULL;
	path = find_file_cached(f, f->dso.build_id, size, "elf");
	if (find_file_open(f, path, run) == FIND_FILE_TAKEN)
		return path;
	/* A mapped file of data has a build id only if it is an ELF file. */
	path = find_file_debuginfod(f, f->dso.build_id, size, true);
	if (path && find_file_open(f, path, run) == FIND_FILE_TAKEN)
		return path;
	return NULL;
}

void elf_files_load(struct dso_file *f)
{
	struct elf_file run = { 0 }, dbg = { 0 };
	char *path, *dbg_path;

	/* Only the kernel's own names are no paths: [heap], //anon, [vsyscall], [uprobes] */
	if (f->dso.memory || *f->dso.name == '[') {
		f->why = "it is not a file";
		return;
	}
	path = open_program(f, &run);
	if (path) {
		f->elf_path = f->sym_path = path;
		f->elfs[0] = run.elf;
		elf_read_segments(f, &run);
		elf_read_plt(f, &run);
		if (run.has_symtab) {
			elf_read_symbols(f, &run, 0, path);
			return;
		}
	}
	dbg_path = find_file_debug(f, &run, &dbg);
	if (dbg_path) {
		f->sym_path = dbg_path;
		f->elfs[1] = dbg.elf;
		if (!path)
			elf_read_segments(f, &dbg);
	}
	if (dbg_path && dbg.has_symtab) {
		f->symbols_elf = dbg.elf;
		f->symbols_bias = load_bias(run.elf, dbg.elf);
		elf_read_symbols(f, &dbg, f->symbols_bias, dbg_path);
	} else if (path && !read_minidebug(f, &run, path)) {
		elf_read_symbols(f, &run, 0, path);
	}
}

/* Our own vdso as the kernel mapped it. */
static bool own_vdso(struct elf_file *ef)
{
	void *image = (void *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr *eh = image;

	/* One or two pages; its section headers come last. */
	return image && eh->e_shoff < 1 << 20 &&
	       !elf_open_memory(image, eh->e_shoff + eh->e_shnum * sizeof(Elf64_Shdr), ef);
}

void vdso_load(struct dso_file *f)
{
	u8 size = f->dso.build_id_size;
	struct elf_file ef;
	char *path = NULL;

	f->why = "the recorded kernel's vdso is not here";
	if (own_vdso(&ef)) {
		if (size ? ef.build_id_size && !memcmp(ef.build_id, f->dso.build_id,
						       min(size, ef.build_id_size)) :
			   kernel_is_running(f->table, NULL, 0))
			goto found;
		elf_close(&ef);
	}
	if (!size)
		return;
	path = find_file_cached(f, f->dso.build_id, size, "vdso");
	if (find_file_open(f, path, &ef) != FIND_FILE_TAKEN)
		return;
found:
	f->elfs[0] = ef.elf;
	f->elf_path = f->sym_path = path;
	elf_read_segments(f, &ef);
	elf_read_symbols(f, &ef, 0, "[vdso]");
}
