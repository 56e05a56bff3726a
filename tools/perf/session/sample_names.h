/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The section FEAT_NAMES: symbol names of all addresses in a recording.
 */
#ifndef PERF_SESSION_SAMPLE_NAMES_H
#define PERF_SESSION_SAMPLE_NAMES_H

#include "base/outbuf.h"
#include "session/session.h"

/* sample_names_config - set the configuration that sample_names() needs */
void sample_names_config(struct symbol_config *cfg);

/**
 * sample_names() - create the section
 * @s: the session of a file, on which session_run() is called
 * @o: destination; empty if no address has a name
 *
 * Return: 0, or the value of session_run().
 */
int sample_names(struct session *s, struct outbuf *o);

/**
 * record_names() - create the section for a recording of this machine that is not open
 * @path: the recording; may be incomplete
 * @o: as for sample_names()
 *
 * Return: 0, or a negative number after diag_error().
 */
int record_names(const char *path, struct outbuf *o);

#endif /* PERF_SESSION_SAMPLE_NAMES_H */
