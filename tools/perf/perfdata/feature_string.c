// SPDX-License-Identifier: GPL-2.0
/*
 * Appends a string in the format of feature sections: its length, then its bytes, padded with
 * zeros to a multiple of 64.
 */
#include "perfdata/write_features.h"

void feature_put_string(struct outbuf *o, const char *s)
{
	u32 len = strlen(s) + 1, padded = ALIGN_UP(len, 64u);

	outbuf_put32(o, padded);
	outbuf_write(o, s, len);
	outbuf_fill(o, 0, padded - len);
}
