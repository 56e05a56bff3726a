// SPDX-License-Identifier: GPL-2.0
/*
 * The message of report and script about missing files of a recording. It is given files with their
 * numbers of samples, and owns the list.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/printable.h"
#include "cmd/missing_files.h"

#define NAMED	3	/* files named in the message */

void missing_files_add(struct missing_files *m, struct dso *d, u64 samples)
{
	GROW_TO(m->v, (u64)d->id + 1, m->cap);
	for (; m->nr <= d->id; m->nr++)
		m->v[m->nr] = (struct missing_file){ 0 };
	m->v[d->id].dso = d;
	m->v[d->id].samples += samples;
}

void missing_files_merge(struct missing_files *m, const struct missing_files *from)
{
	u32 i;

	for (i = 0; i < from->nr; i++)
		if (from->v[i].dso)
			missing_files_add(m, from->v[i].dso, from->v[i].samples);
}

/* By samples, descending. */
static int by_samples(const void *a, const void *b)
{
	const struct missing_file *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->dso->id < y->dso->id ? -1 : x->dso->id > y->dso->id;
}

/* Keep only the absent files. Return: their samples. */
static u64 leave_absent(struct missing_files *m)
{
	u32 nr = 0, i;
	u64 sum = 0;

	for (i = 0; i < m->nr; i++) {
		if (!m->v[i].dso || !m->v[i].samples || !dso_is_absent(m->v[i].dso))
			continue;
		sum += m->v[i].samples;
		m->v[nr++] = m->v[i];
	}
	m->nr = nr;
	if (nr)
		qsort(m->v, nr, sizeof(*m->v), by_samples);
	return sum;
}

static void put_command(const struct session *s, struct outbuf *o)
{
	const char *path = reader_path(s->reader), *host = s->features->hostname;
	char archive[4096];

	if (!strcmp(path, "-"))
		path = "FILE";
	if (snprintf(archive, sizeof(archive), "%s.tar.bz2", path) < (int)sizeof(archive) && !access(archive, R_OK))
		outbuf_printf(o, "'perf archive --unpack %s' brings them", archive);
	else if (session_same_host(s))
		outbuf_puts(o, "'perf record --embed' stores the names of the next recording in it");
	else
		outbuf_printf(o, "'perf inject --embed -i %s -o %s'%s%s stores their names in the recording", path, path,
			      host ? " on " : " where it was recorded", host ?: "");
}

void missing_files_text(struct missing_files *m, const struct session *s, u64 total, struct outbuf *o)
{
	size_t begin = outbuf_len(o);
	u64 sum = leave_absent(m);
	char hex[ELF_BUILD_ID_HEX];
	const struct dso *d;
	u32 i;

	if (!sum || 100 * sum < total)
		return;
	outbuf_printf(o, "%.0f %% of the samples are in files without symbols", 100.0 * sum / total);
	if (m->nr > 1)
		outbuf_printf(o, " (%u)", m->nr);
	for (i = 0; i < min(m->nr, (u32)NAMED); i++) {
		d = m->v[i].dso;
		outbuf_printf(o, "%s%s", i ? ", " : ", most in ", d->kind == DSO_KERNEL ? "the kernel" : d->name);
		if (m->nr > 1)
			outbuf_printf(o, " %.0f %%", 100.0 * m->v[i].samples / total);
		if (!i)
			outbuf_printf(o, " (%s)", dso_why_no_symbols(m->v[i].dso));
	}
	outbuf_puts(o, ": ");
	put_command(s, o);
	d = m->v[0].dso;
	if (m->nr == 1 && d->build_id_size && d->kind == DSO_USER) {
		build_id_hex(d->build_id, d->build_id_size, hex);
		outbuf_printf(o, "; so does the file with build-id %s", hex);
	}
	make_printable(o->base + begin, outbuf_len(o) - begin, false);
}

void missing_files_deinit(struct missing_files *m)
{
	free(m->v);
}
