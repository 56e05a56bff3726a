// SPDX-License-Identifier: GPL-2.0
/*
 * Exceptions in flight: destructors and handlers that run while functions further
 * down are being left. Each knows how deep the stack still is. VARIANT_NAME is of the
 * command line.
 */
#include "frames.h"

namespace {

volatile long sink;

struct Error {
	long why;
};

/* Its destructor runs where an exception passes: on the frames of who made it. */
struct Guard {
	struct trail *t;
	int nr;

	explicit Guard(struct trail *trail) : t(trail), nr(trail->nr) {}
	~Guard() noexcept(false);
};

noinline_ void in_destructor(struct trail *t)
{
	trail_enter(t);
	trail_syscall(t);
	keep_frame();
	trail_leave(t);
}

noinline_ Guard::~Guard() noexcept(false)
{
	t->nr = nr;
	trail_enter(t);
	in_destructor(t);
	keep_frame();
	trail_leave(t);
}

noinline_ void throws(struct trail *t, long n)
{
	trail_enter(t);
	trail_syscall(t);
	if (n)
		throw Error{ n };
	keep_frame();
	trail_leave(t);
}

noinline_ void passes(struct trail *t, long n)
{
	trail_enter(t);
	Guard guard(t);
	volatile char pad[100];

	pad[n] = 1;
	throws(t, n);
	sink += pad[1];
	trail_leave(t);
}

noinline_ void catches(struct trail *t, long n)
{
	trail_enter(t);
	int nr = t->nr;

	try {
		Guard guard(t);

		passes(t, n);
	} catch (const Error &e) {
		t->nr = nr;
		sink += e.why;
		trail_syscall(t);
		if (n > 1)
			throw;
	}
	keep_frame();
	trail_leave(t);
}

/* Six calls: throws(), two destructors, two handlers, and one behind all. */
void exceptions(struct trail *t)
{
	trail_enter(t);
	int nr = t->nr;

	try {
		catches(t, 2);
	} catch (const Error &e) {
		t->nr = nr;
		trail_syscall(t);
	}
	t->nr = nr;
	trail_syscall(t);
	keep_frame();
	trail_leave(t);
}

struct thrower entry = { VARIANT_NAME, exceptions, nullptr };

__attribute__((constructor)) void init()
{
	thrower_register(&entry);
}

}
