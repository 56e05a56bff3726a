/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types and macros that every file uses.
 */
#ifndef PERF_BASE_TYPES_H
#define PERF_BASE_TYPES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
/* The kernel's own 64-bit types: "%llx" prints them on every architecture. */
typedef __u64 u64;
typedef __s64 s64;
typedef int32_t s32;
typedef int8_t s8;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
/* The number makes the names unique: one may stand in the other. */
#define MIN_MAX(a, b, op, nr) ({							\
	__typeof__(a) _a##nr = (a);							\
	__typeof__(b) _b##nr = (b);							\
											\
	_a##nr op _b##nr ? _a##nr : _b##nr;						\
})
#define MIN_MAX_NR(a, b, op, nr) MIN_MAX(a, b, op, nr)
#define min(a, b) MIN_MAX_NR(a, b, <, __COUNTER__)
#define max(a, b) MIN_MAX_NR(a, b, >, __COUNTER__)
#define ALIGN_UP(x, a) (((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define __printf(a, b) __attribute__((format(printf, a, b)))
#define __unused __attribute__((unused))

/* to_u64 - convert a floating point number; out of range: 0 or UINT64_MAX (large u64s are rounded to 2^64) */
static inline u64 to_u64(double v)
{
	return v < 0 ? 0 : v < 18446744073709551616.0 ? (u64)v : UINT64_MAX;
}

static inline double percent_of(u64 part, u64 whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* prefetch_lines - read ahead @nr cache lines of 64 bytes; any address may be given */
static inline void prefetch_lines(const void *p, u32 nr)
{
	for (; nr; nr--, p = (const char *)p + 64)
		__builtin_prefetch(p);
}

#endif /* PERF_BASE_TYPES_H */
