/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names, which may hold any bytes, as they can be shown, as UTF-8 and as strings of JSON.
 */
#ifndef PERF_BASE_TEXT_H
#define PERF_BASE_TEXT_H

#include "base/arena.h"
#include "base/outbuf.h"

/**
 * utf8_copy() - a name as UTF-8
 * @a: where a copy goes
 * @s: any bytes
 *
 * Return: @s itself, or a copy with "?" for each byte that is none of UTF-8 or a control character.
 */
const char *utf8_copy(struct arena *a, const char *s);

/* printable_copy - @s itself if it is printable, else a copy in the arena that is */
const char *printable_copy(struct arena *a, const char *s);

/* outbuf_name - write a string as printable_copy() has it */
void outbuf_name(struct outbuf *o, const char *s);

/* json_string - a string of JSON with its quotes; any byte that is none of UTF-8 becomes "?", and
 * control characters are written as \u00XX
 */
void json_string(struct outbuf *o, const char *s);

#endif /* PERF_BASE_TEXT_H */
