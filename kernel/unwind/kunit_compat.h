/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the KUnit tests use of 6.12's KUnit and an older kernel lacks: user memory for
 * the thread of a test, functions that are called when it ends, a comparison of memory.
 */
#ifndef _KERNEL_UNWIND_KUNIT_COMPAT_H
#define _KERNEL_UNWIND_KUNIT_COMPAT_H

#include <kunit/test.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)

#include <kunit/resource.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#define KUNIT_EXPECT_MEMEQ(test, left, right, size) \
	KUNIT_EXPECT_EQ(test, memcmp(left, right, size), 0)

struct unwind_kunit_action {
	void (*func)(void *data);
	void *data;
};

static inline void unwind_kunit_call(struct kunit_resource *res)
{
	struct unwind_kunit_action *action = res->data;

	action->func(action->data);
}

static inline int kunit_add_action_or_reset(struct kunit *test, void (*func)(void *), void *data)
{
	struct unwind_kunit_action *action = kunit_kzalloc(test, sizeof(*action), GFP_KERNEL);

	if (!action) {
		func(data);
		return -ENOMEM;
	}
	action->func = func;
	action->data = data;
	/* Behind @action, so that it is called before @action is freed. */
	if (!kunit_alloc_resource(test, NULL, unwind_kunit_call, GFP_KERNEL, action))
		return -ENOMEM;
	return 0;
}

static inline void unwind_kunit_mm_put(void *mm)
{
	/* Behind a failed assertion this is another thread: the test's puts it as it exits. */
	if (current->mm != mm)
		return;
	kthread_unuse_mm(mm);
	mmput(mm);
}

/*
 * kunit_vm_mmap - map memory into the address space of the test
 *
 * The first call gives the thread of the test, which is a kernel thread, an address space.
 *
 * Return: the address, or an error as an address.
 */
static inline unsigned long kunit_vm_mmap(struct kunit *test, struct file *file,
					  unsigned long addr, unsigned long len,
					  unsigned long prot, unsigned long flag,
					  unsigned long offset)
{
	if (!current->mm) {
		struct mm_struct *mm = mm_alloc();

		if (!mm)
			return -ENOMEM;
		mm->task_size = TASK_SIZE;
		arch_pick_mmap_layout(mm, &current->signal->rlim[RLIMIT_STACK]);
		kthread_use_mm(mm);
		if (kunit_add_action_or_reset(test, unwind_kunit_mm_put, mm))
			return -ENOMEM;
	}
	return vm_mmap(file, addr, len, prot, flag, offset);
}

#endif

#endif /* _KERNEL_UNWIND_KUNIT_COMPAT_H */
