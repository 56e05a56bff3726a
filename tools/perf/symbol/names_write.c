// SPDX-License-Identifier: GPL-2.0
/*
 * Collects the addresses of a recording and writes its section of names (names.c): for each file
 * the symbols that contain a collected address, and the places: addresses with a source line or
 * inlined functions.
 */
#include <zstd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/sort.h"
#include "symbol/names.h"
#include "symbol/symbol_private.h"

#define LEVEL 19		/* zstd's compression level */

struct noted {
	struct dso_file *f;
	u64 *addrs;
	u32 nr, cap;
};

struct names_writer {
	struct hash seen;		/* (address, dso) */
	struct noted *files;		/* by the dso's id */
	u32 nr, cap;
	struct hash strings;		/* number + 1 */
	u32 nr_strings;
	struct outbuf text;		/* the strings */
};

struct names_writer *names_writer_create(void)
{
	return xcalloc(1, sizeof(struct names_writer));
}

void names_note(struct names_writer *w, struct dso *d, u64 addr)
{
	struct noted *n;
	bool added;

	hash_insert(&w->seen, addr, d->id, &added);
	if (!added)
		return;
	GROW_TO(w->files, (u64)d->id + 1, w->cap);
	for (; w->nr <= d->id; w->nr++)
		w->files[w->nr] = (struct noted){ 0 };
	n = &w->files[d->id];
	n->f = dso_file(d);
	GROW(n->addrs, n->nr, n->cap);
	n->addrs[n->nr++] = addr;
}

static void put(struct outbuf *o, u64 v)
{
	for (; v >= 0x80; v >>= 7)
		outbuf_putc(o, v | 0x80);
	outbuf_putc(o, v);
}

static u32 string(struct names_writer *w, const char *s, size_t len)
{
	bool added;
	u64 *v = hash_insert(&w->strings, hash_bytes(s, len), len, &added);

	if (added) {
		*v = w->nr_strings++;
		outbuf_write(&w->text, s, len);
		outbuf_putc(&w->text, 0);
	}
	return *v;
}

static int by_start(const void *a, const void *b)
{
	const struct symbol *x = *(struct symbol *const *)a, *y = *(struct symbol *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

static void put_map(const struct dso_file *f, struct outbuf *o)
{
	const struct addr_map *m = f->names ? &f->names->map : &f->map;
	u32 i;

	put(o, m->absolute);
	put(o, m->ref_addr);
	put(o, m->module_base);
	put(o, m->nr_segs);
	for (i = 0; i < m->nr_segs; i++) {
		put(o, m->segs[i].offset);
		put(o, m->segs[i].filesz);
		put(o, m->segs[i].vaddr);
		put(o, m->segs[i].memsz);
		put(o, m->segs[i].exec);
	}
}

/* Return: the number of symbols. */
static u32 put_symbols(struct names_writer *w, struct noted *n, struct outbuf *o)
{
	const struct symbol **v = xcalloc(n->nr, sizeof(*v)), *sym;
	u32 nr = 0, kept = 0, i;
	u64 last = 0;

	for (i = 0; i < n->nr; i++) {
		sym = dso_find_symbol(&n->f->dso, n->addrs[i]);
		if (sym)
			v[nr++] = sym;
	}
	qsort(v, nr, sizeof(*v), by_start);
	for (i = 0; i < nr; i++)
		if (!kept || v[i] != v[kept - 1])
			v[kept++] = v[i];
	put(o, kept);
	for (i = 0; i < kept; i++) {
		bool start = symbol_is_start(v[i]);

		put(o, v[i]->start - last);
		put(o, v[i]->end - v[i]->start);
		put(o, (v[i]->bind & 0xf) | (start ? NAMES_START : 0));
		put(o, start ? string(w, "", 0) : string(w, v[i]->name, strlen(v[i]->name)));
		last = v[i]->start;
	}
	free(v);
	return kept;
}

/* "/src/file.c:12" */
static void put_line(struct names_writer *w, const char *line, struct outbuf *o)
{
	const char *colon = line ? strrchr(line, ':') : NULL;

	if (!colon) {
		put(o, 0);
		return;
	}
	put(o, string(w, line, colon - line) + 1);
	put(o, strtoul(colon + 1, NULL, 10));
}

static u32 put_places(struct names_writer *w, struct noted *n, struct outbuf *o)
{
	const struct inline_frame *frames;
	struct dso *d = &n->f->dso;
	u32 nr = 0, i, j, inlines;
	_cleanup_outbuf_ struct outbuf places = { 0 };
	const char *line;
	u64 last = 0;

	for (i = 0; i < n->nr; i++) {
		u64 addr = n->addrs[i];

		inlines = dso_inlines(d, addr, &frames);
		line = dso_srcline(d, addr, true);
		if (!line && !inlines)
			continue;
		nr++;
		put(&places, addr - last);
		last = addr;
		put_line(w, line, &places);
		put(&places, inlines);
		for (j = 0; j < inlines; j++) {
			put(&places, string(w, frames[j].sym->name, strlen(frames[j].sym->name)));
			put_line(w, dso_inline_line(d, addr, j + 1), &places);
		}
	}
	put(o, nr);
	outbuf_append(o, &places);
	return nr;
}

/* Return: true if the file has a name or a place. */
static bool put_file(struct names_writer *w, struct noted *n, struct outbuf *o)
{
	const struct dso *d = &n->f->dso;
	size_t at = outbuf_len(o);

	sort_u64(n->addrs, n->nr);
	put(o, d->kind);
	put(o, string(w, d->path, strlen(d->path)));
	put(o, d->build_id_size);
	outbuf_write(o, d->build_id, d->build_id_size);
	put(o, d->base);
	put_map(n->f, o);
	if (put_symbols(w, n, o) + put_places(w, n, o))
		return true;
	o->pos = o->base + at;
	return false;
}

static int pack(const struct outbuf *raw, struct outbuf *o)
{
	struct names_head head = { .version = NAMES_VERSION };
	size_t most = ZSTD_compressBound(outbuf_len(raw)), size;
	ZSTD_CCtx *z = ZSTD_createCCtx();
	char *to;

	if (!z)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	to = outbuf_reserve(o, sizeof(head) + most);
	size = ZSTD_compress2(z, to + sizeof(head), most, raw->base, outbuf_len(raw));
	ZSTD_freeCCtx(z);
	if (ZSTD_isError(size))
		return -ENOMEM;
	head.packed = htole32(size);
	memcpy(to, &head, sizeof(head));
	o->pos += sizeof(head) + size;
	return 0;
}

int names_write(struct names_writer *w, struct outbuf *o)
{
	_cleanup_outbuf_ struct outbuf files = { 0 }, raw = { 0 };
	u32 nr = 0, i;
	int err = 0;

	for (i = 0; i < w->nr; i++) {
		if (w->files[i].nr)
			nr += put_file(w, &w->files[i], &files);
		free(w->files[i].addrs);
	}
	put(&raw, w->nr_strings);
	outbuf_append(&raw, &w->text);
	put(&raw, nr);
	outbuf_append(&raw, &files);
	if (nr)
		err = pack(&raw, o);
	outbuf_deinit(&w->text);
	hash_deinit(&w->seen);
	hash_deinit(&w->strings);
	free(w->files);
	free(w);
	return err;
}
