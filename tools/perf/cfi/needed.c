// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a command that has not started yet, found by the loader's rules (ld.so(8)).
 *
 * The list grows while it is walked: each file adds the libraries that it needs. A library
 * already in the list is not searched again. Nothing in a file is trusted: libelf checks the
 * strings, and the list is bounded.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "cfi/needed.h"

#define MAX_FILES	512
/* A script's interpreter may be a script (execve(2)). */
#define MAX_SCRIPTS	5
#define PATH_SIZE	4096
/* Debian's folder of libraries */
#ifdef __aarch64__
#define MULTIARCH	"aarch64-linux-gnu"
#else
#define MULTIARCH	"x86_64-linux-gnu"
#endif

struct needed {
	char *paths[MAX_FILES];
	u32 nr;
};

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static void add(struct needed *n, const char *path)
{
	u32 i;

	for (i = 0; i < n->nr; i++)
		if (!strcmp(n->paths[i], path))
			return;
	if (n->nr < MAX_FILES)
		n->paths[n->nr++] = xstrdup(path);
}

/*
 * Is there a file of this name in one of the folders of a list "a:b:c"? $ORIGIN is the folder of
 * the file that @from names.
 */
static bool find_in(const char *list, const char *name, const char *from, char *path)
{
	const char *slash = from ? strrchr(from, '/') : NULL, *p, *rest;
	int origin = slash ? slash - from : 0;
	size_t len;

	for (p = list; p && *p; p += len + (p[len] == ':')) {
		len = strcspn(p, ":");
		rest = !strncmp(p, "$ORIGIN", 7) ? p + 7 : !strncmp(p, "${ORIGIN}", 9) ? p + 9 : NULL;
		if (rest && rest <= p + len)
			snprintf(path, PATH_SIZE, "%.*s%.*s/%s", origin, from ? from : "",
				 (int)(p + len - rest), rest, name);
		else
			snprintf(path, PATH_SIZE, "%.*s/%s", (int)len, p, name);
		if (len && is_file(path))
			return true;
	}
	return false;
}

static void add_library(struct needed *n, const char *name, const char *run_path, const char *from)
{
	static const char folders[] = "/lib/" MULTIARCH ":/usr/lib/" MULTIARCH ":/usr/local/lib:"
				      "/lib64:/usr/lib64:/lib:/usr/lib";
	char path[PATH_SIZE];
	const char *slash;
	u32 i;

	if (strchr(name, '/')) {
		if (is_file(name))
			add(n, name);
		return;
	}
	for (i = 0; i < n->nr; i++) {
		slash = strrchr(n->paths[i], '/');
		if (slash && !strcmp(slash + 1, name))
			return;
	}
	if (find_in(run_path, name, from, path) || find_in(getenv("LD_LIBRARY_PATH"), name, from, path) ||
	    find_in(folders, name, NULL, path))
		add(n, path);
}

/* The libraries that a dynamic section names. */
static void add_dynamic(struct needed *n, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, const char *from)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	const char *run_path = NULL, *name;
	size_t i, nr = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	GElf_Dyn dyn;

	for (i = 0; d && i < nr && gelf_getdyn(d, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_RUNPATH || (dyn.d_tag == DT_RPATH && !run_path))
			run_path = elf_strptr(elf, sh->sh_link, dyn.d_un.d_val);
	for (i = 0; d && i < nr && gelf_getdyn(d, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		name = dyn.d_tag == DT_NEEDED ? elf_strptr(elf, sh->sh_link, dyn.d_un.d_val) : NULL;
		if (name)
			add_library(n, name, run_path, from);
	}
}

static void add_loader(struct needed *n, Elf *elf)
{
	char path[PATH_SIZE];
	size_t i, nr, size;
	const char *file;
	GElf_Phdr ph;

	file = elf_rawfile(elf, &size);
	if (!file || elf_getphdrnum(elf, &nr))
		return;
	for (i = 0; i < nr && gelf_getphdr(elf, i, &ph); i++) {
		if (ph.p_type != PT_INTERP || ph.p_offset > size || ph.p_filesz > size - ph.p_offset ||
		    ph.p_filesz >= sizeof(path))
			continue;
		memcpy(path, file + ph.p_offset, ph.p_filesz);
		path[ph.p_filesz] = 0;
		if (is_file(path))
			add(n, path);
	}
}

static void add_needs(struct needed *n, const char *path, int fd)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		add_loader(n, elf);
		while ((scn = elf_nextscn(elf, scn)))
			if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC)
				add_dynamic(n, elf, scn, &sh, path);
	}
	elf_end(elf);
}

static bool find_command(const char *name, char *path)
{
	if (strchr(name, '/'))
		return snprintf(path, PATH_SIZE, "%s", name) < PATH_SIZE && is_file(path);
	return find_in(getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin", name, NULL, path);
}

/* The interpreter of a script, and what that one is to find in PATH when it is env(1). */
static bool find_interpreter(const char *script, char *interp, char *by_env)
{
	_cleanup_close_ int fd = open(script, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char line[256], *word, *arg, *save;
	ssize_t len = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (len < 2 || line[0] != '#' || line[1] != '!')
		return false;
	line[len] = 0;
	line[strcspn(line, "\n")] = 0;
	word = strtok_r(line + 2, " \t", &save);
	if (!word)
		return false;
	snprintf(interp, PATH_SIZE, "%s", word);
	by_env[0] = 0;
	word = strrchr(interp, '/');
	if (word && !strcmp(word, "/env")) {
		/* -S and settings may stand before the name. */
		do {
			arg = strtok_r(NULL, " \t", &save);
		} while (arg && (arg[0] == '-' || strchr(arg, '=')));
		if (arg)
			find_command(arg, by_env);
	}
	return true;
}

static void add_program(struct needed *n, const char *path, u32 depth)
{
	char interp[PATH_SIZE], by_env[PATH_SIZE];

	if (!find_interpreter(path, interp, by_env)) {
		add(n, path);
	} else if (depth < MAX_SCRIPTS) {
		add_program(n, interp, depth + 1);
		if (by_env[0])
			add_program(n, by_env, depth + 1);
	}
}

void needed_files(const char *command, void (*on_file)(void *arg, const char *path, int fd), void *arg)
{
	struct needed *n = xcalloc(1, sizeof(*n));
	char path[PATH_SIZE];
	u32 i;
	int fd;

	if (find_command(command, path))
		add_program(n, path, 0);
	for (i = 0; i < n->nr; i++) {
		fd = open(n->paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd >= 0)
			add_needs(n, n->paths[i], fd);
		on_file(arg, n->paths[i], fd);
	}
	for (i = 0; i < n->nr; i++)
		free(n->paths[i]);
	free(n);
}
