/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PERF_CMD_RECORD_HITS_H
#define PERF_CMD_RECORD_HITS_H

struct hash;

/**
 * record_hits() - the files that samples lie in
 * @path: a recording; what has been written so far counts
 * @names: hash_bytes() of each file's name is inserted
 *
 * Return: 0, or a negative number after diag_error().
 */
int record_hits(const char *path, struct hash *names);

#endif /* PERF_CMD_RECORD_HITS_H */
