/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The targets of a recording: CPUs and threads.
 */
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
	pid_t *v;		/* { -1 }: everyone */
	u32 nr, cap;
};

/**
 * cpu_list_parse() - "0-3,8"
 * @text: the list
 * @list: where it is appended, sorted, each once
 *
 * Return: 0, or -EINVAL.
 */
int cpu_list_parse(const char *text, struct cpu_list *list);

/**
 * cpu_list_online() - the CPUs that are online
 * @list: where they are appended
 */
void cpu_list_online(struct cpu_list *list);

bool cpu_list_has(const struct cpu_list *list, s32 cpu);
void cpu_list_add(struct cpu_list *list, s32 cpu);

/**
 * thread_list_add_process() - all threads of a process
 * @list: where they are appended
 * @pid: the process
 *
 * Return: 0, or -ESRCH.
 */
int thread_list_add_process(struct thread_list *list, pid_t pid);

/**
 * thread_list_add_user() - all threads of a user's processes
 * @list: where they are appended
 * @uid: the user
 */
void thread_list_add_user(struct thread_list *list, uid_t uid);

void thread_list_add(struct thread_list *list, pid_t tid);

/**
 * thread_list_parse() - "123,456" as -p or -t take it
 * @list: where the threads are appended
 * @text: numbers, comma-separated
 * @processes: they are processes, all of whose threads are meant
 *
 * Return: NULL, or the error.
 */
struct error *thread_list_parse(struct thread_list *list, const char *text, bool processes);

#endif /* PERF_MEASURE_TARGET_H */
