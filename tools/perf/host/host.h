/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What opens files of other processes while perf records, or serves tables. No such file is opened,
 * read or parsed in the process that records:
 *
 *	opener	has our rights and no parser. It finds and opens one file for one process, and
 *		reads no more than its first page, but for copies into perf's caches.
 *	walker	has no rights and no file system. Everything that parses a file runs there. It gets
 *		descriptors from an opener through the recorder, which answers its questions.
 *
 * Both are children that a call may cost: if the server of a file system (FUSE, NFS) hangs, not
 * even SIGKILL ends a caller. A child that does not answer in time is killed, abandoned and
 * replaced. Its file system is remembered by the device, for all callers, and not asked again.
 */
#ifndef PERF_HOST_HOST_H
#define PERF_HOST_HOST_H

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/hash.h"
#include "base/plain_frame.h"
#include "base/types.h"

struct host;

/* Children: aside.c */

#define ASIDE_ARG_MAX	8192
#define ASIDE_FDS	3
#define ASIDE_WINDOW	(1ULL << 30)	/* bytes of address space; memory as far as they are used */

/* Shared with the child. Nothing that a walker writes there is believed. */
struct aside_page {
	u64 device;		/* an opener: the file system that it asks */
	u64 progress;		/* a walker: counted up; the time limits begin anew */
	char file[4096];	/* a walker: the file that it reads */
	char reply[4096];	/* a walker: what an answer has beside its number */
};

/* File systems that do not answer: written once, their number last. */
#define MAX_SILENT 32
struct aside_silent {
	u64 devices[MAX_SILENT];
	u32 nr;
	bool local;		/* ask no others than block devices */
};

struct aside {
	pid_t pid;		/* of the child; 0: none runs */
	int socket;
	u64 until; /* time in ms when the call is given up; atomic: others may lower it */
	bool ending;		/* atomic: it is not raised again */
	struct aside_page *page;
	const struct aside_silent *silent;	/* shared with the children; NULL: none is known */
	/* of a walker */
	bool is_walker;
	void (*confine)(void);	/* has the child give up its rights */
	int wire;		/* files are sent there */
	char *window;		/* memory shared with the child */
	int (*answer)(struct aside *a, void *question, void *ctx);	/* NULL: nothing */
	void *ctx;
};

/* What the child is asked to do. */
struct aside_call {
	/*
	 * Runs in the child, without standard input and output. It may set @out to a descriptor for
	 * the caller. Return: for aside_run(); not -ETIMEDOUT.
	 */
	int (*fn)(void *arg, const int *in, int *out);
	void *arg;		/* copied to the child and back */
	u32 size;		/* of @arg, at most ASIDE_ARG_MAX */
	int in[ASIDE_FDS];	/* descriptors of the caller's that @fn gets */
	u32 nr_in;
	int out;		/* set to the descriptor of @fn, or to -1; always -1 of a walker */
	u32 cpu_ms;		/* processor time that it may take; 0: any */
};

/*
 * aside_run - have a function called in the child, forked at the first call with the memory of that
 * moment; @a: zeroed first, but what a walker needs; used by one thread at a time; @ms: how long to
 * wait. Closing a descriptor of a file system that hangs may wait, too: functions open with O_PATH
 * what they hand out, and close the rest. Return: the function's value; -ETIMEDOUT: no answer in
 * time; -ETIME: no answer in its processor time; -EPIPE: the child died; or another -errno.
 */
int aside_run(struct aside *a, struct aside_call *c, int ms);
/* aside_start - start the child if none runs. Return: 0, or -errno */
int aside_start(struct aside *a);
/* aside_ask - in a walker: ask the caller of the function. Return: what .answer returned */
int aside_ask(const void *question, u32 size);
/* aside_page - in the child: its page; NULL: this is no child */
struct aside_page *aside_page(void);

/*
 * aside_may_ask - in an opener: note which file system is asked next, its st_dev; 0: none. Return:
 * false: it did not answer before. Elsewhere always true.
 */
bool aside_may_ask(u64 device);
/* aside_window - in a walker: its window */
char *aside_window(void);

/* walker_file - in a walker: the file that an opener has sent, for reading; -errno */
int walker_file(void);
/* walker_send - in an opener: send a walker a file; @wire: struct aside's; @fd: stays open here */
int walker_send(int wire, int fd);

/* aside_end - have the child end, without waiting; aside_deinit() or aside_free() follows */
void aside_end(struct aside *a);
/* aside_deinit - end the child; abandoned children are killed and may outlive us */
void aside_deinit(struct aside *a);
/* aside_free - the same, and free the memory shared with it */
void aside_free(struct aside *a);

/* The pool of children: host.c */

/* host_create - no child runs yet */
struct host *host_create(void);
void host_free(struct host *h);
/* host_end - time in ms when calls of host_ending() are given up; 0: it was not called */
u64 host_end(struct host *h);
/* host_ending - the recording ends: calls wait for a second altogether, and then for 0.1 s each */
void host_ending(struct host *h);

/*
 * host_run - have an opener make a call; @pid, @path: the file's, for the one message for its file
 * system. Return: as aside_run(); -ETIMEDOUT also if it did not answer before. Context: any thread.
 */
int host_run(struct host *h, u32 pid, const char *path, struct aside_call *c);
/* host_walker - take a walker for this thread, until host_done(); NULL: too many are taken */
struct aside *host_walker(struct host *h);
void host_done(struct host *h, struct aside *a);
/* host_walker_init - make a walker of one's own, which aside_free() ends */
void host_walker_init(struct host *h, struct aside *a);

/*
 * host_walker_failed - a walker's call had no answer: the file that it was reading is left out; if
 * it died (@err is -EPIPE), perhaps killed by somebody, when it happens again
 */
void host_walker_failed(struct host *h, struct aside *a, int err);
/* host_walker_fd - an opener sends a walker a file, for reading: walker_file() */
int host_walker_fd(struct host *h, struct aside *walker, u32 pid, const char *path, int place);

/*
 * Files that other processes name: in another mount namespace or root, on an overlay, deleted,
 * unnamed (open.c). Paths are resolved name by name, to know which file system is asked.
 */

struct mapped {
	pid_t pid;		/* 0: no process, @path is to be opened */
	u64 start, end;		/* of the mapping; both 0: not known */
	u64 inode;		/* 0: not known */
	const char *path;	/* as the process or the kernel calls it */
};

/*
 * host_within - open a path below a process's root (O_PATH; -1: ours); @flags: O_DIRECTORY,
 * O_NOFOLLOW. Return: an O_PATH descriptor; -ESTALE: its file system does not answer; -errno.
 */
int host_within(int root, const char *path, int flags);

/*
 * mapped_find - open a mapping's file, O_PATH: for root by /proc/PID/map_files, else by its name
 * below the process's root or, when that has gone, ours; another inode is another file. Return: a
 * descriptor; -ENOENT: no name leads to it; -ENOEXEC: no regular file; as host_within().
 */
int mapped_find(const struct mapped *m, struct stat *st);
/* mapped_open - the same, for reading */
int mapped_open(const struct mapped *m, struct stat *st);

/*
 * place_ask - the file system of an O_PATH descriptor is asked next. Return: the file's type,
 * S_IFMT bits; -ESTALE: it does not answer; or another -errno.
 */
int place_ask(int place);
/* place_read - open an O_PATH descriptor of a regular file for reading; -errno */
int place_read(int place, struct stat *st);

/* own_process - is it our user's? Others' memory only openers read. 0; -EPERM: another's; -ESRCH */
int own_process(u32 pid);
/* own_code - read the code of a process. Return: 0; as own_process(); or another -errno */
int own_code(u32 pid, u64 addr, u8 code[PLAIN_CODE]);

/* maps_of_process - open a process's list of mappings; @root: PATH_MAX bytes, its root; "": ours */
int maps_of_process(u32 pid, char *root);

/* Files in a walker: confine.c */

/*
 * confine - give up all rights, for good: root becomes nobody, in an empty root folder. No new
 * privileges, no writing of files, no core, and no system call but confine.c's; others fail with
 * EPERM. open_regular() and the functions below then ask the caller (aside_ask()).
 */
void confine(void);

/* What a walker asks: aside_ask(). */
enum confined_kind {
	CONFINED_FILE,
	CONFINED_MAPS,
	CONFINED_PROCESSES,
	CONFINED_CODE,
	CONFINED_LEFT_OUT,
};

struct confined_question {
	enum confined_kind kind;
	struct mapped m;		/* .path: not used */
	/* set by the answer: the root of process .m.pid; or its code from address .m.start on */
	char path[4096];
};

/* host_open - as mapped_open(), in a walker, too */
int host_open(const struct mapped *m, struct stat *st);
/* host_open_maps - as maps_of_process(), in a walker, too */
int host_open_maps(u32 pid, char *root);
/* host_read_code - as own_code(), in a walker, too */
int host_read_code(u32 pid, u64 addr, u8 code[PLAIN_CODE]);

/* What a walker spends on a file. Zeroed at first. */
struct host_budget {
	u64 ns, began;
	u32 times;
	bool used_up;
};

/*
 * host_reading - in a walker: begin to read an open file; @b: a second, and 50 us each time; @path:
 * who is left out if the walker dies. False: it is used up, and the recorder has said so.
 */
bool host_reading(struct host_budget *b, const char *path);
/* host_read - end it */
void host_read(struct host_budget *b);
/* host_processes - open /proc, to list the processes; NULL: errno says why not */
DIR *host_processes(void);

/* A location: a mount namespace and a root in it. Open while a known process lives there. */
struct fs_place {
	u64 ns, device, inode;	/* of the namespace; of the root */
	int ns_fd, root;	/* O_PATH; both -1 in a free slot */
	bool here;		/* it is our own */
	u32 nr_processes;
	u32 left;		/* round in which its last process exited */
};

/* Zeroed at first, but @host. */
struct places {
	struct host *host;
	struct fs_place *v;
	u32 nr, cap;
	struct hash processes;	/* pid -> index in @v + 1 */
	u32 round;
};

/* places_get - a process's location, until places_round(); NULL: it exited or can't be inspected */
struct fs_place *places_get(struct places *p, u32 pid);
/* places_forget - the process has exited or executed another program, perhaps with another root */
void places_forget(struct places *p, u32 pid);
/* places_round - the records of a round are processed: close locations without processes */
void places_round(struct places *p);
void places_deinit(struct places *p);

#endif /* PERF_HOST_HOST_H */
