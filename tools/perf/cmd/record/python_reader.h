/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --call-graph live: the Python functions of samples, read by a thread that is bound to the
 * sample's CPU and woken by it, so that the sampled one stands still; kept if the top of its stack
 * is still that of the copy.
 */
#ifndef PERF_CMD_RECORD_PYTHON_READER_H
#define PERF_CMD_RECORD_PYTHON_READER_H

#include "base/outbuf.h"
#include "event/event.h"
#include "measure/rings.h"
#include "runtime/python.h"

struct host;
struct python_reader;

/*
 * The Python functions of a sample. In .words for each call of the evaluator: the address of its
 * frame, the number of its functions, and these, as entries of a callchain by the BPF program.
 */
struct python_sample {
	u32 nr_words;
	u64 words[3 * WALK_PYTHON_FRAMES];
};

/*
 * python_reader_create - look for interpreters in the measured processes; threads that read start
 * with the first one. @events: layouts of the samples with copies, whose stacks are compared;
 * @is_fed: nobody is signalled or watched: python_reader_feed() and _mapped() are called. Return:
 * the reader; NULL: mappings cannot be watched, or the machine is no x86-64.
 */
struct python_reader *python_reader_create(struct host *host, const struct rings *rings,
					   const struct event_list *events, bool is_fed);

/*
 * python_reader_feed - read the Python functions of a thread that does not run, for its sample of
 * @time; @copy: of its stack; @r: may be NULL. Return: 0, or -errno: a later call may read them.
 * Context: one thread.
 */
int python_reader_feed(struct python_reader *r, u32 pid, u32 tid, u64 time,
		       const struct python_memory *copy);

/* python_reader_mapped - a process has new code; @by_exec: and nothing else. @r may be NULL */
void python_reader_mapped(struct python_reader *r, u32 pid, bool by_exec);

/* python_reader_signals - does each sample send a signal, as an interpreter was found? */
bool python_reader_signals(const struct python_reader *r);

/*
 * python_reader_take - set @s to the Python functions of a sample, by its thread and time. Return:
 * false: it has none. Called once for each sample, as those that were not read are counted.
 */
bool python_reader_take(struct python_reader *r, u32 pid, u32 tid, u64 time,
			struct python_sample *s);

/* python_reader_codes - pass each new code object, a struct walk_code, to @fn() */
void python_reader_codes(void *reader, int (*fn)(void *ctx, void *code, size_t size), void *ctx);

/*
 * python_reader_text - append how many samples have no Python functions, and why; @r: may be NULL;
 * @ran_on: samples whose stack contradicted what was taken
 */
void python_reader_text(struct python_reader *r, u64 ran_on, struct outbuf *o);

/* python_reader_free - end the threads; @r may be NULL */
void python_reader_free(struct python_reader *r);

#endif /* PERF_CMD_RECORD_PYTHON_READER_H */
