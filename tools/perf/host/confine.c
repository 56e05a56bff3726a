// SPDX-License-Identifier: GPL-2.0
/* The list of system calls is short: malloc(), clocks, reading of open files, two sockets. */
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/memory_limit.h"
#include "host/host.h"

#define NOBODY	65534
#define BUDGET_NS	1000000000ULL
#define TIME_NS		50000ULL

#if defined(__x86_64__)
#define ARCH	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH	AUDIT_ARCH_AARCH64
#endif

static const u16 allowed[] = {
	SYS_read,	SYS_pread64,	  SYS_lseek, SYS_recvmsg,      SYS_sendmsg,
	SYS_close,	SYS_dup,	  SYS_fstat,
#ifdef SYS_newfstatat
	SYS_newfstatat,
#endif
	SYS_fcntl,	SYS_getdents64,	  SYS_brk,   SYS_munmap,       SYS_mremap,
	SYS_mprotect,	SYS_madvise,	  SYS_futex, SYS_sysinfo,      SYS_clock_gettime,
	SYS_getpid,	SYS_memfd_create, SYS_write, SYS_rt_sigreturn, SYS_exit_group,
};

static struct sock_filter stmt(u16 code, u32 k)
{
	return (struct sock_filter)BPF_STMT(code, k);
}

static struct sock_filter jump(u16 code, u32 k, u8 yes, u8 no)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_K | code, k, yes, no);
}

/* Return: 0, or -errno. */
static int filter_calls(void)
{
#ifdef ARCH
	struct sock_filter f[ARRAY_SIZE(allowed) + 16];
	struct sock_fprog program = { .filter = f };
	const u32 nr = ARRAY_SIZE(allowed);
	u32 n = 0, i;

	f[n++] = stmt(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	f[n++] = jump(BPF_JEQ, ARCH, 1, 0);
	f[n++] = stmt(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	f[n++] = stmt(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < nr; i++)
		f[n++] = jump(BPF_JEQ, allowed[i], nr - i + 3, 0);
	/* mmap() of memory alone, not of files */
	f[n++] = jump(BPF_JEQ, SYS_mmap, 0, 2);
	f[n++] = stmt(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3]));
	f[n++] = jump(BPF_JSET, MAP_ANONYMOUS, 1, 0);
	f[n++] = stmt(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	f[n++] = stmt(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	/* A kernel without CONFIG_SECCOMP does not know the question. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    (!prctl(PR_GET_SECCOMP) && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))
		return -errno;
#endif
	return 0;
}

/* Root becomes nobody, without a file system; in a user namespace without nobody it stays. */
static int leave_rights(void)
{
	if (geteuid())
		return 0;
	/* The folder of a process's own descriptors has nothing else in it. */
	if (chroot("/proc/self/fdinfo") || chdir("/"))
		return -errno;
	return setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	       setresuid(NOBODY, NOBODY, NOBODY) ? -errno : 0;
}

static int open_asked(const char *path, struct stat *st)
{
	const char *number = strstr(path, "/fd/");
	int fd;

	if (!number || strncmp(path, "/proc/", 6))
		return host_open(&(struct mapped){ .path = path }, st);
	/* What is open here already. */
	fd = dup(atoi(number + 4));
	return fd >= 0 && fstat(fd, st) ? -errno : fd;
}

void confine(void)
{
	const struct rlimit none = { 0, 0 }, size = { ASIDE_WINDOW, ASIDE_WINDOW };
	struct rlimit files;

	memory_limit_forked();
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	setrlimit(RLIMIT_FSIZE, &size);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_NPROC, &none);
	io_open_regular = open_asked;
	/* It must not go on with the rights that it has. */
	if (leave_rights() || filter_calls())
		_exit(1);
}

/* Return: the answer's number. */
static int ask(enum confined_kind kind, const struct mapped *m)
{
	static struct confined_question q;

	q.kind = kind;
	q.m = *m;
	snprintf(q.path, sizeof(q.path), "%s", m->path ?: "");
	return aside_ask(&q, sizeof(q));
}

static void set_file(const char *path)
{
	struct aside_page *page = aside_page();

	snprintf(page->file, sizeof(page->file), "%s", path);
	__atomic_add_fetch(&page->progress, 1, __ATOMIC_RELAXED);
}

int host_open(const struct mapped *m, struct stat *st)
{
	int fd;

	if (!aside_window())
		return mapped_open(m, st);
	set_file(m->path);
	fd = ask(CONFINED_FILE, m) ?: walker_file();
	set_file("");
	return fd >= 0 && fstat(fd, st) ? -errno : fd;
}

int host_open_maps(u32 pid, char *root)
{
	int fd;

	if (!aside_window())
		return maps_of_process(pid, root);
	fd = ask(CONFINED_MAPS, &(struct mapped){ .pid = pid }) ?: walker_file();
	memcpy(root, aside_page()->reply, PATH_MAX);
	return fd;
}

int host_read_code(u32 pid, u64 addr, u8 code[PLAIN_CODE])
{
	int err;

	if (!aside_window())
		return own_code(pid, addr, code);
	err = ask(CONFINED_CODE, &(struct mapped){ .pid = pid, .start = addr });
	if (!err)
		memcpy(code, aside_page()->reply, PLAIN_CODE);
	return err;
}

bool host_reading(struct host_budget *b, const char *path)
{
	if (!aside_window())
		return true;
	if (!b->used_up && b->ns > BUDGET_NS + b->times * TIME_NS) {
		b->used_up = true;
		ask(CONFINED_LEFT_OUT, &(struct mapped){ .path = path });
	}
	if (b->used_up)
		return false;
	b->times++;
	b->began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	set_file(path);
	return true;
}

void host_read(struct host_budget *b)
{
	if (!aside_window())
		return;
	b->ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - b->began;
	set_file("");
}

DIR *host_processes(void)
{
	int fd;

	if (!aside_window())
		return opendir("/proc");
	fd = ask(CONFINED_PROCESSES, &(struct mapped){ 0 }) ?: walker_file();
	return fd < 0 ? NULL : fdopendir(fd);
}
