// SPDX-License-Identifier: GPL-2.0
/*
 * files.c - the files with samples in finished histograms
 *
 * It is given histograms of one environment. A file is listed once.
 */
#include "hist/hist_private.h"

struct file_list {
	struct hash by_dso;	/* index + 1 */
	struct hist_file *v;
	u32 nr, cap;
};

static struct hist_file *file_of(struct file_list *l, const struct dso *d)
{
	u64 *at = hash_insert(&l->by_dso, (uintptr_t)d, 0, NULL);

	if (!*at) {
		GROW(l->v, l->nr, l->cap);
		l->v[l->nr] = (struct hist_file){ .dso = (struct dso *)d };
		*at = ++l->nr;
	}
	return &l->v[*at - 1];
}

/* An array by frame key: UNNAMED if no label has a symbol of a file. The caller frees it. */
static u8 *unnamed_keys(const struct hist_env *env)
{
	enum { NAMED = 1, UNNAMED };
	u8 *v = xcalloc(env->cap_fkeys + 1, 1);
	u32 i;

	for (i = 0; i < env->nr_labels; i++) {
		const struct hist_label *l = &env->labels[i];

		v[l->fkey] |= l->sym && !symbol_is_start(l->sym) ? NAMED : UNNAMED;
	}
	for (i = 0; i < env->cap_fkeys; i++)
		v[i] = v[i] == UNNAMED;
	return v;
}

u32 hists_files(struct hists **hists, u32 nr, struct hist_file **files, u64 *samples)
{
	struct file_list l = { .nr = 0 };
	u8 *unnamed = nr ? unnamed_keys(hists[0]->env) : NULL;
	u32 e, i;

	*samples = 0;
	for (e = 0; e < nr; e++) {
		const struct hists *h = hists[e];

		for (i = 0; i < h->nr_rows; i++) {
			const struct dso *d = h->env->fkeys[h->rows[i].fkey].dso;

			*samples += h->rows[i].nr;
			if (!d)
				continue;
			file_of(&l, d)->samples += h->rows[i].nr;
			if (unnamed[h->rows[i].fkey])
				file_of(&l, d)->unnamed += h->rows[i].nr;
		}
	}
	free(unnamed);
	hash_deinit(&l.by_dso);
	*files = l.v;
	return l.nr;
}
