// SPDX-License-Identifier: GPL-2.0
/*
 * Writes messages of protobuf. Nothing is allocated but the texts that callers own.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "cmd/data/proto.h"

void proto_varint(struct outbuf *o, u64 v)
{
	for (; v > 0x7f; v >>= 7)
		outbuf_putc(o, v | 0x80);
	outbuf_putc(o, v);
}

void proto_number(struct outbuf *o, u32 field, u64 v)
{
	proto_varint(o, field << 3);
	proto_varint(o, v);
}

void proto_fixed64(struct outbuf *o, u32 field, u64 v)
{
	proto_varint(o, field << 3 | 1);
	outbuf_put64(o, htole64(v));
}

void proto_bytes(struct outbuf *o, u32 field, const void *p, size_t size)
{
	proto_varint(o, field << 3 | 2);
	proto_varint(o, size);
	if (size)
		outbuf_write(o, p, size);
}

void proto_text(struct outbuf *o, u32 field, const char *s)
{
	_cleanup_arena_ struct arena arena = { 0 };
	const char *text = utf8_copy(&arena, s);

	proto_bytes(o, field, text, strlen(text));
}

void proto_message(struct outbuf *o, u32 field, struct outbuf *m)
{
	proto_bytes(o, field, m->base, outbuf_len(m));
	m->pos = m->base;
}

u64 proto_string(struct proto_strings *s, u32 field, const char *any)
{
	_cleanup_arena_ struct arena arena = { 0 };
	const char *text = utf8_copy(&arena, any);
	size_t len = strlen(text);
	u64 *slot = hash_insert(&s->by_text, hash_bytes(text, len), len, NULL);

	if (!*slot) {
		proto_bytes(&s->out, field, text, len);
		*slot = ++s->nr;
	}
	return *slot - 1;
}

void proto_strings_deinit(struct proto_strings *s)
{
	hash_deinit(&s->by_text);
	outbuf_deinit(&s->out);
}
