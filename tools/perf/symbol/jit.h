/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code of JIT compilers, and the files with its names: perf-PID.map and jit-PID.dump. Their
 * locations, and the mappings that refer to them.
 */
#ifndef PERF_SYMBOL_JIT_H
#define PERF_SYMBOL_JIT_H

#include "base/types.h"

#define JIT_FILE_MAX (512u << 20)		/* limit of the total size of all maps, in bytes */

/* jit_is_code - is a mapping of this name anonymous memory? Code in it is JIT code. */
bool jit_is_code(const char *mapped);

/*
 * jit_is_dump, jit_is_map - is the file's name jit-N.dump or perf-N.map? N is any number, as in a
 * PID namespace; a copy by perf record has a second one (jit-N-X.dump).
 */
bool jit_is_dump(const char *path);
bool jit_is_map(const char *path);

/* jit_inner_pid - a running process's PID in its own PID namespace, as in its map's name */
u32 jit_inner_pid(u32 pid);

#endif /* PERF_SYMBOL_JIT_H */
