/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps through code one instruction at a time, keeps a second stack of its
 * return addresses, and compares it with two walks at each instruction: of the
 * code itself, and of the signal handler that interrupted it there.
 */
#ifndef TABLES_STEP_H
#define TABLES_STEP_H

#include "frames.h"

struct step_result {
	int stops;	/* instructions */
	int samples;	/* of both walks */
	int wrong;
	int cut;	/* right up to a frame from which the table does not lead on */
	int unclear;	/* stops at which a return address was no longer where it was put */
	bool more;	/* the code goes on */
};

/* Instructions @first to @first + STEP_MAX of run(arg). */
#define STEP_MAX	5000
struct step_result step_through(void (*run)(void *arg), void *arg, int first);

/* run(arg) on a stack of its own, whose outermost return address is base_ip. */
void base_run(void (*run)(void *arg), void *arg);
extern const char base_ip[];

#endif
