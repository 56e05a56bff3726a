/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of symbol/: a dso with all its data. */
#ifndef PERF_SYMBOL_SYMBOL_PRIVATE_H
#define PERF_SYMBOL_SYMBOL_PRIVATE_H

#include <endian.h>
#include <libelf.h>
#include <pthread.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/types.h"
#include "elf/gopclntab.h"
#include "elf/unpack.h"
#include "symbol/symtab.h"

/* A PT_LOAD program header. */
struct elf_segment {
	u64 offset, filesz, vaddr, memsz;
	bool exec;
};

/* The conversion from mapped addresses to symbol addresses: dso_map_ip(). */
struct addr_map {
	struct elf_segment *segs;
	u32 nr_segs;
	bool absolute;			/* symbols have virtual addresses: no conversion */
	u64 ref_addr;			/* address of dso_file.ref in the symbols; 0: unknown */
	u64 module_base;		/* symbols of a module: the address of its mapping's start */
};

/* le32_at - the little-endian number at an address */
static inline u32 le32_at(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

/* by_first_u64 - compare what begins with a u64, for qsort() */
static inline int by_first_u64(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

struct elf_file;
struct lines;		/* srcline.c */
struct inline_index;	/* inline_index.c */
struct names_addr;	/* names.c */
struct kallsyms;	/* kallsyms.c */
struct running;		/* running.c */

/* Symbols from records. A batch that was searched is complete: later ones go to a new one. */
struct extra {
	struct extra *next;
	struct symtab tab;
	bool ready;		/* sorted; read with acquire, written with release */
};

struct source_line {
	const char *file;		/* NULL: unknown */
	u32 line;
};

/* The source line of JIT code, up to the next entry. */
struct jit_line {
	u64 addr;
	struct source_line at;
};

struct dso_file {
	struct dso dso;			/* first: a struct dso * is one of these */
	struct dso_table *table;
	const char *ref;		/* kernel: the symbol at the mapping's pgoff */
	u64 ino, ino_generation;	/* of the recorded file; 0: unknown */
	const char *file;		/* dso.path without the kernel's " (deleted)" */
	int fd;				/* a file that @elf_path names by this descriptor; -1: none */
	u64 inner_size;			/* with dso.base: bytes of the ELF file in the archive */
	enum { INNER_UNKNOWN, INNER_NONE, INNER_SOME } inner;	/* is it an archive? */
	struct dso_file *next_inner;	/* the ELF files in an archive: a list */
	struct hash no_inner;		/* offsets in the archive at which there is none */
	u64 in_vain;			/* bytes that were searched for them */
	pthread_mutex_t lock;		/* held while anything below changes */
	bool opened, loaded;		/* read with acquire, written with release */
	struct elf_file *program;	/* .elf NULL: not found; NULL: no file, or not opened yet */
	struct elf_file *debug;		/* the same for elf_files_find_debug() */
	u32 searched;			/* enum find_file_result of the search for @program */
	struct symtab tab;
	struct symtab starts;		/* starts_load() */
	struct gopclntab go;		/* of a stripped program of Go */
	bool starts_loaded;		/* read with acquire, written with release */
	struct extra *extra;		/* dso_add_symbol(), newest first */
	struct addr_map map;
	struct dso_names *names;	/* the recorded names; NULL: none, or not read yet */
	bool names_tried;		/* read with acquire, written with release */
	const char *why;		/* reason for having no symbols; NULL: it has some */
	bool absent;			/* no symbols as the file does not exist here */
	const char *elf_path;		/* has the sections; NULL: none */
	const char *sym_path;		/* has .symtab, maybe debug information; NULL: none */
	struct Elf *elfs[3];		/* names point into their string tables */
	struct Elf *symbols_elf;	/* one of @elfs, if the program is stripped; else NULL */
	u64 symbols_bias;		/* added to their addresses */
	struct elf_images images;	/* decompressed files and sections; names point into them */
	struct arena arena;
	struct hash linkage;		/* symbol_config.linkage: demangled name -> mangled name */
	pthread_mutex_t lines_lock;	/* protects the members below; taken before @lock */
	struct hash inline_linkage;	/* the same, of inlined functions */
	struct lines *lines;
	bool lines_tried;
	struct inline_index *inlines;	/* NULL: not opened, or not to be used */
	const char *inlines_path;	/* of @inlines; NULL: not tried yet */
	struct hash inlines_of;		/* address -> struct inlined *: inlines.c */
	struct arena inline_arena;	/* what they refer to */
	struct hash inline_syms;	/* (hash of the name, start) -> struct symbol * */
	struct hash answers;		/* (address, line_of()'s @nr and @full_path) -> text */
	struct hash texts;		/* (hash, size) -> text of line_text() */
	struct jit_line *jit_lines;	/* jitdump_read(), by address */
	u32 nr_jit_lines, cap_jit_lines;
	struct hash jit_code;		/* (start, end) of short functions -> their code */
};

struct dso_table {
	struct symbol_config cfg;
	pthread_mutex_t lock;		/* protects data shared by dsos: kallsyms, debuginfod */
	struct arena arena;
	struct hash by_key;
	struct dso_file **files;
	u32 nr, cap;
	struct hash jitdumps;		/* pid -> path of its newest jit-PID.dump */
	struct hash jitmaps;		/* pid -> path of the copy of its perf-PID.map */
	u64 jitmap_bytes;		/* bytes read from perf-PID.map files so far */
	struct kallsyms *kallsyms;
	bool kallsyms_tried, kallsyms_hidden;
	struct hash modules;		/* (hash of the name, 0) -> path by modules.dep */
	bool modules_read;
	dso_has_process *has_process;	/* NULL: ignore running processes */
	void *process_ctx;
	struct running *running;	/* NULL: not made yet */
	u32 nr_fds;			/* descriptors that dsos hold */
	bool any_absent;		/* a file does not exist here; atomic */
	u32 nr_replaced;		/* number of files that were replaced */
	u8 kernel_id[20];		/* build id of the recorded kernel */
	u8 kernel_id_size;
};

static inline struct dso_file *dso_file(struct dso *d)
{
	return (struct dso_file *)d;
}

/* dso_was_removed - the file was removed before its mapping was recorded */
static inline bool dso_was_removed(const struct dso_file *f)
{
	return f->dso.path[strlen(f->file)];
}

/* dso_load - read the symbols, once */
void dso_load(struct dso_file *f);

/*
 * dso_asks_file - may a file be searched for an address without a recorded name? Not for the kernel
 * and JIT code: their files may have other addresses, or belong to another process by now.
 */
static inline bool dso_asks_file(const struct dso_file *f)
{
	return !f->names || f->dso.kind == DSO_USER || f->dso.kind == DSO_VDSO;
}

/* dso_table_inner - make the dso of an ELF file in an archive, whose lock is held */
struct dso_file *dso_table_inner(struct dso_file *archive, u64 base, u64 size);

/* An ELF file, as read by elf_open(). */
struct elf_file {
	Elf *elf;
	int machine;			/* EM_* */
	u16 type;			/* ET_* */
	u8 build_id[ELF_BUILD_ID_MAX];
	u8 build_id_size;		/* 0: none */
	bool has_symtab, has_code, has_debug_info;
	const char *debuglink;		/* from .gnu_debuglink, in the mapped file; NULL: none */
	u32 debuglink_crc;
};

/*
 * elf_open - map an ELF file and find its sections; @ef: set to it, for elf_close(). Return: 0;
 * -ENOENT etc.; -ENOEXEC: it is no valid ELF file. Prints nothing.
 */
int elf_open(const char *path, struct elf_file *ef);

/* elf_open_memory - the same, of an image that outlives the symbols. Return: 0 or -ENOEXEC. */
int elf_open_memory(void *image, size_t size, struct elf_file *ef);
void elf_close(struct elf_file *ef);

/*
 * elf_read_symbols - add the functions of .symtab or, without it, of .dynsym to a dso, whose lock
 * is held; @ef: stays open; @bias: added to addresses; @path: for messages; @more: more follow, do
 * not sort yet. Return: 0, or -EBADMSG after a warning.
 */
int elf_read_symbols(struct dso_file *f, struct elf_file *ef, u64 bias, const char *path,
		     bool more);

/* elf_section - the bytes of a section by name, unpacked; NULL: none */
Elf_Data *elf_section(struct dso_file *f, Elf *elf, const char *name);

/* elf_symbol_address - the value of a symbol of .symtab; 0: none of that name */
u64 elf_symbol_address(struct dso_file *f, struct elf_file *ef, const char *name);

/*
 * elf_read_plt - add NAME@plt for the stubs that call into other files, before elf_read_symbols();
 * @f: its lock is held; @ef: stays open
 */
void elf_read_plt(struct dso_file *f, struct elf_file *ef);

/* elf_name_ifuncs - name the stubs of ifuncs after their resolvers, in a finished table */
void elf_name_ifuncs(struct dso_file *f);

/* elf_read_segments - read the PT_LOAD headers into @f->map */
void elf_read_segments(struct dso_file *f, struct elf_file *ef);

/* elf_files_open - find a program or its debug file, and read the segments; the lock is held */
void elf_files_open(struct dso_file *f);

/*
 * elf_files_find_debug - find the debug file of a stripped or absent program, once; @f: opened, its
 * lock held. Return: the file, without .elf if there is none; NULL: none is needed.
 */
struct elf_file *elf_files_find_debug(struct dso_file *f);

/* elf_files_load - read the symbols of an opened program or debug file; the lock is held */
void elf_files_load(struct dso_file *f);

/*
 * starts_load - name functions without symbol, "sort+0x8850", by the call frame information of an
 * x86-64 program; @f: loaded, its lock held
 */
void starts_load(struct dso_file *f);

/* jitmap_load - read /tmp/perf-PID.map of a DSO_ANON, and its jit-PID.dump (jitdump_read()) */
void jitmap_load(struct dso_file *f);

/*
 * jitdump_read - add the functions of a jit-PID.dump to a DSO_ANON, unsorted; @f: its lock is held;
 * @fd: is closed. Return: 0, or -EINVAL: not a dump.
 */
int jitdump_read(struct dso_file *f, int fd);

/* jitdump_line - the line of an address of JIT code */
struct source_line jitdump_line(const struct dso_file *f, u64 addr);

/* kernel_load - read a kernel's, module's or BPF program's symbols */
void kernel_load(struct dso_file *f);

/* kernel_is_running - by its build-id or, @size 0, by its release */
bool kernel_is_running(const struct dso_table *t, const u8 *id, u8 size);

/* vdso_load - read our own vdso if it is the recording's */
void vdso_load(struct dso_file *f);

/* demangle - a name of C++, Rust, D, OCaml or the JVM, malloc()ed; NULL: not mangled */
char *demangle(const char *name);

#define NAMES_VERSION	1
#define NAMES_START	0x10	/* flag in the binding: a function's start, without a symbol */

/* The header before the zstd frame. */
struct names_head {
	u8 version, zero[3];
	u32 packed;		/* size of the frame, little-endian */
};

/* The recorded names of a file. */
struct dso_names {
	struct addr_map map;		/* from mapped addresses to those of the symbols */
	struct symtab tab, starts;	/* symbols; starts of functions without one */
	struct names_addr *addrs;	/* addresses with a place, ascending */
	u32 nr_addrs;
};

/* names_of_dso - the recorded names of a file, or NULL: none are to be used. Any thread. */
struct dso_names *names_of_dso(struct dso_file *f);

/* names_has_place - is the line of an address recorded, or what is inlined there? */
bool names_has_place(const struct dso_names *n, u64 addr);

/* names_line - the line of an address or, @nr above 0, of call @nr - 1; lines_lock is held */
struct source_line names_line(struct dso_file *f, u64 addr, u32 nr);

/*
 * names_inlines - set @names to the linker's names of the functions inlined at an address,
 * innermost first; @f: as above. Return: their number.
 */
u32 names_inlines(struct dso_file *f, u64 addr, const char *const **names);

/*
 * names_inner - find the ELF file mapped from @off of an archive; @base: set to its offset. Return:
 * its bytes up to the end of its mappings; 0: none.
 */
u64 names_inner(const struct embedded *n, const struct dso *archive, u64 off, u64 *base);

void names_forget(struct dso_file *f);

/*
 * An index of the functions inlined in a file, kept beside its copy in the build-id cache:
 * addresses and names that a reader has found in debug information, so that the next one need not
 * unpack it. It is made of
 *
 *	ranges	addresses that the index describes, e.g. of a compilation unit
 *	pieces	the innermost call from an address to the next piece, or 0: nothing is inlined there
 *	calls	a function's name, and the call around it: numbers from 1
 *
 * Context: one user at a time.
 */

struct inline_index;

/* Limit of its size. An index that would be larger is begun again. */
#define INLINE_INDEX_MAX (16u << 20)

/*
 * inline_index_open - read an index, for inline_index_close(). It counts as empty if @path does not
 * exist, is damaged, of another version or another file than @of, or may be written by another user
 * but root.
 */
struct inline_index *inline_index_open(const char *path, const struct stat *of);

/*
 * inline_index_close - write additions to the file, if its folder exists and is this user's, and
 * free the index; @x: may be NULL. The file is replaced by rename(): of two readers that end at
 * once one's additions remain.
 */
void inline_index_close(struct inline_index *x, const char *path);

/*
 * inline_index_find - set @call to the number of the innermost inlined call at an address; 0:
 * nothing is inlined there. Additions are not searched. Return: false: the index does not describe
 * the address.
 */
bool inline_index_find(const struct inline_index *x, u64 addr, u32 *call);

/* inline_index_is_empty - was there nothing to read? */
bool inline_index_is_empty(const struct inline_index *x);

/*
 * inline_index_name - the function of a call, valid until inline_index_close(); @call: set to the
 * call around it, or 0; @mangled: is it a linker's name?
 */
const char *inline_index_name(const struct inline_index *x, u32 *call, bool *mangled);

/* inline_index_add_call - add a call within @outer (0: none). Return: its number. */
u32 inline_index_add_call(struct inline_index *x, u32 outer, const char *name, bool mangled);

/* inline_index_add_piece - the innermost call, or 0, from @start to the next piece */
void inline_index_add_piece(struct inline_index *x, u64 start, u32 call);

/* inline_index_add_range - the pieces from @start to @end are complete */
void inline_index_add_range(struct inline_index *x, u64 start, u64 end);

/* eu_search.c. A lock may follow the root; Debian's libraries have none. */
struct search_tree {
	void *root;
};

typedef int compare_fn(const void *a, const void *b);

/* perf's own code calls none of them: the libraries do. */
void eu_search_tree_init(struct search_tree *tree);
void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *key));
void eu_tdestroy(struct search_tree *tree, void (*free_node)(void *key));
void *eu_tsearch(const void *key, struct search_tree *tree, compare_fn *compare);
void *eu_tfind(const void *key, struct search_tree *tree, compare_fn *compare);
void *eu_tdelete(const void *key, struct search_tree *tree, compare_fn *compare);

#endif /* PERF_SYMBOL_SYMBOL_PRIVATE_H */
