// SPDX-License-Identifier: GPL-2.0
/*
 * How much text may be made of symbols and lines: the dsos of a session count together.
 */
#include "base/diag.h"
#include "symbol/symbol_private.h"

/* A hundred million samples of a thousand large programs need a tenth of this. */
#define TEXTS_MAX (256 << 20)

bool dso_text_fits(struct dso_file *f, size_t len)
{
	if (__atomic_add_fetch(&f->table->text_bytes, len, __ATOMIC_RELAXED) <= TEXTS_MAX)
		return true;
	if (!__atomic_exchange_n(&f->table->text_told, true, __ATOMIC_RELAXED))
		diag_warn("%s: its names and source lines are too long to be kept: the rest is left out", f->dso.name);
	return false;
}
