/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of protobuf (protobuf.dev, Encoding), appended to a text. */
#ifndef PERF_CMD_DATA_PROTO_H
#define PERF_CMD_DATA_PROTO_H

#include "base/hash.h"
#include "base/outbuf.h"

/* proto_varint - a number outside of a field: of a packed list */
void proto_varint(struct outbuf *o, u64 v);
void proto_number(struct outbuf *o, u32 field, u64 v);
void proto_fixed64(struct outbuf *o, u32 field, u64 v);
void proto_bytes(struct outbuf *o, u32 field, const void *p, size_t size);

/* proto_text - a string, which is made UTF-8: a parser of protobuf refuses others */
void proto_text(struct outbuf *o, u32 field, const char *s);

/* proto_message - a field that is a message or a packed list, @m, which is empty afterwards */
void proto_message(struct outbuf *o, u32 field, struct outbuf *m);

/* A table of strings, all zeroes at first. */
struct proto_strings {
	struct outbuf out;		/* its fields */
	struct hash by_text;		/* -> index + 1 */
	u64 nr;
};

/**
 * proto_string() - the index of a string, which is added to its table if it is new
 * @field: the number of the table's field
 * @any: made UTF-8
 */
u64 proto_string(struct proto_strings *s, u32 field, const char *any);
void proto_strings_deinit(struct proto_strings *s);

#endif /* PERF_CMD_DATA_PROTO_H */
