// SPDX-License-Identifier: GPL-2.0
/* Symbols of programs and libraries: from the program, from its debug file, or from both. */
#include <gelf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <asm/prctl.h>
#endif

#include "base/cleanup.h"
#include "base/diag.h"
#include "buildid/buildid_cache.h"
#include "elf/unpack.h"
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

/* The mini debug info of Fedora's programs: .symtab in an embedded, compressed ELF file. */
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
	/* It omits the symbols of .dynsym. */
	elf_read_symbols(f, run, 0, path, true);
	return !elf_read_symbols(f, &mini, 0, path, false);
}

static void set_why(struct dso_file *f, enum find_file_result r)
{
	static const char *const why[] = {
		[FIND_FILE_ABSENT] = "its file is not here",
		[FIND_FILE_NOT_ELF] = "its file is not an ELF file",
		[FIND_FILE_OTHER_BUILD] = "its file was replaced since the recording (another build id)",
		[FIND_FILE_OTHER_INODE] = "its file was replaced since the recording (another inode; -f uses it anyway)",
		[FIND_FILE_NEWER] = "its file was changed since the recording (it is newer; -f uses it anyway)",
		[FIND_FILE_DELETED] = "its file was deleted, and no process of the recording runs it now",
		[FIND_FILE_NOT_PERMITTED] = "its file was deleted: only root may read that of a running process",
	};

	f->why = why[r];
}

/* Open a file unless it is known not to be the recorded one. */
static enum find_file_result open_recorded(struct dso_file *f, const char *path, bool other_path, struct elf_file *run)
{
	enum find_file_result r = find_file_open(f, path, run);
	int fd;

	/* Files below --symfs are accepted without check. */
	if (r != FIND_FILE_TAKEN || f->table->cfg.symfs || (f->dso.build_id_size && run->build_id_size))
		return r;
	if (f->dso.build_id_size) {
		r = FIND_FILE_OTHER_BUILD;
	} else {
		r = find_file_check(f, path, other_path, &fd);
		if (r == FIND_FILE_TAKEN) {
			close(fd);
			return r;
		}
	}
	elf_close(run);
	return r;
}

static enum find_file_result open_at_path(struct dso_file *f, struct elf_file *run, char **path)
{
	enum find_file_result r;

	if (f->dso.base)
		return inner_open(f, run, path);
	*path = find_file_path(f, "%s", f->dso.path);
	r = open_recorded(f, *path, false, run);
	if (r != FIND_FILE_ABSENT || !dso_was_removed(f))
		return r;
	/* The file was removed when it was mapped. It may have been restored. */
	*path = find_file_path(f, "%s", f->file);
	return open_recorded(f, *path, true, run) == FIND_FILE_TAKEN ? FIND_FILE_TAKEN : FIND_FILE_DELETED;
}

/* Open perf record's copy of a file without build-id; NULL: none, or of a later state. */
static char *open_kept(struct dso_file *f, struct elf_file *run)
{
	const struct symbol_config *c = &f->table->cfg;
	u8 id[BUILDID_OF_INODE];
	struct stat st;
	char *path;

	if (f->dso.build_id_size || !f->ino || !c->same_host)
		return NULL;
	buildid_of_inode(f->file, f->ino, f->ino_generation, id);
	path = find_file_cached(f, id, sizeof(id), "elf");
	if (stat(path, &st) || find_file_is_newer(c, &st) || find_file_open(f, path, run) != FIND_FILE_TAKEN)
		return NULL;
	buildid_cache_file_used(path);
	return path;
}

/* Open the program itself. Return: its path, or NULL with @f->why and the reason set. */
static char *open_program(struct dso_file *f, struct elf_file *run, enum find_file_result *r)
{
	u8 size = f->dso.build_id_size;
	enum find_file_result running;
	char *path;

	*r = open_at_path(f, run, &path);
	if (*r == FIND_FILE_TAKEN)
		return path;
	set_why(f, *r);
	if (f->dso.base)
		return NULL;
	if (size > 1) {
		path = find_file_cached(f, f->dso.build_id, size, "elf");
		if (find_file_open(f, path, run) == FIND_FILE_TAKEN) {
			buildid_cache_file_used(path);
			return path;
		}
	}
	path = open_kept(f, run);
	if (path)
		return path;
	running = running_open(f, run, &path);
	if (running == FIND_FILE_TAKEN)
		return path;
	if (running == FIND_FILE_NOT_PERMITTED)
		set_why(f, running);
	if (size < 2)
		return NULL;
	/* A data file has a build id only if it is an ELF file. */
	path = find_file_debuginfod(f, f->dso.build_id, size, true);
	if (path && find_file_open(f, path, run) == FIND_FILE_TAKEN)
		return path;
	return NULL;
}

/* Maximum number of warnings about replaced files. After an upgrade many files are replaced. */
#define REPLACED_TOLD 4

/* Warn that a file was replaced and its symbols are not used. */
static void tell_replaced(struct dso_file *f, const char *why)
{
	u32 nr = __atomic_fetch_add(&f->table->nr_replaced, 1, __ATOMIC_RELAXED);

	if (nr < REPLACED_TOLD)
		diag_warn("%s: %s: addresses are shown, not names", f->dso.name, why);
	else if (nr == REPLACED_TOLD)
		diag_warn("more files were replaced since the recording: addresses are shown, not names");
}

struct elf_file *elf_files_find_debug(struct dso_file *f)
{
	char *path;

	if (f->debug || !f->program || f->program->has_symtab)
		return f->debug;
	f->debug = arena_alloc(&f->arena, sizeof(*f->debug));
	path = find_file_debug(f, f->program, f->debug);
	if (path) {
		f->sym_path = path;
		f->elfs[1] = f->debug->elf;
	}
	return f->debug;
}

void elf_files_open(struct dso_file *f)
{
	struct elf_file run = { 0 };
	enum find_file_result r;
	char *path;

	/* Names of the kernel are not paths: [heap], //anon, [vsyscall], [uprobes]. [python] has a build-id. */
	if (f->dso.memory || (*f->dso.name == '[' && !f->dso.build_id_size)) {
		f->why = "it is not a file";
		return;
	}
	path = open_program(f, &run, &r);
	f->searched = r;
	f->program = arena_alloc(&f->arena, sizeof(run));
	*f->program = run;
	if (path) {
		f->elf_path = f->sym_path = path;
		f->elfs[0] = run.elf;
		elf_read_segments(f, &run);
	} else if (elf_files_find_debug(f)->elf) {
		elf_read_segments(f, f->debug);
	}
}

void elf_files_load(struct dso_file *f)
{
	struct elf_file *run = f->program, *dbg;
	const char *path = f->elf_path;

	if (!run)
		return;
	if (path) {
		elf_read_plt(f, run);
		if (run->has_symtab) {
			elf_read_symbols(f, run, 0, path, false);
			return;
		}
	}
	dbg = elf_files_find_debug(f);
	if (dbg->has_symtab) {
		f->symbols_elf = dbg->elf;
		f->symbols_bias = load_bias(run->elf, dbg->elf);
		elf_read_symbols(f, dbg, f->symbols_bias, f->sym_path, false);
	} else if (path && !read_minidebug(f, run, path)) {
		elf_read_symbols(f, run, 0, path, false);
	} else if (f->names) {
		return;		/* the recording has the names: another file is harmless */
	} else if (f->searched == FIND_FILE_OTHER_INODE || f->searched == FIND_FILE_NEWER ||
		   (f->searched == FIND_FILE_OTHER_BUILD && f->table->cfg.same_host)) {
		/* Not for another machine's recording: there other builds are expected. */
		tell_replaced(f, f->why);
	}
}

#ifdef __x86_64__
#define VDSO32_MAX ((size_t)64 << 10)
#define VDSO_MAPS 8

static char *vdso32;	/* a copy, NULL: there is none */

/* The mappings of the vdso and its data, the vdso last. Return: how many. */
static u32 own_vdso_maps(struct iovec v[VDSO_MAPS])
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[256], name[16];
	u32 nr = 0;

	while (maps && nr < VDSO_MAPS && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s [%15s", &start, &end, name) == 3 &&
		    (!strncmp(name, "vvar", 4) || !strcmp(name, "vdso]")))
			v[nr++] = (struct iovec){ (void *)start, end - start };
	return nr;
}

/* By arch_prctl(2). A process has one vdso only, so a child gives up its own. */
static void make_vdso32(void)
{
	struct iovec maps[VDSO_MAPS];
	u32 nr = own_vdso_maps(maps), i;
	void *copy = mmap(NULL, VDSO32_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			  0);
	pid_t pid = copy == MAP_FAILED ? -1 : fork();

	if (!pid) {
		for (i = 0; i < nr; i++)
			munmap(maps[i].iov_base, maps[i].iov_len);
		syscall(SYS_arch_prctl, ARCH_MAP_VDSO_32, 0);
		nr = own_vdso_maps(maps);
		if (nr)
			memcpy(copy, maps[nr - 1].iov_base, min(maps[nr - 1].iov_len, VDSO32_MAX));
		_exit(0);
	}
	if (pid > 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	if (copy == MAP_FAILED)
		return;
	/* A walker shares no memory but its window. */
	vdso32 = xmalloc(VDSO32_MAX);
	memcpy(vdso32, copy, VDSO32_MAX);
	munmap(copy, VDSO32_MAX);
}

#else
#define VDSO32_MAX 0

static char *vdso32;

static void make_vdso32(void)
{
}
#endif

void vdso32_read(void)
{
	/* (Not pthread_once(): ThreadSanitizer faults a child that ends in it.) */
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool made;

	pthread_mutex_lock(&lock);
	if (!made)
		make_vdso32();
	made = true;
	pthread_mutex_unlock(&lock);
}

static bool own_vdso32(struct elf_file *ef)
{
	vdso32_read();
	return vdso32 && !elf_open_memory(vdso32, VDSO32_MAX, ef);
}

/* Our own vdso as the kernel mapped it. */
static bool own_vdso(struct elf_file *ef)
{
	void *image = (void *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr *eh = image;

	/* The image is one or two pages; section headers are at its end. */
	return image && eh->e_shoff < 1 << 20 &&
	       !elf_open_memory(image, eh->e_shoff + eh->e_shnum * sizeof(Elf64_Shdr), ef);
}

void vdso_load(struct dso_file *f)
{
	u8 size = f->dso.build_id_size;
	struct elf_file ef;
	char *path = NULL;

	f->why = "the recorded kernel's vdso is not here";
	if (!strcmp(f->dso.name, "[vdso]") ? own_vdso(&ef) :
	    !strcmp(f->dso.name, "[vdso32]") && own_vdso32(&ef)) {
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
	elf_read_symbols(f, &ef, 0, "[vdso]", false);
}
