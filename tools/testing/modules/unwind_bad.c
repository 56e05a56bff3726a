// SPDX-License-Identifier: GPL-2.0
/*
 * What debug kernels are there to find, done on purpose: "insmod unwind_bad.ko
 * what=race" and so on. tools/testing/kernel-test checks that each is reported
 * and fails the run.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *what = "";
module_param(what, charp, 0);
MODULE_PARM_DESC(what, "sleep, lock, oob, leak or race");

static void unwind_bad_sleep(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static DEFINE_SPINLOCK(lock_a);
static DEFINE_SPINLOCK(lock_b);

static void unwind_bad_lock(void)
{
	spin_lock(&lock_a);
	spin_lock(&lock_b);
	spin_unlock(&lock_b);
	spin_unlock(&lock_a);

	spin_lock(&lock_b);
	spin_lock(&lock_a);
	spin_unlock(&lock_a);
	spin_unlock(&lock_b);
}

static noinline void unwind_bad_oob(void)
{
	size_t size = 24;
	char *mem = kmalloc(size, GFP_KERNEL);

	if (!mem)
		return;
	OPTIMIZER_HIDE_VAR(size);
	mem[size] = 1;
	kfree(mem);
}

static noinline void unwind_bad_leak(void)
{
	void *mem = kmalloc(1000, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(mem);
}

static unsigned long shared;

static int unwind_bad_racer(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		barrier();
		cond_resched();
	}
	return 0;
}

static int unwind_bad_race(void)
{
	struct task_struct *racer = kthread_run(unwind_bad_racer, NULL, "unwind_bad");
	unsigned long end = jiffies + 2 * HZ;

	if (IS_ERR(racer))
		return PTR_ERR(racer);
	while (time_before(jiffies, end)) {
		shared++;
		barrier();
		cond_resched();
	}
	return kthread_stop(racer);
}

static int __init unwind_bad_init(void)
{
	if (!strcmp(what, "sleep"))
		unwind_bad_sleep();
	else if (!strcmp(what, "lock"))
		unwind_bad_lock();
	else if (!strcmp(what, "oob"))
		unwind_bad_oob();
	else if (!strcmp(what, "leak"))
		unwind_bad_leak();
	else if (!strcmp(what, "race"))
		return unwind_bad_race();
	else
		return -EINVAL;
	return 0;
}

static void __exit unwind_bad_exit(void)
{
}

module_init(unwind_bad_init);
module_exit(unwind_bad_exit);
MODULE_DESCRIPTION("Misdeeds that debug kernels must report");
MODULE_LICENSE("GPL");
