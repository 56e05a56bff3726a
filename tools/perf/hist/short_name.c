// SPDX-License-Identifier: GPL-2.0
/* Shortens long names of functions. */
#include <string.h>

#include "base/text.h"
#include "hist/hist.h"

/* Of "github.com/grafana/tsdb.(*Head).Append" the package: "tsdb.(*Head).Append". */
static const char *go_package(const char *name)
{
	const char *package = name, *p;

	for (p = name; *p && !strchr("([< ", *p); p++)
		if (*p == '/')
			package = p + 1;
	return package;
}

/* Bytes that stay together: "operator<<", "->", "()", "(anonymous namespace)", Go's "(*Head)" */
static size_t one_piece(const char *name, const char *p)
{
	if (has_prefix(p, "operator"))
		return has_prefix(p + 8, "()") ? 10 : 8 + strspn(p + 8, "<>=-");
	if (has_prefix(p, "->"))
		return 2;
	if (*p == '(' && (p == name || strchr(")*", p[1]) || has_prefix(p, "(anonymous ")) && strchr(p, ')'))
		return strcspn(p, ")") + 1;
	return 1;
}

void short_name_put(struct outbuf *o, const char *name, bool full)
{
	const char *p = full || strlen(name) <= SHORT_NAME_MAX ? NULL : go_package(name);
	/* Open brackets, and those whose contents are shown */
	u32 depth = 0, shown = *name == '<';
	size_t from = outbuf_len(o), size;

	if (p && p > name) {
		outbuf_puts(o, ".../");
		outbuf_puts(o, p);
		return;
	}
	for (; p && *p; p += size) {
		size = one_piece(name, p);
		if (size == 1 && strchr(">)", *p) && depth)
			depth--;
		if (depth <= shown)
			outbuf_write(o, p, size);
		if (size == 1 && strchr("<(", *p) && depth++ == shown)
			outbuf_puts(o, "...");
	}
	/* Not of these languages, or cut */
	if (!p || depth) {
		o->pos = o->base + from;
		outbuf_puts(o, name);
	}
}
