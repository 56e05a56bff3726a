// SPDX-License-Identifier: GPL-2.0
/* Code objects: the names and source lines of Python functions. */
#include "base/arena.h"
#include "runtime/python.h"

/* The size of a character in PyASCIIObject.state. */
#define STR_KIND_SHIFT	2
#define STR_KIND	7

/* Entries of the line table: a byte with the kind and the number of code units, then columns. */
#define CODE_UNIT		2
#define LINE_BEGIN		0x80
#define LINE_KIND(byte)		((byte) >> 3 & 15)
#define LINE_UNITS(byte)	(((byte) & 7) + 1)
#define LINE_ONE_FIRST		10	/* 10 to 12: 0 to 2 lines later */
#define LINE_ONE_LAST		12
#define LINE_NO_COLUMNS		13	/* a signed number of lines */
#define LINE_LONG		14	/* the same, and three numbers */
#define LINE_NONE		15

/* Append a character as UTF-8. Return: the end. */
static char *put_utf8(char *to, u32 c)
{
	if (c < 0x80) {
		*to++ = c;
		return to;
	}
	if (c < 0x800) {
		*to++ = 0xc0 | c >> 6;
	} else if (c < 0x10000) {
		*to++ = 0xe0 | c >> 12;
		*to++ = 0x80 | (c >> 6 & 0x3f);
	} else {
		*to++ = 0xf0 | (c >> 18 & 7);
		*to++ = 0x80 | (c >> 12 & 0x3f);
		*to++ = 0x80 | (c >> 6 & 0x3f);
	}
	*to++ = 0x80 | (c & 0x3f);
	return to;
}

char *python_str(const void *chars, u64 bytes, u32 state)
{
	u32 kind = state >> STR_KIND_SHIFT & STR_KIND, c;
	const u8 *p = chars;
	char *s, *to;

	/* A character takes as many bytes, and at most four in UTF-8. */
	s = to = xmalloc(bytes * 4 + 1);
	for (; kind && kind <= sizeof(c) && bytes >= kind; p += kind, bytes -= kind) {
		c = 0;
		memcpy(&c, p, kind);
		to = put_utf8(to, c);
	}
	*to = 0;
	return s;
}

void python_code_deinit(struct python_code *code)
{
	free(code->name);
	free(code->file);
	free(code->lines);
	*code = (struct python_code){ 0 };
}

/* A number: six bits a byte, the lowest first; the seventh bit says that more follow. */
static u32 read_number(const u8 **p, const u8 *end)
{
	u32 value = 0, shift = 0;
	u8 byte = 0x40;

	while (byte & 0x40 && *p < end && shift < 32) {
		byte = *(*p)++;
		value |= (u32)(byte & 0x3f) << shift;
		shift += 6;
	}
	return value;
}

/* How many lines an entry adds; @p behind its first byte. */
static s32 line_step(u32 kind, const u8 **p, const u8 *end)
{
	u32 value;

	if (kind >= LINE_ONE_FIRST && kind <= LINE_ONE_LAST)
		return kind - LINE_ONE_FIRST;
	if (kind != LINE_NO_COLUMNS && kind != LINE_LONG)
		return 0;
	value = read_number(p, end);
	return value & 1 ? -(s32)(value >> 1) : (s32)(value >> 1);
}

/* An entry of the line table. */
struct line_walk {
	const u8 *p, *end;
	u32 base;
	u32 units;			/* code units that it is for */
	u32 line;			/* 0: none */
};

static struct line_walk line_walk(const struct python_code *code)
{
	return (struct line_walk){
		.p = code->lines, .end = code->lines + code->nr_lines, .base = code->first_line,
	};
}

static bool next_lines(struct line_walk *w)
{
	u8 first;

	if (w->p == w->end)
		return false;
	first = *w->p++;
	w->base += line_step(LINE_KIND(first), &w->p, w->end);
	w->units = LINE_UNITS(first);
	w->line = LINE_KIND(first) == LINE_NONE ? 0 : w->base;
	/* Columns are not used. */
	while (w->p < w->end && !(*w->p & LINE_BEGIN))
		w->p++;
	return true;
}

u32 python_code_line(const struct python_code *code, s32 instr)
{
	struct line_walk w = line_walk(code);
	s64 at = 0;

	if (instr < 0)
		return code->first_line;
	while (next_lines(&w)) {
		at += w.units * CODE_UNIT;
		if (instr < at)
			return w.line;
	}
	return 0;
}

void python_code_lines(const struct python_code *code, u32 *first, u32 *last)
{
	struct line_walk w = line_walk(code);

	*first = *last = code->first_line;
	while (next_lines(&w)) {
		if (!w.line)
			continue;
		*first = min(*first, w.line);
		*last = max(*last, w.line);
	}
}
