/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Characters of UTF-8 in any bytes.
 */
#ifndef PERF_BASE_UTF8_H
#define PERF_BASE_UTF8_H

#include "base/types.h"

/**
 * utf8_size() - bytes of the character of UTF-8 at @s
 * @s: any bytes
 * @len: how many may be looked at; of a string that ends with NUL any number above 3
 *
 * Return: 1 to 4; 0: none. Overlong forms, surrogates and what is too large are none.
 */
unsigned int utf8_size(const char *s, size_t len);

#endif /* PERF_BASE_UTF8_H */
