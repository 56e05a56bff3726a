/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with code, and their symbols. Symbols are read at the first look-up, once per file,
 * into a sorted array.
 */
#ifndef PERF_SYMBOL_DSO_H
#define PERF_SYMBOL_DSO_H

#include "base/types.h"

struct dso_table;
struct embedded;

struct symbol {
	u64 start, end;		/* file addresses (as the ELF's symbol table has them); kernel: virtual */
	const char *name;	/* demangled unless switched off */
	u8 bind;		/* STB_LOCAL... ; for print as 'l', 'g', 'w' */
	u8 inlined;		/* created for an inline frame */
	u8 state;		/* private: SYM_* of symbol/symtab.h */
	u8 rivals;		/* private: number of candidates for its name, stored before it */
	u32 outer;		/* private: index of the symbol around this one */
};

enum dso_kind {
	DSO_USER,
	DSO_DATA,		/* not executable; only for dso_get(), which makes it DSO_USER */
	DSO_KERNEL, DSO_MODULE, DSO_GUEST_KERNEL, DSO_GUEST_MODULE, DSO_VDSO, DSO_ANON /* perf-PID.map */, DSO_BPF,
};

struct dso {
	u32 id;			/* dense from 0 */
	enum dso_kind kind;
	const char *name;	/* as the recording names it: /usr/bin/x, [kernel.kallsyms], [vdso]; printable */
	const char *path;	/* the unchanged name, for opening it */
	const char *short_name;	/* last component; for the dso column: as mainline shows it */
	u8 build_id[20];
	u8 build_id_size;	/* 0: unknown */
	u32 pid;		/* DSO_ANON: the process (perf-PID.map) */
	u64 base;		/* offset of its ELF file in an archive; else 0 */
	bool memory;		/* anonymous: it has virtual addresses */
	bool listed;		/* build-id is in the recording: script shows a module's path */
};

/* Configuration of look-ups, set once before the first one. All may be NULL/false. */
struct symbol_config {
	const char *symfs;		/* prefix of every path */
	const char *kallsyms;		/* --kallsyms */
	const char *vmlinux;		/* -k */
	const char *buildid_dir;	/* default ~/.debug */
	const char *os_release;		/* of the recorded machine */
	bool same_machine;		/* /proc/kallsyms is that of the recorded kernel */
	bool same_host;			/* the recording's host has this host's name: inode numbers are comparable */
	s64 recorded_ns;		/* recording's last write, ns since 1970; 0: unknown */
	s64 begun_ns;			/* a time at or before its first record; 0: unknown */
	bool no_demangle;
	bool demangle_kernel;
	bool inlines;
	bool no_kernel;			/* --no-kernel: ignore kernel symbols */
	bool full_srcline;		/* inline frames' lines with the full path */
	bool data;			/* read symbols of data, too */
	bool function_starts;		/* functions without a symbol are named by their start */
	bool no_files;			/* open no files; dsos are only identified */
	bool force;			/* -f: accept a perf-PID.map of any owner, and files newer than the recording */
	bool local;			/* do not use the servers of DEBUGINFOD_URLS */
	struct embedded *names;		/* names in the recording: symbol/names.h */
	bool linker_names;		/* keep mangled names, but choose as if demangled */
	bool linkage;			/* keep mangled names beside the others: symbol_linkage() */
};

struct dso_table *dso_table_create(const struct symbol_config *cfg);

enum process_age {
	PROCESS_ABSENT,			/* it is not in the recording */
	PROCESS_OLDER,			/* it may have run before the recording */
	PROCESS_YOUNG,			/* it began while it was recorded */
};

/* Is a process in the recording? Context: any thread. */
typedef enum process_age dso_has_process(void *ctx, u32 pid);

/**
 * dso_table_processes() - allow files mapped by running processes of the recording
 * @has: tells if a process is in the recording, and if it began there. Files mapped by such a
 *	process, while it runs, are read even if they have no path any more.
 * @ctx: passed to @has; must outlive the last look-up
 *
 * The processes are scanned when a file is first needed, and once more after each call of this
 * function.
 */
void dso_table_processes(struct dso_table *t, dso_has_process *has, void *ctx);
void dso_table_destroy(struct dso_table *t);

/**
 * dso_get() - the dso of a mapping
 * @name: as in the MMAP record
 * @kind: set by the timeline; user kinds are refined by name ([vdso], //anon, ...)
 * @build_id: NULL: unknown
 * @build_id_size: bytes of it
 * @pid: for DSO_ANON
 *
 * Return: the dso, one per (name, build id) (and pid for DSO_ANON); never NULL.
 */
struct dso *dso_get(struct dso_table *t, const char *name, enum dso_kind kind,
		    const u8 *build_id, u8 build_id_size, u32 pid);

/**
 * dso_note_inode() - set the inode of a mapped file, for files without a build-id
 * @ino: inode number; 0: not known
 * @generation: of the inode; 0: not known
 *
 * Only the first known inode is used. Call this before the first look-up.
 */
void dso_note_inode(struct dso *d, u64 ino, u64 generation);

/**
 * dso_inner() - the ELF file that is mapped out of an archive
 * @d: the dso of the mapping
 * @pgoff: offset of the mapping in it
 *
 * An uncompressed library in a zip file (APK) can be mapped in place. Its ELF header is at the
 * start of a page, before @pgoff.
 * Return: the dso of that library, which has the same name; @d if there is none, or if @d is an ELF file.
 */
struct dso *dso_inner(struct dso *d, u64 pgoff);

/*
 * dso_note_jit - a process mapped a file that names its JIT code, if it is a jit-PID.dump or a
 * perf-PID.map copied by perf record. The file is read at the first look-up of the process's code
 * in anonymous memory.
 */
void dso_note_jit(struct dso_table *t, const char *path, u32 pid);

/* dso_set_build_id - from the BUILD_ID feature, for dsos named without one */
void dso_set_build_id(struct dso_table *t, const char *name, enum dso_kind kind,
		      const u8 *build_id, u8 build_id_size);

/**
 * dso_map_ip() - convert a virtual address to the dso's address
 * @map_start: of the mapping
 * @map_pgoff: of the mapping
 *
 * Return: the address for the symbol table (user ELF: the virtual address of the file offset,
 * by the program headers; kernel: @ip itself).
 */
u64 dso_map_ip(struct dso *d, u64 ip, u64 map_start, u64 map_pgoff);

/*
 * dso_may_have_made - may code at an offset of a file be of a JIT compiler? @off: offset in the
 * file. Return: true in anonymous memory, in a file that is no ELF file or was removed, and in
 * data. Thread-safe.
 */
bool dso_may_have_made(struct dso *d, u64 off);

/*
 * dso_find_symbol - the function that contains an address; @addr: from dso_map_ip(). Return: the
 * symbol, or NULL. Valid as long as the table. Thread-safe.
 */
const struct symbol *dso_find_symbol(struct dso *d, u64 addr);

enum code_kind {
	CODE_UNKNOWN,			/* the file is not here, or of another architecture */
	CODE_BEHIND_CALL,		/* the instruction in front of the address is a call */
	CODE_SIGRETURN,			/* at the address is a signal trampoline: a system call */
	CODE_OTHER,
};

/*
 * dso_code - the code at an address, as far as it matters to callchains; @addr: from dso_map_ip().
 * Return: its kind. Thread-safe.
 */
enum code_kind dso_code(struct dso *d, u64 addr);

/**
 * dso_read_code() - bytes of x86 code
 * @addr: from dso_map_ip()
 * @to: set to the code; bytes behind the segment, or behind the function of a JIT compiler, are 0
 *
 * Return: true if it is known: from the file, or of a short function from a jit-PID.dump.
 * Context: thread-safe.
 */
bool dso_read_code(struct dso *d, u64 addr, u8 *to, u32 nr);

/**
 * symbol_linkage() - the name of a function for the linker
 * @d: its file; symbol_config.linkage is set
 * @sym: from dso_find_symbol(), or of an inlined function
 *
 * Return: the mangled name; the displayed name if that is the linker's, too. NULL: not known.
 */
const char *symbol_linkage(struct dso *d, const struct symbol *sym);

/* symbol_is_start - is the function named by its start (symbol_config.function_starts)? */
bool symbol_is_start(const struct symbol *sym);

/**
 * dso_add_symbol() - add a symbol from outside of files (ksymbol, JIT)
 * @end: first one after it
 * @name: copied
 *
 * If several symbols have the same address, the last added is used.
 * Context: any thread, also while others look up symbols of this dso.
 */
void dso_add_symbol(struct dso *d, u64 start, u64 end, const char *name);

/*
 * dso_srcline - file and line of an address; @addr: from dso_map_ip(). @full_path: the full path
 * instead of the base name. Return: "file.c:123", or NULL without line information. Interned. Each
 * address is looked up once.
 */
const char *dso_srcline(struct dso *d, u64 addr, bool full_path);

/* One inlined call at an address, innermost first. */
struct inline_frame {
	const struct symbol *sym;	/* .inlined set */
};

/**
 * dso_inlines() - the functions inlined at an address
 * @addr: from dso_map_ip()
 * @frames: set to an array owned by the dso
 *
 * Return: the number of frames; 0: nothing is inlined there, or no debug information.
 */
u32 dso_inlines(struct dso *d, u64 addr, const struct inline_frame **frames);

/**
 * dso_inline_line() - file and line in one of the functions inlined at an address
 * @addr: from dso_map_ip()
 * @nr: index of the function in dso_inlines(); the number of these functions: the function that
 *	they were inlined into, with the line of its call
 *
 * Lines are read only here, as line tables take several times longer to read than functions.
 * Return: as dso_srcline(), with symbol_config.full_srcline.
 */
const char *dso_inline_line(struct dso *d, u64 addr, u32 nr);

/* Path of a file with the dso's sections (.eh_frame, code); NULL: none. For DWARF unwinding. */
const char *dso_elf_path(struct dso *d);

/* The same for a file that is not on disk (vdso); NULL: none. Context: one user at a time. */
struct Elf;
struct Elf *dso_elf(struct dso *d);

/* The source of a stripped program's symbols. */
struct dso_symbols_file {
	struct Elf *elf;		/* for one user at a time */
	u64 bias;			/* added to its addresses */
	bool rest_in_dynsym;		/* it omits the symbols of the program's .dynsym */
};

/* dso_symbols_file - false: the symbols are in the program itself */
bool dso_symbols_file(struct dso *d, struct dso_symbols_file *file);

/* Path of the file with its debug information, maybe the same; NULL: none. */
const char *dso_debug_path(struct dso *d);

/*
 * For report's tips: the reason why a dso has no symbols; NULL: it has symbols. DSO_KERNEL_HIDDEN
 * (this pointer) if kallsyms is readable without its addresses.
 */
#define DSO_KERNEL_HIDDEN "its addresses are hidden by kernel.kptr_restrict"
const char *dso_why_no_symbols(struct dso *d);

/*
 * dso_is_absent - does a dso have no names because its file is not on this machine? Return: false
 * if the file exists but has no symbols, if the recording has its names, and for anonymous memory.
 * Thread-safe.
 */
bool dso_is_absent(struct dso *d);

/* dso_table_any_absent - has a look-up found an absent file (dso_is_absent())? */
bool dso_table_any_absent(const struct dso_table *t);

/*
 * Size of a build-id in a file. A recording has the first 20 bytes. The linker's default is 20
 * bytes; --build-id=0x... makes any size.
 */
#define ELF_BUILD_ID_MAX 64
#define ELF_BUILD_ID_HEX (2 * ELF_BUILD_ID_MAX + 1)

/* build_id_hex - 2 * size digits and a NUL at @out */
void build_id_hex(const u8 *id, u8 size, char *out);

/* vdso32_read - keep a copy of the vdso of 32-bit tasks, which a walker cannot make */
void vdso32_read(void);

#endif /* PERF_SYMBOL_DSO_H */
