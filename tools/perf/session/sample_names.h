/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of all addresses in a recording, as its section FEAT_NAMES.
 */
#ifndef PERF_SESSION_SAMPLE_NAMES_H
#define PERF_SESSION_SAMPLE_NAMES_H

#include "base/outbuf.h"
#include "session/session.h"

/* sample_names_config - set what sample_names() needs in a session's configuration */
void sample_names_config(struct symbol_config *cfg);

/**
 * sample_names() - make the section
 * @s: the session of a file, which is run
 * @o: where to; empty if no address has a name
 *
 * Return: 0, or what session_run() returned.
 */
int sample_names(struct session *s, struct outbuf *o);

/**
 * record_names() - the same of a recording of this machine that is not open
 * @path: a recording; what has been written so far counts
 * @o: likewise
 *
 * Return: 0, or a negative number after diag_error().
 */
int record_names(const char *path, struct outbuf *o);

#endif /* PERF_SESSION_SAMPLE_NAMES_H */
