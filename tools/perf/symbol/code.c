// SPDX-License-Identifier: GPL-2.0
/*
 * The instructions in front of an address and at it: is it a return address, or does a signal
 * handler return there? Given a dso; nothing is kept. Names in a recording tell, too: they are of
 * the addresses that were looked up when it was written.
 */
#include <gelf.h>

#include "symbol/symbol_private.h"

/* Longest call (ff /2 with SIB and 32-bit displacement), and longest code of a trampoline. */
#define BEFORE	7
#define BEHIND	9

/* Read @nr bytes of the file's code; those outside the segment of @addr + @in are 0. */
static bool read_code(struct dso_file *f, u64 addr, u32 in, u8 *to, u32 nr, u16 *machine)
{
	const struct elf_segment *s = NULL;
	size_t size, i;
	const char *raw;
	GElf_Ehdr eh;
	u64 at;

	for (i = 0; i < f->map.nr_segs; i++)
		if (f->map.segs[i].exec && addr + in - f->map.segs[i].vaddr < f->map.segs[i].filesz)
			s = &f->map.segs[i];
	if (!s || !f->elfs[0] || !gelf_getehdr(f->elfs[0], &eh))
		return false;
	raw = elf_rawfile(f->elfs[0], &size);
	if (!raw || s->offset > size || s->filesz > size - s->offset)
		return false;
	*machine = eh.e_machine;
	for (i = 0; i < nr; i++) {
		at = addr - s->vaddr + i;
		to[i] = at < s->filesz ? raw[s->offset + at] : 0;
	}
	return true;
}

/* The code of a JIT compiler: of its dump; or CPython's trampoline, which is always the same. */
static bool made_code(struct dso_file *f, u64 addr, u8 *to, u32 nr)
{
	static const u8 trampoline[] = {
		0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3
	};
	const struct symbol *sym = dso_find_symbol(&f->dso, addr);
	const u64 *dumped = sym ? hash_find(&f->jit_code, sym->start, sym->end) : NULL;
	const u8 *code = dumped ? (const u8 *)(uintptr_t)*dumped : trampoline;
	u64 size;

	if (!sym || !code || (!dumped && (strncmp(sym->name, "py::", 4) ||
				 sym->end - sym->start != sizeof(trampoline))))
		return false;
	size = sym->end - addr;
	memset(to, 0, nr);
	memcpy(to, code + (addr - sym->start), min((u64)nr, size));
	return true;
}

bool dso_read_code(struct dso *d, u64 addr, u8 *to, u32 nr)
{
	struct dso_file *f = dso_file(d);
	u16 machine = 0;
	bool known;

	if (d->kind == DSO_ANON)
		return made_code(f, addr, to, nr);
	if (d->kind != DSO_USER)
		return false;
	dso_elf(d);			/* opened now */
	pthread_mutex_lock(&f->lock);
	known = read_code(f, addr, 0, to, nr, &machine);
	pthread_mutex_unlock(&f->lock);
	return known && (machine == EM_X86_64 || machine == EM_386);
}

/* Is @b an indirect call (ff /2) of @size bytes? */
static bool is_indirect(const u8 *b, u32 size)
{
	u8 mod = b[1] >> 6, rm = b[1] & 7;
	u32 need = 2 + (rm == 4 && mod != 3);

	if (b[0] != 0xff || (b[1] >> 3 & 7) != 2)
		return false;
	if (mod == 1)
		need += 1;
	else if (mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && size > 3 && (b[2] & 7) == 5))))
		need += 4;
	return need == size;
}

static bool x86_is_call(const u8 *end)
{
	u32 size;

	for (size = 2; size <= BEFORE; size++)
		if (is_indirect(end - size, size))
			return true;
	return end[-5] == 0xe8;
}

static bool x86_is_sigreturn(const u8 *b)
{
	/* mov $NR, %rax or %eax, of 32 bits behind pop %eax; syscall or int $0x80 */
	static const struct {
		u8 size, b[BEHIND];
	} codes[] = {
		{ 9, { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 } },
		{ 7, { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 } },
		{ 8, { 0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80 } },
		{ 7, { 0xb8, 173, 0, 0, 0, 0xcd, 0x80 } },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(codes); i++)
		if (!memcmp(b, codes[i].b, codes[i].size))
			return true;
	return false;
}

/* bl; blr; blraa and its like */
static bool arm64_is_call(const u8 *end)
{
	u32 insn = le32_at(end - 4);

	return insn >> 26 == 0x25 || (insn & 0xfffffc1f) == 0xd63f0000 ||
	       (insn & 0xfefff800) == 0xd63f0800;
}

/* mov x8, #139; svc #0 */
static bool arm64_is_sigreturn(const u8 *b)
{
	return le32_at(b) == 0xd2801168 && le32_at(b + 4) == 0xd4000001;
}

enum code_kind dso_code(struct dso *d, u64 addr)
{
	struct dso_file *f = dso_file(d);
	const struct dso_names *n;
	u8 bytes[BEFORE + BEHIND], *at = bytes + BEFORE;
	bool known, call, sigreturn;
	u16 machine;

	if (d->kind != DSO_USER && d->kind != DSO_VDSO)
		return CODE_UNKNOWN;
	n = names_of_dso(f);
	if (n && (names_has_place(n, addr - 1) || names_has_place(n, addr)))
		return names_has_place(n, addr - 1) ? CODE_BEHIND_CALL : CODE_OTHER;
	dso_elf(d);			/* opened now */
	pthread_mutex_lock(&f->lock);
	known = read_code(f, addr - BEFORE, BEFORE, bytes, sizeof(bytes), &machine);
	pthread_mutex_unlock(&f->lock);
	if (!known)
		return CODE_UNKNOWN;
	switch (machine) {
	case EM_386:
	case EM_X86_64:
		sigreturn = x86_is_sigreturn(at);
		call = x86_is_call(at);
		break;
	case EM_AARCH64:
		sigreturn = arm64_is_sigreturn(at);
		call = arm64_is_call(at);
		break;
	default:
		return CODE_UNKNOWN;
	}
	return sigreturn ? CODE_SIGRETURN : call ? CODE_BEHIND_CALL : CODE_OTHER;
}
