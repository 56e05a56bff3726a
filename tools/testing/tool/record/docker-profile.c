// SPDX-License-Identifier: GPL-2.0
/*
 * docker-profile COMMAND...: runs the command under the system calls that Docker's default seccomp
 * profile allows to a container without added capabilities; others return EPERM, clone3() ENOSYS.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR(n) SYS_##n
#define NEW_NAMESPACES	0x7e020000	/* flags of clone() */

static const int allowed[] = {
	NR(accept), NR(accept4), NR(access), NR(adjtimex), NR(alarm), NR(arch_prctl),
	NR(bind), NR(brk), NR(capget), NR(capset), NR(chdir), NR(chmod), NR(chown),
	NR(chroot), NR(clock_adjtime), NR(clock_getres), NR(clock_gettime),
	NR(clock_nanosleep), NR(close), NR(close_range), NR(connect), NR(copy_file_range),
	NR(creat), NR(dup), NR(dup2), NR(dup3), NR(epoll_create), NR(epoll_create1),
	NR(epoll_ctl), NR(epoll_pwait), NR(epoll_pwait2), NR(epoll_wait), NR(eventfd),
	NR(eventfd2), NR(execve), NR(execveat), NR(exit), NR(exit_group), NR(faccessat),
	NR(faccessat2), NR(fadvise64), NR(fallocate), NR(fanotify_mark), NR(fchdir),
	NR(fchmod), NR(fchmodat), NR(fchown), NR(fchownat), NR(fcntl), NR(fdatasync),
	NR(fgetxattr), NR(flistxattr), NR(flock), NR(fork), NR(fremovexattr), NR(fsetxattr),
	NR(fstat), NR(fstatfs), NR(fsync), NR(ftruncate), NR(futex), NR(futimesat),
	NR(getcpu), NR(getcwd), NR(getdents), NR(getdents64), NR(getegid), NR(geteuid),
	NR(getgid), NR(getgroups), NR(getitimer), NR(getpeername), NR(getpgid), NR(getpgrp),
	NR(getpid), NR(getppid), NR(getpriority), NR(getrandom), NR(getresgid),
	NR(getresuid), NR(getrlimit), NR(get_robust_list), NR(getrusage), NR(getsid),
	NR(getsockname), NR(getsockopt), NR(get_thread_area), NR(gettid), NR(gettimeofday),
	NR(getuid), NR(getxattr), NR(inotify_add_watch), NR(inotify_init), NR(inotify_init1),
	NR(inotify_rm_watch), NR(io_cancel), NR(ioctl), NR(io_destroy), NR(io_getevents),
	NR(io_pgetevents), NR(ioprio_get), NR(ioprio_set), NR(io_setup), NR(io_submit),
	NR(kill), NR(landlock_add_rule), NR(landlock_create_ruleset),
	NR(landlock_restrict_self), NR(lchown), NR(lgetxattr), NR(link), NR(linkat),
	NR(listen), NR(listxattr), NR(llistxattr), NR(lremovexattr), NR(lseek),
	NR(lsetxattr), NR(lstat), NR(madvise), NR(membarrier), NR(memfd_create), NR(mincore),
	NR(mkdir), NR(mkdirat), NR(mknod), NR(mknodat), NR(mlock), NR(mlock2), NR(mlockall),
	NR(mmap), NR(modify_ldt), NR(mprotect), NR(mq_getsetattr), NR(mq_notify),
	NR(mq_open), NR(mq_timedreceive), NR(mq_timedsend), NR(mq_unlink), NR(mremap),
	NR(msgctl), NR(msgget), NR(msgrcv), NR(msgsnd), NR(msync), NR(munlock),
	NR(munlockall), NR(munmap), NR(name_to_handle_at), NR(nanosleep), NR(newfstatat),
	NR(open), NR(openat), NR(openat2), NR(pause), NR(pidfd_open), NR(pidfd_send_signal),
	NR(pipe), NR(pipe2), NR(pkey_alloc), NR(pkey_free), NR(pkey_mprotect), NR(poll),
	NR(ppoll), NR(prctl), NR(pread64), NR(preadv), NR(preadv2), NR(prlimit64),
	NR(process_mrelease), NR(process_vm_readv), NR(process_vm_writev), NR(pselect6),
	NR(ptrace), NR(pwrite64), NR(pwritev), NR(pwritev2), NR(read), NR(readahead),
	NR(readlink), NR(readlinkat), NR(readv), NR(recvfrom), NR(recvmmsg), NR(recvmsg),
	NR(remap_file_pages), NR(removexattr), NR(rename), NR(renameat), NR(renameat2),
	NR(restart_syscall), NR(rmdir), NR(rseq), NR(rt_sigaction), NR(rt_sigpending),
	NR(rt_sigprocmask), NR(rt_sigqueueinfo), NR(rt_sigreturn), NR(rt_sigsuspend),
	NR(rt_sigtimedwait), NR(rt_tgsigqueueinfo), NR(sched_getaffinity), NR(sched_getattr),
	NR(sched_getparam), NR(sched_get_priority_max), NR(sched_get_priority_min),
	NR(sched_getscheduler), NR(sched_rr_get_interval), NR(sched_setaffinity),
	NR(sched_setattr), NR(sched_setparam), NR(sched_setscheduler), NR(sched_yield),
	NR(seccomp), NR(select), NR(semctl), NR(semget), NR(semop), NR(semtimedop),
	NR(sendfile), NR(sendmmsg), NR(sendmsg), NR(sendto), NR(setfsgid), NR(setfsuid),
	NR(setgid), NR(setgroups), NR(setitimer), NR(setpgid), NR(setpriority), NR(setregid),
	NR(setresgid), NR(setresuid), NR(setreuid), NR(setrlimit), NR(set_robust_list),
	NR(setsid), NR(setsockopt), NR(set_thread_area), NR(set_tid_address), NR(setuid),
	NR(setxattr), NR(shmat), NR(shmctl), NR(shmdt), NR(shmget), NR(shutdown),
	NR(sigaltstack), NR(signalfd), NR(signalfd4), NR(socket), NR(socketpair), NR(splice),
	NR(stat), NR(statfs), NR(statx), NR(symlink), NR(symlinkat), NR(sync),
	NR(sync_file_range), NR(syncfs), NR(sysinfo), NR(tee), NR(tgkill), NR(time),
	NR(timer_create), NR(timer_delete), NR(timer_getoverrun), NR(timer_gettime),
	NR(timer_settime), NR(timerfd_create), NR(timerfd_gettime), NR(timerfd_settime),
	NR(times), NR(tkill), NR(truncate), NR(umask), NR(uname), NR(unlink), NR(unlinkat),
	NR(utime), NR(utimensat), NR(utimes), NR(vfork), NR(vmsplice), NR(wait4), NR(waitid),
	NR(write), NR(writev),
};

#define NR_ALLOWED	(sizeof(allowed) / sizeof(*allowed))

int main(int argc, char **argv)
{
	const struct sock_filter last[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_filter code[1 + 2 * NR_ALLOWED + sizeof(last) / sizeof(*last)] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	}, *c = code + 1;
	struct sock_fprog filter = { .filter = code };
	unsigned int i;

	for (i = 0; i < NR_ALLOWED; i++) {
		*c++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
		*c++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	memcpy(c, last, sizeof(last));
	filter.len = sizeof(code) / sizeof(*code);
	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		fprintf(stderr, "usage: docker-profile COMMAND...\n");
		return 125;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
