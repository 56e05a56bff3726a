// SPDX-License-Identifier: GPL-2.0
/*
 * Files by build id from debuginfod servers. libdebuginfod is loaded only when
 * DEBUGINFOD_URLS is set: few machines have it, and it brings an HTTP client.
 * Its interface: debuginfod_find_debuginfo(3).
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "symbol/find_file.h"

struct debuginfod_client;

static struct {
	bool tried;
	bool stopped;			/* interrupted by ^C: no more downloads */
	struct debuginfod_client *client;
	struct debuginfod_client *(*begin)(void);
	int (*find_debuginfo)(struct debuginfod_client *c, const unsigned char *id, int len,
			      char **path);
	int (*find_executable)(struct debuginfod_client *c, const unsigned char *id, int len,
			       char **path);
	void (*set_progressfn)(struct debuginfod_client *c,
			       int (*fn)(struct debuginfod_client *c, long a, long b));
	const char *what;		/* the file that is being fetched */
	bool shown;
} lib;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_interrupted;		/* set by the signal handler */

static void on_interrupt(int sig __unused)
{
	__atomic_store_n(&is_interrupted, 1, __ATOMIC_RELAXED);
}

#ifdef PERF_STATIC
/* A static perf does not load libraries: they may require a different C library. */
static bool load(void)
{
	if (!lib.tried)
		diag_warn("DEBUGINFOD_URLS is set, but this perf is the self-contained one, which loads no "
			  "libraries: nothing is fetched");
	lib.tried = true;
	return false;
}
#else
static int progress(struct debuginfod_client *c __unused, long a, long b)
{
	if (isatty(STDERR_FILENO)) {
		fprintf(stderr, b > 0 ? "\r\033[Kdebuginfod: %s %ld/%ld kB" :
			"\r\033[Kdebuginfod: %s %ld", lib.what, b > 0 ? a / 1024 : a, b / 1024);
		lib.shown = true;
	}
	return __atomic_load_n(&is_interrupted, __ATOMIC_RELAXED);
}

static bool load(void)
{
	void *so;

	if (lib.tried)
		return lib.client;
	lib.tried = true;
	so = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!so) {
		diag_warn("DEBUGINFOD_URLS is set, but libdebuginfod.so.1 is not installed (package "
			  "libdebuginfod1): nothing is fetched");
		return false;
	}
	lib.begin = dlsym(so, "debuginfod_begin");
	lib.find_debuginfo = dlsym(so, "debuginfod_find_debuginfo");
	lib.find_executable = dlsym(so, "debuginfod_find_executable");
	lib.set_progressfn = dlsym(so, "debuginfod_set_progressfn");
	if (!lib.begin || !lib.find_debuginfo || !lib.find_executable || !lib.set_progressfn) {
		dlclose(so);
		return false;
	}
	lib.client = lib.begin();
	if (lib.client)
		lib.set_progressfn(lib.client, progress);
	return lib.client;
}
#endif

static char *fetch(struct dso_file *f, const u8 *id, u8 size, bool executable)
{
	struct sigaction act = { .sa_handler = on_interrupt }, old;
	char *path = NULL, *out = NULL;
	int fd;

	lib.what = f->dso.short_name;
	lib.shown = false;
	sigaction(SIGINT, &act, &old);
	fd = (executable ? lib.find_executable : lib.find_debuginfo)(lib.client, id, size, &path);
	sigaction(SIGINT, &old, NULL);
	if (lib.shown)
		fprintf(stderr, "\r\033[K");
	if (fd >= 0) {
		close(fd);
		if (path)
			out = arena_strndup(&f->arena, path, strlen(path));
	}
	free(path);
	if (__atomic_load_n(&is_interrupted, __ATOMIC_RELAXED)) {
		lib.stopped = true;
		diag_warn("interrupted: nothing more is fetched from debuginfod (interrupt again to end)");
	}
	return out;
}

char *find_file_debuginfod(struct dso_file *f, const u8 *id, u8 size, bool executable)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path = NULL;

	if (!urls || !*urls || f->table->cfg.local)
		return NULL;
	/* One client, one download at a time. */
	pthread_mutex_lock(&lock);
	if (!lib.stopped && load())
		path = fetch(f, id, size, executable);
	pthread_mutex_unlock(&lock);
	return path;
}
