/* SPDX-License-Identifier: GPL-2.0 */
/* Records of tasks and mappings older than the recording, at time 0, in the kernel's layouts. */
#ifndef PERF_SYNTH_SYNTH_H
#define PERF_SYNTH_SYNTH_H

#include <sys/types.h>

#include "base/hash.h"
#include "base/outbuf.h"
#include "event/records.h"
#include "host/host.h"

/* A mapping, from /proc/PID/maps. */
struct synth_map {
	struct mapped file;	/* .inode 0: none */
	size_t path_len;
	u64 offset;
	u32 prot, flags;
	u32 major, minor;	/* of the device */
	bool idle;		/* all threads of the process sleep; or it is ours */
};

struct synth {
	struct outbuf out;	/* the records */
	u32 id_size;		/* of the sample_id after each record, all zeroes */
	bool build_ids;		/* map records carry build-ids */
	bool namespaces, cgroups;
	bool data_maps;		/* also record mappings without code */
	bool no_tasks;		/* omit tasks; only their cgroups, if requested */
	bool no_maps;		/* omit the mappings of tasks */
	void (*on_code)(void *arg, const struct synth_map *m);	/* NULL, or gets each with code */
	void *arg;
	/* work space */
	struct hash files;	/* (device, inode) -> index of a build-id + 1 */
	struct file_id { u8 size, id[BUILD_ID_MAX]; } *ids;
	u32 nr_ids, cap_ids;
	struct host *host;	/* reads build-ids of files of processes; NULL: none are read */
	char *buf;
	size_t buf_size;
	bool idle;		/* of the current process, as in struct synth_map */
	struct hash cgroups_seen;
	u32 restricted;		/* /proc/kallsyms shows no addresses */
};

/* synth_init - initialise; @attr: attributes of the event whose sample_id the records have */
void synth_init(struct synth *s, const struct perf_event_attr *attr);
/* synth_deinit - free everything */
void synth_deinit(struct synth *s);
/* synth_process - a process and its threads, with @maps its maps, as far as they do not exit */
void synth_process(struct synth *s, pid_t pid, bool maps);
/* synth_thread - the name of a thread, behind its fork if it @is_new; @s: the records are appended */
void synth_thread(struct synth *s, pid_t pid, pid_t tid, bool is_new);
/*
 * synth_stat - read /proc/PID/task/TID/stat into @text, as much as its @size; @name: set to the
 * thread's name there. Return: the fields behind the name: "S 1 ..."; NULL: no such thread.
 */
char *synth_stat(pid_t pid, pid_t tid, char *text, size_t size, const char **name);
/* synth_all - every process of the system; @s: the records are appended */
void synth_all(struct synth *s);
/* synth_threads - the processes of threads; @s: the records are appended */
void synth_threads(struct synth *s, const pid_t *tids, u32 nr);
/* synth_process_of - the process of a thread; 0 if it has exited */
pid_t synth_process_of(pid_t tid);
/* synth_workload - a command that was forked but not executed yet; @s: the records are appended */
void synth_workload(struct synth *s, pid_t pid);
/* synth_kernel - the kernel's own map and those of its modules; @s: the records are appended */
void synth_kernel(struct synth *s);
/* synth_bpf - BPF programs that are loaded: KSYMBOL and BPF_EVENT; @s: the records are appended */
void synth_bpf(struct synth *s);

/* Private to synth/: */

/* synth_maps - the maps of one process */
void synth_maps(struct synth *s, pid_t pid);
/* synth_slurp - read a file of procfs into the buffer, with NUL. Return: bytes, or -errno. */
ssize_t synth_slurp(struct synth *s, const char *path);
/* synth_begin - begin a record. Return: its offset in @s->out, for synth_end(). */
size_t synth_begin(struct synth *s, u32 type, u16 misc);
/* synth_fixed - the same, with its fixed part: a struct of event/records.h */
size_t synth_fixed(struct synth *s, const struct perf_event_header *rec);
void synth_put(struct synth *s, const void *p, size_t n);
/* synth_string - a string with its NUL, padded to 8 */
void synth_string(struct synth *s, const char *str, size_t len);
/* synth_end - end a record, and drop it if longer than a u16 tells; @with_id: with a sample_id */
void synth_end(struct synth *s, size_t at, bool with_id);

/* build_id_read - an ELF file's build-id, from its notes. Return: bytes, 20 at most; 0: none. */
u8 build_id_read(const char *path, u8 *id);
/* build_id_of_file - the same for an open file */
u8 build_id_of_file(int fd, u8 *id);

/*
 * build_id_of_mapped - the same, of a file of another process; of one not root's or ours only the
 * first page is read. 0 also if its file system does not answer
 */
u8 build_id_of_mapped(struct host *h, const struct mapped *m, u8 *id);

#define KERNEL_NOTES "/sys/kernel/notes"	/* of the running kernel */

/* build_id_of_notes - the build ID in a file of notes in sysfs. Return: its length; 0: none */
u8 build_id_of_notes(const char *path, u8 *id);

#endif /* PERF_SYNTH_SYNTH_H */
