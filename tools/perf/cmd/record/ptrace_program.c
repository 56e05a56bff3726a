// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that are not themselves when traced: those that trace others, and set-id ones; told from
 * the memory of the process, never from its file. And stacks.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "cmd/record/ptrace_ring.h"

#define MOST_PHDRS	64
#define MOST_DYNAMIC	128
#define MOST_NAMES	(4u << 20)

static bool read_at(pid_t pid, u64 addr, void *to, u64 size)
{
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)addr, size };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Is ptrace() among the names that the dynamic linker looks up? @phdrs: address of @nr program headers */
static bool names_ptrace(pid_t pid, u64 phdrs, u64 nr)
{
	static const char name[] = "\0ptrace";
	_cleanup_free_ char *names = NULL;
	u64 base = 0, dynamic = 0, at = 0, size = 0, i;
	Elf64_Phdr ph[MOST_PHDRS];
	Elf64_Dyn dyn[MOST_DYNAMIC];

	nr = min(nr, (u64)MOST_PHDRS);
	if (!read_at(pid, phdrs, ph, nr * sizeof(*ph)))
		return false;
	for (i = 0; i < nr; i++) {
		base = ph[i].p_type == PT_PHDR ? phdrs - ph[i].p_vaddr : base;
		dynamic = ph[i].p_type == PT_DYNAMIC ? ph[i].p_vaddr : dynamic;
		size = ph[i].p_type == PT_DYNAMIC ? min((u64)ph[i].p_memsz, (u64)sizeof(dyn)) : size;
	}
	if (!dynamic || !read_at(pid, base + dynamic, dyn, size))
		return false;
	nr = size / sizeof(*dyn);
	for (i = size = 0; i < nr && dyn[i].d_tag != DT_NULL; i++) {
		at = dyn[i].d_tag == DT_STRTAB ? dyn[i].d_un.d_ptr : at;
		size = dyn[i].d_tag == DT_STRSZ ? min((u64)dyn[i].d_un.d_val, (u64)MOST_NAMES) : size;
	}
	names = xmalloc(size + 1);
	/* (the dynamic linker adds the base) */
	return read_at(pid, at < base ? base + at : at, names, size) && memmem(names, size, name, sizeof(name));
}

enum program_kind program_kind(pid_t pid)
{
	u64 phdrs = 0, nr = 0, size = 0, secure = 0;
	Elf64_auxv_t v[64] = { 0 };
	_cleanup_close_ int fd = -1;
	char path[64];
	u32 i;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, v, sizeof(v)) <= 0)
		return PROGRAM_USUAL;
	for (i = 0; i < ARRAY_SIZE(v) && v[i].a_type != AT_NULL; i++) {
		phdrs = v[i].a_type == AT_PHDR ? v[i].a_un.a_val : phdrs;
		nr = v[i].a_type == AT_PHNUM ? v[i].a_un.a_val : nr;
		size = v[i].a_type == AT_PHENT ? v[i].a_un.a_val : size;
		secure |= v[i].a_type == AT_SECURE && v[i].a_un.a_val;
	}
	if (size == sizeof(Elf64_Phdr) && names_ptrace(pid, phdrs, nr))
		return PROGRAM_TRACES;
	return secure ? PROGRAM_SET_ID : PROGRAM_USUAL;
}

int program_check(const char *path)
{
	struct stat st;

	if (!geteuid() || stat(path, &st) || (!(st.st_mode & (S_ISUID | S_ISGID)) &&
					      getxattr(path, "security.capability", NULL, 0) <= 0))
		return 0;
	return diag_error("%s has more rights than you (set-user-ID, set-group-ID or capabilities), which it would not get "
			  "while ptrace samples it: it is left alone", path);
}

u64 stack_copy(pid_t tid, u64 sp, u64 size, char *to)
{
	const u64 page = sysconf(_SC_PAGESIZE);
	struct iovec from[UINT16_MAX / 4096 + 2], all = { to, size };
	u64 at = sp, end = sp + size, next;
	ssize_t n;
	u32 nr = 0;

	for (; at < end && nr < ARRAY_SIZE(from); at = next) {
		next = min((at | (page - 1)) + 1, end);
		from[nr++] = (struct iovec){ (void *)(uintptr_t)at, next - at };
	}
	n = process_vm_readv(tid, &all, 1, from, nr, 0);
	return max(n, (ssize_t)0);
}
