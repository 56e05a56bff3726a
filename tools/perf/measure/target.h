/* SPDX-License-Identifier: GPL-2.0 */
/* The targets of a recording: CPUs and threads. */
#ifndef PERF_MEASURE_TARGET_H
#define PERF_MEASURE_TARGET_H

#include <sys/types.h>

#include "base/error.h"
#include "base/types.h"

struct cpu_list {
	s32 *v;			/* ascending; { -1 }: any CPU */
	u32 nr, cap;
};

struct thread_list {
	pid_t *v;		/* { -1 }: all threads */
	u32 nr, cap;
};

/* cpu_list_parse - add the CPUs of "0-3,8", sorted, without duplicates. Return: 0, or -EINVAL. */
int cpu_list_parse(const char *text, struct cpu_list *list);
/* cpu_list_online - get the online CPUs; @list: they are added to it */
void cpu_list_online(struct cpu_list *list);
bool cpu_list_has(const struct cpu_list *list, s32 cpu);
void cpu_list_add(struct cpu_list *list, s32 cpu);

/* thread_list_add_process - add all threads of a process. Return: 0, or -ESRCH */
int thread_list_add_process(struct thread_list *list, pid_t pid);

/* proc_is_ours - are the numbers of /proc those of perf's own PID namespace? */
bool proc_is_ours(void);

/* thread_list_has - is @tid in the list? */
bool thread_list_has(const struct thread_list *list, pid_t tid);
/* thread_list_add_user - add all threads of a user's processes that the caller may measure */
void thread_list_add_user(struct thread_list *list, uid_t uid);
void thread_list_add(struct thread_list *list, pid_t tid);
/* thread_list_parse - append "123,456" of -p or -t; @processes: all threads of these */
struct error *thread_list_parse(struct thread_list *list, const char *text, bool processes);

#endif /* PERF_MEASURE_TARGET_H */
