/* SPDX-License-Identifier: GPL-2.0 */
/* Names of functions in columns: those of C++, Rust and Go can be of 700 characters. */
#ifndef PERF_HIST_SHORT_NAME_H
#define PERF_HIST_SHORT_NAME_H

#include "base/outbuf.h"

/* A name of more bytes is shortened. */
#define SHORT_NAME_MAX 60

/**
 * short_name_put() - append a function's name as a column shows it
 * @o: the text
 * @name: the demangled name
 * @full: append it as it is, too, if it is long
 *
 * Of a long name, arguments of templates and functions are "...", and so is the folder of a Go
 * package: "std::vector<...>::push_back", ".../tsdb.(*Head).Append". A type that a name of Rust
 * begins with remains: "<core::iter::Map<...> as Iterator>::next".
 */
void short_name_put(struct outbuf *o, const char *name, bool full);

#endif /* PERF_HIST_SHORT_NAME_H */
