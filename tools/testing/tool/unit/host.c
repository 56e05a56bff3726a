// SPDX-License-Identifier: GPL-2.0
/*
 * Calls aside, and those that do not return; files that need no such call; what a walker may do. (Not under
 * qemu-aarch64: it has no seccomp.)
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diag.h"
#include "host/host.h"
#include "unit.h"

static int add_one(void *arg, const int *in, int *out)
{
	++*(int *)arg;
	return getppid();
}

/* Return a file that has what in[0] has. */
static int open_again(void *arg, const int *in, int *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", in[0]);
	*out = open(path, O_RDONLY);
	return *out < 0 ? -errno : 0;
}

static int never_return(void *arg, const int *in, int *out)
{
	return pause();
}

static int die(void *arg, const int *in, int *out)
{
	kill(getpid(), SIGKILL);
	return pause();
}

TEST(calls_aside)
{
	int number = 41;
	struct aside a = { 0 };
	struct aside_call add = { .fn = add_one, .arg = &number, .size = sizeof(number) };
	struct aside_call open_call = { .fn = open_again, .arg = &number, .size = sizeof(number), .nr_in = 1 };
	struct aside_call never = { .fn = never_return, .arg = &number, .size = sizeof(number) };
	struct aside_call dies = { .fn = die, .arg = &number, .size = sizeof(number) };
	FILE *f = tmpfile();
	char c = 0;

	assert_int_equal(aside_run(&a, &add, 60000), getpid());
	assert_int_equal(number, 42);
	assert_int_equal(add.out, -1);
	fputs("x", f);
	fflush(f);
	open_call.in[0] = fileno(f);
	assert_int_equal(aside_run(&a, &open_call, 60000), 0);
	assert_int_equal(pread(open_call.out, &c, 1, 0), 1);
	assert_int_equal(c, 'x');
	close(open_call.out);
	/* A child that goes, or does not answer, has a successor. */
	assert_int_equal(aside_run(&a, &dies, 60000), -EPIPE);
	assert_int_equal(aside_run(&a, &never, 1), -ETIMEDOUT);
	assert_int_equal(aside_run(&a, &add, 60000), getpid());
	assert_int_equal(number, 43);
	aside_free(&a);
	while (waitpid(-1, NULL, 0) > 0)
		;
	fclose(f);
}

static int spin(void *arg __unused, const int *in __unused, int *out __unused)
{
	for (;;)
		;
	return 0;
}

static int needs_memory(void *arg __unused, const int *in __unused, int *out __unused)
{
	free(xmalloc(SIZE_MAX / 4));
	return 0;
}

/* What a walker may do: system calls, as bits of the answer. */
static int try_all(void *arg, const int *in __unused, int *out __unused)
{
	char byte = 0;
	int fd = walker_file(), *tried = arg;
	struct stat st;

	*tried = (fd >= 0 && pread(fd, &byte, 1, 0) == 1) |
		 (open("/etc/passwd", O_RDONLY) >= 0) << 1 |
		 (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) << 2 | (fork() >= 0) << 3 |
		 (mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED) << 4 |
		 (!kill(getppid(), 0)) << 5 | (!stat("/etc/passwd", &st)) << 6;
	aside_window()[0] = byte;
	return 0;
}

/* What the opener gives to a walker that asks for a path: a bit for each. */
static int asks_for_files(void *arg, const int *in __unused, int *out __unused)
{
	static const char *const paths[] = { "/bin/sh", "/etc/passwd", "/tmp/perf-unit-core" };
	int *given = arg;
	struct stat st;
	u32 i;

	*given = 0;
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		*given |= (host_open(&(struct mapped){ .path = paths[i] }, &st) >= 0) << i;
	return 0;
}

TEST(gives_walkers_programs_alone)
{
	static const Elf64_Ehdr core = { .e_ident = ELFMAG, .e_type = ET_CORE };
	int given = -1;
	struct host *h = host_create();
	struct aside *w = host_walker(h);
	struct aside_call asks = { .fn = asks_for_files, .arg = &given, .size = sizeof(given) };
	FILE *f = fopen("/tmp/perf-unit-core", "w");

	fwrite(&core, sizeof(core), 1, f);
	fclose(f);
	assert_int_equal(aside_run(w, &asks, 60000), 0);
	assert_int_equal(given, 1);
	unlink("/tmp/perf-unit-core");
	host_done(h, w);
	host_free(h);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

TEST(confines_walkers)
{
	int tried = -1;
	struct host *h = host_create();
	struct aside *w = host_walker(h);
	struct aside_call all = { .fn = try_all, .arg = &tried, .size = sizeof(tried) };
	struct aside_call dies = { .fn = spin, .arg = &tried, .size = sizeof(tried), .cpu_ms = 1 };
	struct aside_call large = { .fn = needs_memory, .arg = &tried, .size = sizeof(tried) };
	FILE *f = tmpfile();

	fputs("x", f);
	fflush(f);
	assert_int_equal(aside_run(w, &large, 60000), -EPIPE);
	assert_int_equal(aside_start(w), 0);
	assert_int_equal(walker_send(w->wire, fileno(f)), 0);
	assert_int_equal(aside_run(w, &all, 60000), 0);
	/* Root's has no file system; another user's may see that a file is there. */
	assert_int_equal(tried & ~(geteuid() ? 1 << 6 : 0), 1);
	assert_int_equal(w->window[0], 'x');
	assert_int_equal(aside_run(w, &dies, 60000), -ETIME);
	/* Its successor has no file. */
	assert_int_equal(aside_run(w, &all, 60000), 0);
	assert_int_equal(tried & 1, 0);
	host_done(h, w);
	host_free(h);
	while (waitpid(-1, NULL, 0) > 0)
		;
	fclose(f);
}

/* ROOT/a/b with links: what they mean below that root. */
TEST(opens_within_a_root)
{
	static const struct { const char *path; int flags, want;
	} t[] = {
		{ "/a/b", 0, 0 },
		{ "a/./b", 0, 0 },
		{ "../../a/b", 0, 0 },
		{ "/absolute", 0, 0 },
		{ "/up", 0, 0 },
		{ "/a/up", 0, 0 },
		{ "/a/b/", 0, -ENOTDIR },
		{ "/absolute", O_DIRECTORY, -ENOTDIR },
		{ "/loop", 0, -ELOOP },
		{ "/out", 0, -ENOENT },
		{ "/none", 0, -ENOENT },
		{ "/a", O_DIRECTORY, 0 },
		{ "/loop", O_NOFOLLOW, 0 },
	};
	char root[] = "/tmp/perf-unit-XXXXXX", command[256];
	u32 i;
	int dir, fd;

	assert_non_null(mkdtemp(root));
	snprintf(command, sizeof(command), "cd %s && mkdir a && echo x > a/b && ln -s /a/b absolute && ln -s ../../../a/b up && "
		 "ln -s ../up a/up && ln -s loop loop && ln -s /etc/passwd out", root);
	assert_int_equal(system(command), 0);
	dir = open(root, O_PATH);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		fd = host_within(dir, t[i].path, t[i].flags);
		assert_int_equal(min(fd, 0), t[i].want);
		if (fd >= 0)
			close(fd);
	}
	close(dir);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	verbose = -1;
	return unit_run(NULL, NULL);
}
