// SPDX-License-Identifier: GPL-2.0
/*
 * ELF files in archives. A loader can map an uncompressed library of a zip file (an APK) in
 * place: the mapping names the archive, its offset is relative to the archive, and several
 * libraries have the same name. Each library gets its own dso, identified by the offset of its
 * ELF header, which is searched page by page before the mapping's offset. The library is copied
 * into a memfd, since libdw and objdump read files.
 */
#include <gelf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "symbol/find_file.h"
#include "symbol/symbol_private.h"

#define PAGE		4096ULL
#define SEARCH_MAX	(1ULL << 27)	/* limit: bytes from a library's start to its code */
#define VAIN_MAX	(1ULL << 32)	/* limit: bytes of a file that are searched in vain */

/* Open the archive. Return: a descriptor; -1: failed, with @why set. */
static int open_archive(struct dso_file *f, enum find_file_result *why)
{
	int fd;

	*why = find_file_check(f, find_file_path(f, "%s", f->file), dso_was_removed(f), &fd);
	return *why == FIND_FILE_TAKEN ? fd : running_source(f);
}

/* The size of the ELF file at @p; 0: none with code at @off in @most bytes. */
static u64 elf_size(char *p, u64 most, u64 off)
{
	Elf *elf = elf_memory(p, most);
	bool found = false, sound = true;
	Elf_Scn *scn = NULL;
	size_t nr, i;
	GElf_Ehdr eh;
	GElf_Phdr ph;
	GElf_Shdr sh;
	u64 end = 0;

	if (!elf || !gelf_getehdr(elf, &eh) || elf_getphdrnum(elf, &nr)) {
		elf_end(elf);
		return 0;
	}
	for (i = 0; i < nr && gelf_getphdr(elf, i, &ph); i++) {
		sound &= ph.p_offset <= most && ph.p_filesz <= most - ph.p_offset;
		end = max(end, ph.p_offset + ph.p_filesz);
		found |= ph.p_type == PT_LOAD && (ph.p_flags & PF_X) && off >= (ph.p_offset & -PAGE) &&
			 off < ph.p_offset + ph.p_filesz;
	}
	while (sound && (scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh)) {
		if (sh.sh_type == SHT_NOBITS)
			continue;
		sound &= sh.sh_offset <= most && sh.sh_size <= most - sh.sh_offset;
		end = max(end, sh.sh_offset + sh.sh_size);
	}
	if (!elf_getshdrnum(elf, &nr) && nr) {
		sound &= eh.e_shoff <= most && nr <= (most - eh.e_shoff) / eh.e_shentsize;
		end = max(end, eh.e_shoff + nr * eh.e_shentsize);
	}
	elf_end(elf);
	return found && sound ? end : 0;
}

/* The ELF file with code at @off of an archive: its size, 0: none. @base: set to its offset */
static u64 find_elf(char *p, u64 size, u64 off, u64 *base)
{
	u64 at, first = off > SEARCH_MAX ? off - SEARCH_MAX : 0, found;

	if (off >= size)
		return 0;
	for (at = off & -PAGE; at >= first && at > 0; at -= PAGE) {
		if (size - at < SELFMAG || memcmp(p + at, ELFMAG, SELFMAG))
			continue;
		found = elf_size(p + at, size - at, off - at);
		if (found) {
			*base = at;
			return found;
		}
	}
	return 0;
}

/* Context: the archive's lock is held. Return: the library's dso, or NULL. */
static struct dso_file *look(struct dso_file *f, u64 off)
{
	enum find_file_result why;
	_cleanup_close_ int fd = open_archive(f, &why);
	u64 base, size, from = off > SEARCH_MAX ? (off - SEARCH_MAX) & -PAGE : 0, to;
	char magic[SELFMAG], *p;
	struct stat st;

	f->inner = INNER_NONE;
	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)PAGE ||
	    pread(fd, magic, SELFMAG, 0) != SELFMAG || !memcmp(magic, ELFMAG, SELFMAG))
		return NULL;
	f->inner = INNER_SOME;
	to = min((u64)st.st_size, off + SEARCH_MAX);
	/* An offset without a library is searched once, whatever maps it. */
	if (to <= from || f->in_vain > VAIN_MAX || hash_find(&f->no_inner, off, 0))
		return NULL;
	p = io_read_part(fd, from, to - from);
	size = p ? find_elf(p, to - from, off - from, &base) : 0;
	free(p);
	if (size)
		return dso_table_inner(f, from + base, size);
	hash_insert(&f->no_inner, off, 0, NULL);
	f->in_vain += to - from;
	return NULL;
}

struct dso *dso_inner(struct dso *d, u64 pgoff)
{
	struct dso_file *f = dso_file(d), *in = NULL;
	u64 base, size;

	/* A recorded build-id was read at the start of the file, so it is an ELF file. */
	if (f->table->cfg.no_files || !pgoff || d->kind != DSO_USER || d->memory || d->build_id_size || *d->name == '[')
		return d;
	pthread_mutex_lock(&f->lock);
	for (in = f->next_inner; in; in = in->next_inner)
		if (pgoff >= in->dso.base && pgoff - in->dso.base < in->inner_size)
			break;
	if (!in && f->table->cfg.names) {
		size = names_inner(f->table->cfg.names, d, pgoff, &base);
		in = size ? dso_table_inner(f, base, size) : NULL;
	}
	if (!in && f->inner != INNER_NONE)
		in = look(f, pgoff);
	pthread_mutex_unlock(&f->lock);
	return in ? &in->dso : d;
}

enum find_file_result inner_open(struct dso_file *f, struct elf_file *ef, char **path)
{
	enum find_file_result why;
	_cleanup_close_ int from = open_archive(f, &why), to = -1;
	void *p;
	int err;

	if (from < 0)
		return why;
	p = io_read_part(from, f->dso.base, f->inner_size);
	if (!p)
		return FIND_FILE_ABSENT;
	to = memfd_create("library", MFD_CLOEXEC);
	err = to < 0 ? -errno : write_all(to, p, f->inner_size);
	free(p);
	if (err)
		return FIND_FILE_ABSENT;
	*path = find_file_hold(f, no_close(to));
	return *path ? find_file_open(f, *path, ef) : FIND_FILE_ABSENT;
}
