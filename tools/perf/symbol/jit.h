/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code of JIT compilers, and the files with its names: perf-PID.map and jit-PID.dump. Their
 * locations, and the mappings that refer to them.
 */
#ifndef PERF_SYMBOL_JIT_H
#define PERF_SYMBOL_JIT_H

#include "base/types.h"

#define JIT_FILE_MAX (512u << 20)		/* bytes of all maps that are read */

/* jit_is_code - is a mapping of this name memory without a file? What is executed there is a JIT's. */
bool jit_is_code(const char *mapped);

/*
 * jit_is_dump, jit_is_map - is the file called jit-N.dump or perf-N.map? Any number will do, as the program may be
 * in a PID namespace; a copy that perf record kept has another after it (jit-N-X.dump).
 */
bool jit_is_dump(const char *path);
bool jit_is_map(const char *path);

/* jit_inner_pid - the PID that a running process has in its own PID namespace: its map is named by it */
u32 jit_inner_pid(u32 pid);

#endif /* PERF_SYMBOL_JIT_H */
