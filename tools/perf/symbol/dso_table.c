// SPDX-License-Identifier: GPL-2.0
/* Creates and destroys the table of a session's dsos, with the data read for them. */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "buildid/buildid_cache.h"
#include "symbol/find_file.h"
#include "symbol/kallsyms.h"
#include "symbol/srcline.h"
#include "symbol/symbol_private.h"

static long page_size;
static bool may_name;		/* this process may open files */
static char shortened[PATH_MAX];

/* The file that is mapped at an address. It was read by code that holds no lock of stdio's. */
static void name_shortened(uintptr_t at)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 100];
	unsigned long start, end;
	int path;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &path) == 2 &&
		    at - start < end - start)
			snprintf(shortened, sizeof(shortened), "%.*s",
				 (int)strcspn(line + path, "\n"), line + path);
	if (maps)
		fclose(maps);
}

/* A mapped file was shortened, by "cp" over a library: what is gone reads as zeroes. */
static void on_bus_error(int sig __unused, siginfo_t *info, void *context __unused)
{
	void *page = (void *)((uintptr_t)info->si_addr & -page_size);

	if (info->si_code == BUS_ADRERR && may_name && !*shortened)
		name_shortened((uintptr_t)page);
	if (info->si_code != BUS_ADRERR ||
	    mmap(page, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		/* Also of kill(). Walkers may not send themselves a signal. */
		__builtin_trap();
}

struct dso_table *dso_table_create(const struct symbol_config *cfg)
{
	const struct sigaction survive = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };
	struct dso_table *t = xcalloc(1, sizeof(*t));
	_cleanup_free_ char *dir = NULL;

	if (cfg)
		t->cfg = *cfg;
	/* Now, since the settings are read for one thread only. */
	if (!t->cfg.buildid_dir)
		dir = buildid_cache_dir();
	if (dir)
		t->cfg.buildid_dir = arena_strndup(&t->arena, dir, strlen(dir));
	pthread_mutex_init(&t->lock, NULL);
	page_size = sysconf(_SC_PAGESIZE);
	may_name = !t->cfg.local;	/* else this is a walker */
	sigaction(SIGBUS, &survive, NULL);
	return t;
}

static void dso_file_destroy(struct dso_file *f)
{
	struct extra *x;
	u32 i;

	for (x = f->extra; x; x = x->next)
		symtab_deinit(&x->tab);
	cleanup_close(&f->fd);
	lines_destroy(f->lines);
	inline_index_close(f->inlines, f->inlines_path);
	hash_deinit(&f->inlines_of);
	hash_deinit(&f->inline_syms);
	hash_deinit(&f->answers);
	hash_deinit(&f->texts);
	hash_deinit(&f->linkage);
	hash_deinit(&f->inline_linkage);
	arena_deinit(&f->inline_arena);
	hash_deinit(&f->no_inner);
	free(f->jit_lines);
	hash_deinit(&f->jit_code);
	names_forget(f);
	symtab_deinit(&f->tab);
	symtab_deinit(&f->starts);
	for (i = 0; i < ARRAY_SIZE(f->elfs); i++)
		elf_end(f->elfs[i]);
	elf_images_free(&f->images);
	arena_deinit(&f->arena);
	pthread_mutex_destroy(&f->lock);
	pthread_mutex_destroy(&f->lines_lock);
	free(f);
}

void dso_table_destroy(struct dso_table *t)
{
	u32 i;

	if (!t)
		return;
	if (*shortened)
		diag_warn("%s was shortened while it was read: names and lines may be missing",
			  shortened);
	*shortened = 0;
	for (i = 0; i < t->nr; i++)
		dso_file_destroy(t->files[i]);
	free(t->files);
	kallsyms_destroy(t->kallsyms);
	hash_deinit(&t->modules);
	running_destroy(t->running);
	hash_deinit(&t->by_key);
	hash_deinit(&t->jitdumps);
	hash_deinit(&t->jitmaps);
	arena_deinit(&t->arena);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void dso_table_processes(struct dso_table *t, dso_has_process *has, void *ctx)
{
	t->has_process = has;
	t->process_ctx = ctx;
	running_destroy(t->running);
	t->running = NULL;
}
