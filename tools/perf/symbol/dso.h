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

/*
 * dso_table_processes - allow files mapped by running processes of the recording (@has), even
 * without a path; @ctx: outlives the last look-up. They are scanned when a file is first needed,
 * and once more after each call.
 */
void dso_table_processes(struct dso_table *t, dso_has_process *has, void *ctx);
void dso_table_destroy(struct dso_table *t);

/*
 * dso_get - the dso of a mapping, one per name and build-id, or per @pid of a DSO_ANON; never NULL;
 * @name: as recorded; @kind: DSO_USER is refined by the name ([vdso], //anon); @build_id: may be
 * NULL
 */
struct dso *dso_get(struct dso_table *t, const char *name, enum dso_kind kind,
		    const u8 *build_id, u8 build_id_size, u32 pid);

/* dso_note_inode - the inode of a mapped file without build-id; 0: unknown; the first one counts */
void dso_note_inode(struct dso *d, u64 ino, u64 generation);

/*
 * dso_inner - the dso of an uncompressed library mapped from @pgoff of a zip file (APK), which has
 * the same name; its ELF header is at the start of a page. Return: @d if there is none, or @d is an
 * ELF file.
 */
struct dso *dso_inner(struct dso *d, u64 pgoff);

/*
 * dso_note_jit - a process mapped @path: remember a jit-PID.dump, or a perf-PID.map copied by perf
 * record, for the first look-up of its code in anonymous memory
 */
void dso_note_jit(struct dso_table *t, const char *path, u32 pid);

/* dso_set_build_id - from the BUILD_ID feature, for dsos named without one */
void dso_set_build_id(struct dso_table *t, const char *name, enum dso_kind kind,
		      const u8 *build_id, u8 build_id_size);

/*
 * dso_map_ip - convert a virtual address to the symbol table's: of a user file by the program
 * headers, of a kernel @ip itself; @map_start, @map_pgoff: of the mapping
 */
u64 dso_map_ip(struct dso *d, u64 ip, u64 map_start, u64 map_pgoff);

/*
 * dso_may_have_made - may code at this offset be of a JIT compiler: in anonymous memory, in data,
 * in a file that was removed or is no ELF file? Thread-safe.
 */
bool dso_may_have_made(struct dso *d, u64 off);

/* dso_find_symbol - the function around an address of dso_map_ip(), or NULL. Thread-safe. */
const struct symbol *dso_find_symbol(struct dso *d, u64 addr);

enum code_kind {
	CODE_UNKNOWN,			/* the file is not here, or of another architecture */
	CODE_BEHIND_CALL,		/* the instruction in front of the address is a call */
	CODE_SIGRETURN,			/* at the address is a signal trampoline: a system call */
	CODE_OTHER,
};

/* dso_code - the code at an address of dso_map_ip(), as it matters to callchains. Thread-safe. */
enum code_kind dso_code(struct dso *d, u64 addr);

/*
 * dso_read_code - set @to to @nr bytes of x86 code at an address of dso_map_ip(), 0 behind its
 * segment or JIT function. Return: true if it is known: from the file, or of a short function of a
 * jit-PID.dump. Thread-safe.
 */
bool dso_read_code(struct dso *d, u64 addr, u8 *to, u32 nr);

/*
 * symbol_linkage - the linker's name of a function, with symbol_config.linkage; the displayed name
 * if that is the same; NULL: not known
 */
const char *symbol_linkage(struct dso *d, const struct symbol *sym);

/* symbol_is_start - is the function named by its start (symbol_config.function_starts)? */
bool symbol_is_start(const struct symbol *sym);

/*
 * dso_add_symbol - add a symbol from outside of files (ksymbol, JIT); @name: copied. Of several at
 * one address the last one counts. Context: any thread, also beside look-ups.
 */
void dso_add_symbol(struct dso *d, u64 start, u64 end, const char *name);

/*
 * dso_srcline - "file.c:123" of an address of dso_map_ip(), looked up once, interned; NULL:
 * unknown; @full_path: not only the base name
 */
const char *dso_srcline(struct dso *d, u64 addr, bool full_path);

/* One inlined call at an address, innermost first. */
struct inline_frame {
	const struct symbol *sym;	/* .inlined set */
};

/* dso_inlines - set @frames to the functions inlined at an address. Return: their number. */
u32 dso_inlines(struct dso *d, u64 addr, const struct inline_frame **frames);

/*
 * dso_inline_line - the line in function @nr of dso_inlines() or, with their number, in the
 * function that they were inlined into, by symbol_config.full_srcline. Lines are read only here: it
 * takes several times longer than functions.
 */
const char *dso_inline_line(struct dso *d, u64 addr, u32 nr);

/* dso_elf_path - the file with the dso's sections (.eh_frame, code); NULL: none */
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

/* Why a dso has no symbols, or NULL; DSO_KERNEL_HIDDEN: kallsyms is without its addresses. */
#define DSO_KERNEL_HIDDEN "its addresses are hidden by kernel.kptr_restrict"
const char *dso_why_no_symbols(struct dso *d);

/*
 * dso_is_absent - has a dso no names because its file is not on this machine? False for anonymous
 * memory, and if the recording has its names. Thread-safe.
 */
bool dso_is_absent(struct dso *d);

/* dso_table_any_absent - has a look-up found an absent file (dso_is_absent())? */
bool dso_table_any_absent(const struct dso_table *t);

/* Bytes of a build-id in a file, by default 20, of which a recording has the first 20. */
#define ELF_BUILD_ID_MAX 64
#define ELF_BUILD_ID_HEX (2 * ELF_BUILD_ID_MAX + 1)

/* build_id_hex - 2 * size digits and a NUL at @out */
void build_id_hex(const u8 *id, u8 size, char *out);

/* vdso32_read - keep a copy of the vdso of 32-bit tasks, which a walker cannot make */
void vdso32_read(void);

#endif /* PERF_SYMBOL_DSO_H */
