/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: summary of truncated user callchains.
 */
#ifndef PERF_CMD_RECORD_CUT_SUMMARY_H
#define PERF_CMD_RECORD_CUT_SUMMARY_H

#include "cmd/tables/tables.h"

/**
 * record_cut() - print how many user callchains were truncated, in which files, and why
 * @path: a complete recording with user callchains
 * @tables: the registered unwind tables; NULL: none
 *
 * Prints nothing below the threshold of cuts_percent().
 */
void record_cut(const char *path, const struct tables *tables);

#endif /* PERF_CMD_RECORD_CUT_SUMMARY_H */
