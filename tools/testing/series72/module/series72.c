// SPDX-License-Identifier: GPL-2.0
/*
 * A client of deferred unwinding. A word written to the parameter "run" is done in the writer's
 * task; "result" is what came of it, "late" what a request in the callback returned.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/unwind_deferred.h>

static int (*init)(struct unwind_work *work, unwind_callback_t func);
static int (*request)(struct unwind_work *work, u64 *cookie);
static void (*cancel)(struct unwind_work *work);

static struct unwind_work work;
static long result;
static int late;
module_param(result, long, 0444);
module_param(late, int, 0444);

static void callback(struct unwind_work *work, struct unwind_stacktrace *trace, u64 cookie)
{
	late = request(work, &cookie);
}

static int run(const char *word, const struct kernel_param *param)
{
	u64 cookie;

	if (sysfs_streq(word, "init"))
		result = init(&work, callback);
	else if (sysfs_streq(word, "request"))
		result = request(&work, &cookie);
	else if (sysfs_streq(word, "cancel"))
		cancel(&work);
	else if (sysfs_streq(word, "mask"))
		result = (long)&current->unwind_info.unwind_mask;
	else
		return -EINVAL;
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = run };
module_param_cb(run, &run_ops, NULL, 0200);

/* None of the functions is exported. */
static void *address(const char *name)
{
	struct kprobe probe = { .symbol_name = name };
	void *at;

	if (register_kprobe(&probe))
		return NULL;
	at = probe.addr;
	unregister_kprobe(&probe);
	return at;
}

static int __init series72_init(void)
{
	init = address("unwind_deferred_init");
	request = address("unwind_deferred_request");
	cancel = address("unwind_deferred_cancel");
	return init && request && cancel ? 0 : -ENOENT;
}
module_init(series72_init);
MODULE_DESCRIPTION("A client of deferred unwinding");
MODULE_LICENSE("GPL");
