// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs and their types as lines of a header, from two sections with entries of untrusted
 * sizes. A program is the kernel's struct bpf_prog_info with offsets for pointers, for the arrays
 * marked by a bit.
 */
#include <linux/bpf.h>
#include <stddef.h>
#include <string.h>

#include "base/printable.h"
#include "cmd/header/header.h"

/* Bits of the arrays after a program's description. */
enum { ARRAY_KSYMS = 3, ARRAY_FUNC_LENS = 4, ARRAY_PROG_TAGS = 8 };

struct program {
	const u8 *info, *data;
	u32 info_len, data_len;
	u64 arrays;
	bool swap;
};

/* A field of the description. Fields missing in an older kernel's are 0. */
static struct feature_cursor field_at(const struct program *p, size_t offset)
{
	const u8 *end = p->info + p->info_len;

	return (struct feature_cursor){ .p = offset < p->info_len ? p->info + offset : end,
					.end = end, .swap = p->swap };
}

static u32 field_u32(const struct program *p, size_t offset)
{
	struct feature_cursor c = field_at(p, offset);

	return feature_u32(&c);
}

/* Find an array. Return: false: absent or incomplete. */
static bool array_at(const struct program *p, u32 bit, size_t offset, u64 size,
		     struct feature_cursor *c)
{
	struct feature_cursor field = field_at(p, offset);
	u64 from = feature_u64(&field);

	if (!(p->arrays >> bit & 1) || from > p->data_len || size > p->data_len - from)
		return false;
	*c = (struct feature_cursor){ .p = p->data + from, .end = p->data + p->data_len,
				      .swap = p->swap };
	return true;
}

/* Print a program's part, named as by the kernel, except that names of parts are in its BTF. */
static void print_part(const struct program *p, bool whole, struct feature_cursor *tags,
		       struct feature_cursor *syms, struct feature_cursor *lens, struct outbuf *o)
{
	struct feature_cursor field = field_at(p, offsetof(struct bpf_prog_info, name));
	char name[BPF_OBJ_NAME_LEN + 1] = "";
	u32 i;

	outbuf_puts(o, "bpf_prog_");
	for (i = 0; i < BPF_TAG_SIZE; i++)
		outbuf_printf(o, "%02x", *tags->p++);
	for (i = 0; i < BPF_OBJ_NAME_LEN && field.p < field.end; i++)
		name[i] = (char)*field.p++;
	make_printable(name, strlen(name), false);
	if (!whole)
		outbuf_puts(o, "_F");
	else if (name[0])
		outbuf_printf(o, "_%s", name);
	outbuf_printf(o, " addr %#llx", feature_u64(syms));
	outbuf_printf(o, " size %u\n", feature_u32(lens));
}

static void print_program(const struct program *p, struct outbuf *o)
{
	u32 id = field_u32(p, offsetof(struct bpf_prog_info, id));
	u32 nr = field_u32(p, offsetof(struct bpf_prog_info, nr_jited_ksyms)), i;
	struct feature_cursor syms, lens, tags;

	if (!nr || nr != field_u32(p, offsetof(struct bpf_prog_info, nr_jited_func_lens)) ||
	    nr != field_u32(p, offsetof(struct bpf_prog_info, nr_prog_tags)) ||
	    !array_at(p, ARRAY_KSYMS, offsetof(struct bpf_prog_info, jited_ksyms), nr * 8ULL,
		      &syms) ||
	    !array_at(p, ARRAY_FUNC_LENS, offsetof(struct bpf_prog_info, jited_func_lens),
		      nr * 4ULL, &lens) ||
	    !array_at(p, ARRAY_PROG_TAGS, offsetof(struct bpf_prog_info, prog_tags),
		      nr * (u64)BPF_TAG_SIZE, &tags)) {
		outbuf_printf(o, "# bpf_prog_info of id %u\n", id);
		return;
	}
	outbuf_printf(o, "# bpf_prog_info %u:%s", id, nr == 1 ? " " : "\n");
	for (i = 0; i < nr; i++) {
		if (nr > 1)
			outbuf_printf(o, "# \tsub_prog %u: ", i);
		print_part(p, nr == 1, &tags, &syms, &lens, o);
	}
}

/* Each program: sizes of description and arrays, bits of the arrays that follow, then both. */
void print_bpf_programs(struct feature_cursor *c, struct outbuf *o)
{
	u32 nr = feature_u32(c), i;

	if (!nr)
		outbuf_puts(o, "# bpf_prog_info empty\n");
	for (i = 0; i < nr; i++) {
		struct program p = { .swap = c->swap };

		p.info_len = feature_u32(c);
		p.data_len = feature_u32(c);
		p.arrays = feature_u64(c);
		if (c->bad || (u64)(c->end - c->p) < (u64)p.info_len + p.data_len)
			return;
		p.info = c->p;
		p.data = p.info + p.info_len;
		c->p += p.info_len + p.data_len;
		print_program(&p, o);
	}
}

/* Format of each: id, size, and that many bytes. */
void print_btf(struct feature_cursor *c, struct outbuf *o)
{
	u32 nr = feature_u32(c), i;

	if (!nr)
		outbuf_puts(o, "# btf info empty\n");
	for (i = 0; i < nr; i++) {
		u32 id = feature_u32(c), size = feature_u32(c);

		if (c->bad || size > c->end - c->p)
			return;
		outbuf_printf(o, "# btf info of id %u\n", id);
		c->p += size;
	}
}
