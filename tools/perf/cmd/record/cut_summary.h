/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf record: how many user callchains were cut.
 */
#ifndef PERF_CMD_RECORD_CUT_SUMMARY_H
#define PERF_CMD_RECORD_CUT_SUMMARY_H

#include "cmd/record/tables.h"

/**
 * record_cut() - say how many user callchains were cut, in which files, and why
 * @path: a recording that is complete, with user callchains
 * @tables: those that were registered; NULL: none
 *
 * Says nothing where it does not matter: cuts_percent().
 */
void record_cut(const char *path, const struct tables *tables);

#endif /* PERF_CMD_RECORD_CUT_SUMMARY_H */
