// SPDX-License-Identifier: GPL-2.0
/*
 * Linker names into source names, by libiberty. Its Rust demangler takes the
 * legacy form (_ZN...17h<hash>E) and v0 (_R...).
 */
#include <libiberty/demangle.h>
#undef ARRAY_SIZE	/* ours is the same */

#include "base/cleanup.h"
#include "base/diag.h"
#include "symbol/private.h"

/* A longer name is shown as it is: demangling can be quadratic and worse. */
#define NAME_MAX_DEMANGLE 8192

char *demangle(const char *name)
{
	_cleanup_free_ char *bare = NULL, *plain = NULL;
	const char *suffix;
	size_t len;
	char *out;

	/* Ada, Java, D and others do not start like this; plain C never does. */
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return NULL;
	len = strnlen(name, NAME_MAX_DEMANGLE + 1);
	if (len > NAME_MAX_DEMANGLE)
		return NULL;
	/* "@plt" and versions ("@@GLIBCXX_3.4") are not part of the name. */
	suffix = strchr(name, '@');
	if (suffix)
		len = suffix - name;
	bare = xmalloc(len + 1);
	memcpy(bare, name, len);
	bare[len] = 0;
	/* Parameters fill the screen; perf shows them with -v. */
	plain = cplus_demangle(bare, DMGL_AUTO | (verbose > 0 ? DMGL_PARAMS | DMGL_ANSI : 0));
	if (!plain || !suffix)
		return no_free(plain);
	out = xmalloc(strlen(plain) + strlen(suffix) + 1);
	strcpy(out, plain);
	return strcat(out, suffix);
}
