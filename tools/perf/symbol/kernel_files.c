// SPDX-License-Identifier: GPL-2.0
/*
 * Sources of the symbols of kernels and modules: vmlinux, .ko files, kallsyms. A file is accepted
 * only if it belongs to the recorded kernel, by build-id if both have one, or if the user named it.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/text.h"
#include "buildid/buildid_cache.h"
#include "symbol/find_file.h"
#include "symbol/kallsyms.h"

/* Limit in bytes; Debian's file has 0.6 MB. */
#define MODULES_DEP_MAX (64u << 20)

/* Hash a module's name up to '.' or ']'. '-' and '_' are equal. */
static u64 name_hash(const char *name, char end)
{
	char buf[128];
	size_t len = 0;

	for (; name[len] && name[len] != end && len < sizeof(buf); len++)
		buf[len] = name[len] == '-' ? '_' : name[len];
	return hash_bytes(buf, len);
}

/* The module's name in a path. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void on_line(void *priv, const char *line, const char *end)
{
	const char *colon = memchr(line, ':', end - line), *path;
	struct dso_table *t = priv;
	bool added;
	u64 *v;

	if (!colon)
		return;
	path = arena_strndup(&t->arena, line, colon - line);
	v = hash_insert(&t->modules, name_hash(base_name(path), '.'), 0, &added);
	/* The first module of a name is used. */
	if (added)
		*v = (uintptr_t)path;
}

static void read_modules(struct dso_file *f)
{
	const char *rel = f->table->cfg.os_release;
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!rel || strchr(rel, '/'))
		return;
	fd = open_regular(find_file_path(f, "/lib/modules/%s/modules.dep", rel), 0, &st);
	if (fd >= 0)
		lines_read(fd, MODULES_DEP_MAX, on_line, f->table);
}

/*
 * The path of module "[ext4]" by lines "kernel/fs/ext4/ext4.ko.xz: ..." of the recorded kernel's
 * modules.dep, read once, below --symfs; '-' and '_' are equal; the dso owns it. NULL: unknown
 */
static char *modules_find(struct dso_file *f, const char *name)
{
	struct dso_table *t = f->table;
	const char *path, *base;
	const u64 *v;
	size_t i;

	pthread_mutex_lock(&t->lock);
	if (!t->modules_read)
		read_modules(f);
	t->modules_read = true;
	pthread_mutex_unlock(&t->lock);
	v = hash_find(&t->modules, name_hash(name + 1, ']'), 0);
	if (!v)
		return NULL;
	path = (const char *)(uintptr_t)*v;
	base = base_name(path);
	for (i = 0; base[i] && base[i] != '.'; i++)
		if (name[i + 1] != (base[i] == '-' ? '_' : base[i]))
			return NULL;
	if (strncmp(base + i, ".ko", 3) || name[i + 1] != ']')
		return NULL;
	return path[0] == '/' ? find_file_path(f, "%s", path) :
				find_file_path(f, "/lib/modules/%s/%s", f->table->cfg.os_release, path);
}

bool kernel_is_running(const struct dso_table *t, const u8 *id, u8 size)
{
	_cleanup_close_ int fd = -1;
	struct utsname uts;
	char notes[4096];
	ssize_t n;

	if (!size)
		return t->cfg.same_machine ||
		       (t->cfg.os_release && !uname(&uts) &&
			!strcmp(uts.release, t->cfg.os_release));
	fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));
	/* Search all notes for the id: 20 bytes do not match by chance. */
	return n > 0 && memmem(notes, n, id, size);
}

/* The kallsyms of the recorded kernel, or NULL. It is read once per table. */
static struct kallsyms *get_kallsyms(struct dso_table *t, struct dso_file *f)
{
	const u8 *id = t->kernel_id_size ? t->kernel_id : NULL;
	const char *path = t->cfg.kallsyms;
	int err;

	pthread_mutex_lock(&t->lock);
	if (t->kallsyms_tried)
		goto out;
	t->kallsyms_tried = true;
	/* /proc/kallsyms of the running kernel also has modules loaded later. */
	if (!path && kernel_is_running(t, id, t->kernel_id_size))
		path = "/proc/kallsyms";
	err = path ? kallsyms_read(path, &t->kallsyms) : 0;
	if (!t->cfg.kallsyms && !t->kallsyms && id) {
		char *cached = find_file_cached(f, id, t->kernel_id_size, "kallsyms");

		if (!access(cached, R_OK)) {
			path = cached;
			buildid_cache_file_used(path);
			err = kallsyms_read(path, &t->kallsyms);
		}
	}
	t->kallsyms_hidden = err == -EPERM;
	if (err == -EPERM)
		diag_warn("%s hides the kernel's addresses: kernel symbols are not shown "
			  "(run as root, or set kernel.kptr_restrict=0)", path);
	else if (err)
		diag_warn("%s: %s: kernel symbols are not shown", path,
			  err == -EBADMSG ? "not a list of kernel symbols" : strerror(-err));
out:
	pthread_mutex_unlock(&t->lock);
	if (t->kallsyms_hidden)
		f->why = DSO_KERNEL_HIDDEN;
	else if (!t->kallsyms)
		f->why = "no kallsyms or vmlinux of the recorded kernel was found (--kallsyms, -k)";
	return t->kallsyms;
}

static bool read_vmlinux(struct dso_file *f, char *path, bool named)
{
	struct elf_file ef;
	enum find_file_result r = find_file_open(f, path, &ef);

	if (r == FIND_FILE_OTHER_BUILD && named)
		diag_warn("%s: its build id is not the recorded kernel's: it is not used", path);
	else if (r != FIND_FILE_TAKEN && named)
		diag_warn("%s: %s", path, r == FIND_FILE_NOT_ELF ? "not an ELF file" : strerror(errno));
	if (r != FIND_FILE_TAKEN)
		return false;
	/* Without build ids accept it only if the user named it: it is rarely the recorded file. */
	if ((!named && (!ef.build_id_size || !f->dso.build_id_size)) ||
	    elf_read_symbols(f, &ef, 0, path, false) || !f->tab.nr) {
		elf_close(&ef);
		return false;
	}
	f->elfs[0] = ef.elf;
	f->sym_path = path;
	f->map.ref_addr = f->ref ? elf_symbol_address(f, &ef, f->ref) : 0;
	return true;
}

static bool find_vmlinux(struct dso_file *f)
{
	const char *rel = f->table->cfg.os_release;
	u8 size = f->dso.build_id_size;
	char hex[ELF_BUILD_ID_HEX];

	if (f->table->cfg.vmlinux)
		return read_vmlinux(f, find_file_path(f, "%s", f->table->cfg.vmlinux), true);
	if (size < 2)
		return false;
	build_id_hex(f->dso.build_id, size, hex);
	if (read_vmlinux(f, find_file_cached(f, f->dso.build_id, size, "elf"), false) ||
	    read_vmlinux(f, find_file_path(f, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2),
			 false))
		return true;
	if (!rel || strchr(rel, '/'))
		return false;
	return read_vmlinux(f, find_file_path(f, "/usr/lib/debug/boot/vmlinux-%s", rel), false) ||
	       read_vmlinux(f, find_file_path(f, "/usr/lib/debug/lib/modules/%s/vmlinux", rel), false) ||
	       read_vmlinux(f, find_file_path(f, "/lib/modules/%s/build/vmlinux", rel), false) ||
	       read_vmlinux(f, find_file_path(f, "/lib/modules/%s/vmlinux", rel), false) ||
	       read_vmlinux(f, find_file_path(f, "/boot/vmlinux-%s", rel), false);
}

static void load_kernel(struct dso_file *f)
{
	struct kallsyms *k;

	/* Priority: -k, then --kallsyms, then a vmlinux that is found. */
	if ((f->table->cfg.vmlinux || !f->table->cfg.kallsyms) && find_vmlinux(f))
		return;
	k = get_kallsyms(f->table, f);
	if (!k || !kallsyms_take(k, NULL, &f->tab))
		return;
	f->map.ref_addr = f->ref ? kallsyms_address(k, f->ref) : 0;
}

static void load_module(struct dso_file *f)
{
	struct kallsyms *k;
	struct elf_file ef;
	char *path;

	k = get_kallsyms(f->table, f);
	if (k && kallsyms_take(k, f->dso.short_name, &f->tab)) {
		/* The list may be of another boot: addresses are relative to the first page. */
		f->map.module_base = f->tab.syms[0].start & ~4095ULL;
		return;
	}
	path = f->dso.path[0] == '/' ? find_file_path(f, "%s", f->dso.path) :
					modules_find(f, f->dso.short_name);
	if (!path || find_file_open(f, path, &ef) != FIND_FILE_TAKEN) {
		if (!f->why || path)
			f->why = "its .ko file is not here, and no kallsyms has it";
		return;
	}
	f->elfs[0] = ef.elf;
	f->sym_path = path;
	elf_read_symbols(f, &ef, 0, path, false);
}

void kernel_load(struct dso_file *f)
{
	struct kallsyms *k;

	if (f->table->cfg.no_kernel) {
		f->why = "kernel symbols are switched off";
		return;
	}
	switch (f->dso.kind) {
	case DSO_KERNEL:
		load_kernel(f);
		break;
	case DSO_MODULE:
		load_module(f);
		break;
	case DSO_BPF:
		f->map.absolute = true;
		k = get_kallsyms(f->table, f);
		if (k)
			kallsyms_take(k, "[bpf]", &f->tab);
		break;
	default:
		f->why = "symbols of guests are not read";
	}
}
