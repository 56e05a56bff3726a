/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with code, and their symbols. Symbols are read at the first look-up, once per file,
 * into a sorted array.
 */
#ifndef PERF_SYMBOL_DSO_H
#define PERF_SYMBOL_DSO_H

#include "base/types.h"

struct dso_table;

struct symbol {
	u64 start, end;		/* file addresses (as the ELF's symbol table has them); kernel: virtual */
	const char *name;	/* demangled unless switched off */
	u8 bind;		/* STB_LOCAL... ; for print as 'l', 'g', 'w' */
	u8 inlined;		/* made up for an inline frame */
	u8 state;		/* private: SYM_* of symbol/symtab.h */
	u8 rivals;		/* private: how many before it are called this too, perhaps */
	u32 outer;		/* private: index of the symbol around this one */
};

enum dso_kind {
	DSO_USER,
	DSO_DATA,		/* for dso_get(), which makes it DSO_USER: it is not executed */
	DSO_KERNEL, DSO_MODULE, DSO_GUEST_KERNEL, DSO_GUEST_MODULE, DSO_VDSO, DSO_ANON /* perf-PID.map */, DSO_BPF,
};

struct dso {
	u32 id;			/* dense from 0 */
	enum dso_kind kind;
	const char *name;	/* as the recording names it: /usr/bin/x, [kernel.kallsyms], [vdso]; printable */
	const char *path;	/* the same, byte for byte: to open it */
	const char *short_name;	/* last component; for the dso column: as mainline shows it */
	u8 build_id[20];
	u8 build_id_size;	/* 0: unknown */
	u32 pid;		/* DSO_ANON: whose perf-PID.map */
	u64 base;		/* where its ELF file begins in the file of that name; 0 but in archives */
	bool memory;		/* no file: its addresses are the process's */
	bool listed;		/* by the recording, with a build-id: script shows a module's path */
	/* private: symbol/ */
	void *priv;
};

/* Where to look; given once before the first question. All may be NULL/false. */
struct symbol_config {
	const char *symfs;		/* prefix of every path */
	const char *kallsyms;		/* --kallsyms */
	const char *vmlinux;		/* -k */
	const char *buildid_dir;	/* default ~/.debug */
	const char *os_release;		/* of the recorded machine */
	bool same_machine;		/* /proc/kallsyms may speak for the recording */
	bool same_host;			/* inode numbers may speak for it: its host has this one's name */
	s64 recorded_ns;		/* since 1970: when the recording was written last; 0: unknown */
	bool no_demangle;
	bool demangle_kernel;
	bool inlines;
	bool no_kernel;			/* --no-kernel: ignore kernel symbols */
	bool full_srcline;		/* inline frames' lines with the full path */
	bool data;			/* names of data, too */
	bool function_starts;		/* functions without a symbol are named by where they begin */
	bool no_files;			/* dsos are only told apart: none is opened */
	bool force;			/* -f: a perf-PID.map may be anybody's, a file newer than the recording */
	/* Asked before a file that a process has mapped is opened; false: its file system does not answer. NULL: all
	 * are opened. Context: any thread.
	 */
	bool (*may_open)(void *ctx, const char *path);
	void *may_open_ctx;
	bool local;			/* the servers of DEBUGINFOD_URLS are not asked */
};

struct dso_table *dso_table_create(const struct symbol_config *cfg);

/* Whether a process is in the recording; from any thread. */
typedef bool dso_has_process(void *ctx, u32 pid);

/**
 * dso_table_processes() - say which processes the recording has
 * @t: the table
 * @has: is asked about processes that run now: the files that they have mapped are read even if no
 *	path leads to these any more
 * @ctx: handed to @has; lives as long as the table is asked
 */
void dso_table_processes(struct dso_table *t, dso_has_process *has, void *ctx);
void dso_table_destroy(struct dso_table *t);

/**
 * dso_get() - the file that a map names
 * @t: the table
 * @name: as in the MMAP record
 * @kind: what the timeline takes it for; user kinds are refined by name ([vdso], //anon, ...)
 * @build_id: NULL: unknown
 * @build_id_size: bytes of it
 * @pid: for DSO_ANON
 *
 * Return: the dso, one per (name, build id) (and pid for DSO_ANON); never NULL.
 */
struct dso *dso_get(struct dso_table *t, const char *name, enum dso_kind kind,
		    const u8 *build_id, u8 build_id_size, u32 pid);

/**
 * dso_note_inode() - which file a mapping was of, for files without a build-id
 * @d: the file
 * @ino: inode number; 0: not known
 * @generation: of the inode; 0: not known
 *
 * The first inode that is known counts. It must come before the first question.
 */
void dso_note_inode(struct dso *d, u64 ino, u64 generation);

/**
 * dso_inner() - the ELF file that is mapped out of an archive
 * @d: the file that the mapping names
 * @pgoff: offset of the mapping in it
 *
 * An uncompressed library in a zip file (APK) can be mapped where it is. Its ELF header stands at
 * a page's begin before @pgoff.
 *
 * Return: the dso of that library, which has the same name; @d: there is none, or @d is an ELF file.
 */
struct dso *dso_inner(struct dso *d, u64 pgoff);

/**
 * dso_note_jit() - a process mapped a file: names of its JIT code, if it is a jit-PID.dump or a
 *	kept perf-PID.map (perf record)
 * @t: the table
 * @path: the file
 * @pid: the process
 *
 * The file is read when code of the process without a file is looked up.
 */
void dso_note_jit(struct dso_table *t, const char *path, u32 pid);

/* dso_set_build_id - from the BUILD_ID feature, for dsos named without one */
void dso_set_build_id(struct dso_table *t, const char *name, enum dso_kind kind,
		      const u8 *build_id, u8 build_id_size);

/**
 * dso_map_ip() - turn a virtual address into the dso's own
 * @d: the dso
 * @ip: virtual address
 * @map_start: of the mapping
 * @map_pgoff: of the mapping
 *
 * Return: the address as the symbol table counts (for a user ELF: the file offset turned
 * into the section's virtual address by the program headers; kernel: @ip itself).
 */
u64 dso_map_ip(struct dso *d, u64 ip, u64 map_start, u64 map_pgoff);

/**
 * dso_find_symbol() - which function holds an address
 * @d: the dso
 * @addr: from dso_map_ip()
 *
 * Return: the symbol, or NULL. Valid as long as the table. Thread-safe.
 */
const struct symbol *dso_find_symbol(struct dso *d, u64 addr);

/* symbol_is_start - has the function no name but where it begins (symbol_config.function_starts)? */
bool symbol_is_start(const struct symbol *sym);

/**
 * dso_add_symbol() - add a symbol that no file has (ksymbol, JIT)
 * @d: the dso
 * @start: virtual address
 * @end: first one after it
 * @name: copied
 *
 * Of several symbols at one address the one added last is shown.
 * Context: any thread, also while others look up symbols of this dso.
 */
void dso_add_symbol(struct dso *d, u64 start, u64 end, const char *name);

/**
 * dso_srcline() - file and line of an address
 * @d: the dso
 * @addr: from dso_map_ip()
 *
 * Return: "file.c:123" with the base name or the full path as @full_path wants, or NULL
 * when there is no line information. Interned. Each address is looked up once.
 */
const char *dso_srcline(struct dso *d, u64 addr, bool full_path);

/* One inlined call at an address, innermost first. */
struct inline_frame {
	const struct symbol *sym;	/* .inlined set */
};

/**
 * dso_inlines() - the functions inlined at an address
 * @d: the dso
 * @addr: from dso_map_ip()
 * @frames: set to an array owned by the dso
 *
 * Return: how many (0: nothing inlined there, or no debug information).
 */
u32 dso_inlines(struct dso *d, u64 addr, const struct inline_frame **frames);

/**
 * dso_inline_line() - file and line in one of the functions inlined at an address
 * @d: the dso
 * @addr: from dso_map_ip()
 * @nr: which of those that dso_inlines() names; their number: the function that they were
 *	inlined into, and the line is where it calls
 *
 * Lines are read only here: tables of lines take several times longer to read than the functions.
 *
 * Return: as dso_srcline() with the option of the whole path that the table of dsos has.
 */
const char *dso_inline_line(struct dso *d, u64 addr, u32 nr);

/* Path of a file that has the dso's sections (.eh_frame, code); NULL: none. For DWARF unwinding. */
const char *dso_elf_path(struct dso *d);

/* The same file when it is not on disk (vdso): for one user at a time; NULL: none. */
struct Elf;
struct Elf *dso_elf(struct dso *d);

/* The file that a stripped program's symbols come from. */
struct dso_symbols_file {
	struct Elf *elf;		/* for one user at a time */
	u64 bias;			/* added to its addresses */
	bool rest_in_dynsym;		/* it leaves out what the program's .dynsym has */
};

/* dso_symbols_file - false: the symbols are the program's own */
bool dso_symbols_file(struct dso *d, struct dso_symbols_file *file);

/* Path of the file that has its debug information, maybe the same; NULL: none. */
const char *dso_debug_path(struct dso *d);

/* For report's hints: why a dso has no symbols; NULL when it has. This very string
 * when the list of the kernel's is there, and its addresses are not.
 */
#define DSO_KERNEL_HIDDEN "its addresses are hidden by kernel.kptr_restrict"
const char *dso_why_no_symbols(struct dso *d);

/* Of a file; a recording has the first 20 bytes. Linkers make 20, and take any number of them (--build-id=0x...). */
#define ELF_BUILD_ID_MAX 64
#define ELF_BUILD_ID_HEX (2 * ELF_BUILD_ID_MAX + 1)

/* build_id_hex - 2 * size digits and a NUL at @out */
void build_id_hex(const u8 *id, u8 size, char *out);

#endif /* PERF_SYMBOL_DSO_H */
