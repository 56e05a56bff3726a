// SPDX-License-Identifier: GPL-2.0
/*
 * Requests, completions, resets and cancelling of deferred unwinding against NMIs,
 * interrupts and the exit path: a model of kernel/unwind/state.c and deferred.c. The inlines carry the names of the functions that
 * they mirror; every access to what is shared is a statement of its own, and
 * between any two of them an NMI or an interrupt may come in.
 *
 * One task with its CPU: Task is the task, Irq an interrupt on top of it (which
 * may request, or disable an event and so flush), Nmi an NMI on top of either.
 * An interrupt runs to its end before what it interrupted goes on: "provided".
 * Cancel runs on another CPU, side by side with all of them.
 *
 * Shown, for every interleaving of the bounded number of events:
 *  - no lost completion: when the task is back in user space, or has exited, every
 *    request that was accepted is completed, unless its client was cancelled;
 *  - no double completion: a callback runs only for a request that has not been
 *    completed;
 *  - no stale cookie: the callback has the cookie that the request was given,
 *    and two entries never have the same;
 *  - no walk while a signal changes the registers;
 *  - no callback once unwind_deferred_cancel() has returned, and none of a
 *    client's bit for the client that has it next;
 *  - the task gets back to user space: with -DSYNC an event that requests fires
 *    every time the task passes a callback, or the way from the last look at
 *    its flags to user space, and the number of rounds is bounded.
 *
 * -DMUTANT=n breaks the model in one place, see "make test-model": each mutant
 * must be caught, so that the checks are known to check.
 */
#ifndef MUTANT
#define MUTANT	0
#endif
#ifndef NMIS
#define NMIS	2
#endif
#ifndef IRQS
#define IRQS	1
#endif
#ifndef ENTRIES
#define ENTRIES	2
#endif
#ifndef OPS
#define OPS	1	/* what the task itself does in an entry */
#endif
#ifndef EVENTS
#define EVENTS	0	/* requests in callbacks and after the last look at the flags */
#endif

/* unwind_task_info::state */
#define PENDING	3	/* a bit each for clients 0 and 1 */
#define COOKIE	4
#define QUEUED	8
#define EXEC	16
#define LEAVING	32
#define SIGNAL	64
#define BIT(k)	(1 << (k))

byte state, cookie;
byte counter;		/* unwind_counter */
bool listed;		/* the work is in the task's list */
bool tif;		/* TIF_NOTIFY_RESUME */
bool irq_work;		/* an NMI's irq_work is due */
bool exiting;		/* PF_EXITING */
bool client[2];		/* unwind_work::bit is the client's, not -EINVAL */

/* Who runs on the task's CPU: 0 the task, 1 an interrupt, 2 an NMI. */
byte level;
bool irqs_off;
bool gone;		/* the task has exited */

/* RCU readers: two counters, flipped by who waits. */
byte rcu[2], rcu_at;

/* What is claimed: ghosts, which no code reads. */
byte entry = 1;
byte cookie_entry[12];	/* which entry a cookie was given out in */
byte accepted[2], accepted_cookie[2];	/* its bit is set */
byte due[2], due_cookie[2];	/* taken by a completion, not called back yet */
bool cancelled[2];	/* unwind_deferred_cancel() has returned */
bool changing;		/* some user registers are the old ones, some the new ones */

/*
 * unwind_deferred_request(), with unwind_state_request(). @kick: an NMI, or
 * interrupts are disabled in the task, so that an irq_work has to come.
 */
inline unwind_request(k, st, stale, c, fresh, old, rdx, kick)
{
	fresh = 0;
	atomic { rdx = rcu_at; rcu[rdx]++ }	/* guard(preempt_notrace) */
	if
	:: exiting || !client[k]
	:: else ->
		do
		:: stale = cookie;
#if MUTANT == 1
		   /* The cookie as it was before: not looked at again. */
		   st = state; c = cookie;
		   if
		   :: st & COOKIE
		   :: else ->
			if
			:: fresh == 0 -> d_step { counter++; fresh = counter }
			:: else
			fi;
			cookie = fresh; c = fresh
		   fi;
#else
		   st = state;
#if MUTANT != 11
		   if
		   :: st & LEAVING -> old = QUEUED; break
		   :: else
		   fi;
#endif
		   if
		   :: st & COOKIE -> c = cookie
		   :: else ->
			if
			:: fresh == 0 -> d_step { counter++; fresh = counter }
			:: else
			fi;
			/* try_cmpxchg(&info->cookie, &stale, fresh) */
			d_step {
				c = 0;
				if
				:: cookie == stale -> cookie = fresh; c = fresh
				:: else
				fi
			}
		   fi;
#endif
		   /* atomic64_cmpxchg(&info->state, state, want) */
		   d_step {
			old = 255;
			if
			:: c == 0	/* the cookie changed: once more */
#if MUTANT == 2
			:: c != 0 ->
#else
			:: c != 0 && state == st ->
#endif
				old = st;
				state = st | BIT(k) | COOKIE | QUEUED;
				assert(cookie_entry[c] == 0 || cookie_entry[c] == entry);
				cookie_entry[c] = entry;
				assert(!accepted[k] || accepted_cookie[k] == c);
				accepted[k] = 1;
				accepted_cookie[k] = c
			:: else
			fi
		   };
		   if
		   :: old != 255 -> break
		   :: else
		   fi
		od;
		/* queue_task_work(): the list and the flag are one atomic step each */
		if
		:: !(old & QUEUED) ->
			listed = true;
			if
			:: kick -> irq_work = true
			:: else -> tif = true
			fi
		:: else
		fi
	fi;
	rcu[rdx]--
}

/* One client of complete_requests(). The task may get here after "cancelled" only by a bug. */
inline call_client(k, mask, ck)
{
	if
	:: mask & BIT(k) ->
		d_step {
			assert(!cancelled[k]);
			assert(due[k]);
			assert(ck == due_cookie[k]);
			due[k] = 0
		}
	:: else
	fi
}

/* An event in a callback, or after the last look at the flags, which requests. */
byte events;
inline event(k, kick)
{
	if
#ifdef SYNC
	:: unwind_request(k, est, estale, ec, efresh, eold, erdx, kick)
#else
	:: events < EVENTS -> events++;
		unwind_request(k, est, estale, ec, efresh, eold, erdx, kick)
	:: true
#endif
	fi
}

/* complete_requests(), with unwind_state_take(); @off: local_irq_save() */
inline complete_requests(want, mask, ck, rdx, off, leave)
{
	ck = cookie;
	/* Interrupts disabled: a section of RCU. */
	atomic { off = irqs_off; irqs_off = true; rdx = rcu_at; rcu[rdx]++ }
	d_step {
		mask = state & want;
		state = state | leave;
#if MUTANT == 3
		/* Completes, but leaves the bits. */
#else
		state = state & (255 - mask);
#endif
		if
		:: mask & 1 -> due[0] = accepted[0]; due_cookie[0] = accepted_cookie[0];
			accepted[0] = 0
		:: else
		fi;
		if
		:: mask & 2 -> due[1] = accepted[1]; due_cookie[1] = accepted_cookie[1];
			accepted[1] = 0
		:: else
		fi
	};
	call_client(0, mask, ck);
	call_client(1, mask, ck);
	atomic { rcu[rdx]--; irqs_off = off }
}

/* complete_atomic(): who calls has interrupts disabled; the walk may fault */
inline complete_atomic(want, st, mask, ck, sdx, saved)
{
	st = state;
	if
	:: st & (EXEC | SIGNAL)
	:: else ->
		assert(!changing);
		if
		:: true		/* faults: left for later */
		:: complete_requests(want, mask, ck, sdx, saved, 0)
		fi
	fi
}

/* __unwind_deferred_block() */
inline unwind_deferred_block(st, mask, ck, sdx, saved)
{
	irqs_off = true;
	if
	:: state & PENDING -> complete_atomic(PENDING, st, mask, ck, sdx, saved)
	:: else
	fi;
	irqs_off = false
}

/* complete_faultable(), with unwind_cache_walk() */
inline complete_faultable(st, mask, ck, sdx, saved, leave)
{
	st = state;
	if
	:: !(st & PENDING)
	:: else ->
		/* the walk, which may sleep */
		if
		:: !(st & EXEC) -> unwind_deferred_block(st, mask, ck, sdx, saved)
		:: true
		fi;
		complete_requests(PENDING, mask, ck, sdx, saved, leave);
		event(0, false)
	fi
}

/* unwind_deferred_flush() */
inline unwind_deferred_flush(k, st, mask, ck, sdx, saved)
{
	if
	:: !client[k]
	:: else ->
		if
		:: state & BIT(k) -> complete_atomic(BIT(k), st, mask, ck, sdx, saved)
		:: else
		fi
	fi
}

inline unwind_task_work(st, mask, ck, sdx, saved)
{
#if MUTANT == 4
	/* Clears UNWIND_QUEUED last: a request in between queues nothing. */
	st = state;
	if
	:: st & EXEC
	:: else -> complete_faultable(st, mask, ck, sdx, saved, LEAVING)
	fi;
	state = state & (255 - QUEUED)
#else
	d_step { st = state; state = state & (255 - QUEUED - SIGNAL) };
	if
	:: st & EXEC
	:: else -> complete_faultable(st, mask, ck, sdx, saved, LEAVING)
	fi
#endif
}

inline unwind_state_reset(st, old)
{
	st = state;
	do
#if MUTANT == 5
	/* Forgets a request that an NMI made on the way out. */
	:: st & (255 - QUEUED) ->
#else
	:: !(st & PENDING) && st & (255 - QUEUED) ->
#endif
		d_step {
			old = 255;
			if
			:: state == st -> state = st & QUEUED; entry++; old = st
			:: else -> st = state
			fi
		};
		if
		:: old != 255 -> break
		:: else
		fi
	:: else -> break
	od
}

/* exit_to_user_mode_prepare() and the return; unwind_state_reset() is the last thing */
inline return_to_user(st, mask, ck, sdx, saved, old)
{
	do
	:: atomic { irqs_off = true };
	   if
	   :: tif ->
		irqs_off = false;
		tif = false;
		if
		:: atomic { listed -> listed = false };
			unwind_task_work(st, mask, ck, sdx, saved)
		:: else
		fi
	   :: else ->
		/* Behind the last look, interrupts disabled: only an irq_work helps. */
#if MUTANT == 12
		event(1, false);
#else
		event(1, true);
#endif
#ifdef SYNC
		rounds++;
		assert(rounds <= 2);
#endif
		unwind_state_reset(st, old);
		/* A flag that is not looked at any more, and no interrupt to look at it. */
		assert(!tif || irq_work);
		irqs_off = false;
		/*
		 * In user space. An irq_work that is due comes in before the
		 * next instruction, and interrupts do as they like: from user
		 * space, with a return of their own.
		 */
		if
		:: atomic { irq_work -> irq_work = false; tif = true }
		:: tif
		:: atomic { !irq_work && !tif && level == 0 ->
			assert(!accepted[0] && !accepted[1] && !due[0] && !due[1]);
			/* The next one is another entry even if nothing was reset. */
			entry++
		   };
		   rounds = 0;
		   break
		fi
	   fi
	od
}

proctype Task() provided (level == 0)
{
	byte st, mask, ck, sdx, saved, old, stale, c, fresh, rdx, n, ops, rounds;
	byte est, estale, ec, efresh, eold, erdx;

	do
	:: n < ENTRIES ->
		n++;
		ops = 0;
		do
		:: ops < OPS -> ops++; unwind_request(0, st, stale, c, fresh, old, rdx, false)
		:: ops < OPS -> ops++; unwind_request(1, st, stale, c, fresh, old, rdx, false)
		:: ops < OPS ->
			ops++;
			unwind_deferred_block(st, mask, ck, sdx, saved)
		:: ops < OPS ->
			/* unwind_deferred_exec() */
			ops++;
			do
			:: complete_faultable(st, mask, ck, sdx, saved, LEAVING);
#ifdef SYNC
			   rounds++;
			   assert(rounds <= 2);
#endif
			   st = state;
			   if
			   :: st & PENDING
			   :: else ->
				d_step {
					old = 255;
					if
					:: state == st ->
						state = EXEC | (st & QUEUED);
						entry++;
						old = st
					:: else
					fi
				};
				if
				:: old != 255 -> break
				:: else
				fi
			   fi
			od;
#ifdef SYNC
			rounds = 0;
#endif
			/* Task work may run in exec: too early. */
			if
			:: tif ->
				tif = false;
				if
				:: atomic { listed -> listed = false };
					unwind_task_work(st, mask, ck, sdx, saved)
				:: else
				fi
			:: true
			fi;
			/* unwind_deferred_exec_done() */
			d_step { st = state; state = state & (255 - EXEC) };
#if MUTANT != 6
			if
			:: st & PENDING ->
				d_step { old = state; state = state | QUEUED };
				if
				:: !(old & QUEUED) -> listed = true; tif = true
				:: else
				fi
			:: else
			fi
#endif
		:: ops < OPS ->
			/* __unwind_deferred_signal() */
			ops++;
			state = state & (255 - SIGNAL);
			do
			:: complete_faultable(st, mask, ck, sdx, saved, LEAVING);
			   st = state;
			   if
			   :: st & PENDING
			   :: else ->
				d_step {
					old = 255;
					if
					:: state == st ->
#if MUTANT == 13
						/* The cookie of the old registers. */
						state = SIGNAL | (st & (QUEUED | COOKIE));
#elif MUTANT == 14
						state = st & QUEUED;
#else
						state = SIGNAL | (st & QUEUED);
#endif
						entry++;
						changing = true;
						old = st
					:: else
					fi
				};
				if
				:: old != 255 -> break
				:: else
				fi
			   fi
			od;
			changing = false
		:: break
		od;
		return_to_user(st, mask, ck, sdx, saved, old)
	:: n < ENTRIES ->
		/* do_exit(): PF_EXITING first, then unwind_deferred_exit() */
#if MUTANT == 7
		complete_faultable(st, mask, ck, sdx, saved, 0);
		exiting = true;
#else
		exiting = true;
		complete_faultable(st, mask, ck, sdx, saved, 0);
#endif
		state = state & QUEUED;
		atomic {
			level == 0 ->
			assert(!accepted[0] && !accepted[1] && !due[0] && !due[1])
		};
		break
	:: n == ENTRIES -> break
	od;
	gone = true
}

proctype Irq() provided (level < 2)
{
	byte st, mask, ck, sdx, saved, old, stale, c, fresh, rdx, n;

	do
	:: atomic { n < IRQS && !irqs_off && level == 0 && !gone -> level = 1; n++ };
		if
		:: unwind_request(0, st, stale, c, fresh, old, rdx, false)
		/* Without a guard its "else" would wait for the other branches to be blocked. */
		:: true -> unwind_deferred_flush(0, st, mask, ck, sdx, saved)
		:: irq_work -> irq_work = false; tif = true
		fi;
		level = 0
	:: gone || n == IRQS -> break
	od
}

proctype Nmi()
{
	byte st, old, stale, c, fresh, rdx, n, was;

	do
	:: atomic { n < NMIS && level < 2 && !gone -> was = level; level = 2; n++ };
		if
		:: unwind_request(0, st, stale, c, fresh, old, rdx, true)
		:: unwind_request(1, st, stale, c, fresh, old, rdx, true)
		fi;
		level = was
	:: gone || n == NMIS -> break
	od
}

/* Two flips: a reader may have read the index just before the first. */
inline synchronize_rcu(idx)
{
	atomic { idx = rcu_at; rcu_at = 1 - rcu_at };
	rcu[idx] == 0;
	atomic { idx = rcu_at; rcu_at = 1 - rcu_at };
	rcu[idx] == 0
}

/* unwind_deferred_cancel() of client 0, then another client has its bit. */
proctype Cancel()
{
	byte idx;

	client[0] = false;
#if MUTANT != 9
	synchronize_rcu(idx);
#endif
	d_step {
		state = state & (255 - BIT(0));
		accepted[0] = 0
	};
#if MUTANT != 8
	synchronize_rcu(idx);
#endif
	cancelled[0] = true;
	/* unwind_deferred_init() by somebody else, who has made no request */
	d_step { cancelled[0] = false; client[0] = true; due[0] = 0 }
}

init
{
	client[0] = true;
	client[1] = true;
	atomic {
		run Task();
		run Irq();
		run Nmi();
#ifdef CANCEL
		run Cancel()
#endif
	}
}
