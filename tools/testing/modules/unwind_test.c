// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_test: two clients of deferred unwinding beside perf, driven from user
 * space through debugfs, a source of NMIs to request from, and a PMU whose
 * counters overflow in these NMIs, as a hardware counter does.
 *
 * Write one command at a time to unwind_test/control; the write's status is
 * the command's:
 *
 *	init C		register client C (0 or 1)
 *	cancel C	and unregister
 *	request C	request in the writing task
 *	linger C	and stay in the kernel, without a block, until C was registered again
 *	self C N	N NMIs on this CPU, each requesting for client C
 *	cpu CPU C N	N NMIs on another CPU, likewise
 *	reset		forget the log
 *
 * unwind_test/log has a line per completion, oldest first,
 *
 *	completion CLIENT TID COOKIE NR IP...
 *
 * and unwind_test/stats a line per counter.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nmi.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/unwind_deferred.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#include <asm/apic.h>
#include <asm/ibt.h>
#include <asm/nmi.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define __apic_send_IPI_self(vector)		apic->send_IPI_self(vector)
#define __apic_send_IPI_mask(mask, vector)	apic->send_IPI_mask(mask, vector)
#endif

#define CLIENTS		2
#define LOG_ENTRIES	1024
#define LOG_IPS		130

struct done {
	int		client;
	pid_t		tid;
	u64		cookie;
	unsigned int	nr;
	unsigned long	ips[LOG_IPS];
	bool		done;
};

static struct client {
	struct unwind_work	work;
	/* Between init and cancel: a callback outside of that is a bug. */
	bool			live;
	unsigned int		registered;	/* how often */
} clients[CLIENTS];

enum {
	COUNT_NMIS, COUNT_NMIS_USER, COUNT_FIRST, COUNT_SHARED, COUNT_REFUSED,
	COUNT_COMPLETIONS, COUNT_LATE, NR_COUNTS
};

static const char * const count_names[NR_COUNTS] = {
	"nmis", "nmis_user", "first", "shared", "refused", "completions", "late",
};

static atomic_t counts[NR_COUNTS];
static struct done *log;
static atomic_t nr_log;
static struct dentry *dir;
static DEFINE_MUTEX(control_lock);

static void log_trace(int client, struct unwind_stacktrace *trace, u64 cookie)
{
	unsigned int i, slot = atomic_fetch_inc(&nr_log);

	if (slot >= LOG_ENTRIES)
		return;
	log[slot].client = client;
	log[slot].tid = current->pid;
	log[slot].cookie = cookie;
	log[slot].nr = trace->nr;
	for (i = 0; i < trace->nr && i < LOG_IPS; i++)
		log[slot].ips[i] = trace->entries[i];
	smp_store_release(&log[slot].done, true);
}

static void completed(struct unwind_work *work, struct unwind_stacktrace *trace, u64 cookie)
{
	struct client *client = container_of(work, struct client, work);

	atomic_inc(&counts[COUNT_COMPLETIONS]);
	if (!READ_ONCE(client->live))
		atomic_inc(&counts[COUNT_LATE]);
	log_trace(client - clients, trace, cookie);
}

static int request(int client)
{
	u64 cookie = 0;
	int ret = unwind_deferred_request(&clients[client].work, &cookie, UNWIND_USER_DEPTH);

	if (ret < 0)
		atomic_inc(&counts[COUNT_REFUSED]);
	else if (!cookie)
		ret = -EPROTO;
	else
		atomic_inc(&counts[ret ? COUNT_SHARED : COUNT_FIRST]);
	return ret < 0 ? ret : 0;
}

static int linger(int client)
{
	unsigned int registered = READ_ONCE(clients[client].registered);
	int ret = request(client);

	while (!ret && READ_ONCE(clients[client].registered) == registered) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return ret;
}

/*
 * The PMU "unwind_test": each of our NMIs is an overflow of every event that
 * runs on its CPU, with the registers that the NMI interrupted.
 */
#define PMU_EVENTS	8

static DEFINE_PER_CPU(struct perf_event *, pmu_events[PMU_EVENTS]);
/* No module that the kernel knows of samples: this is not exported. */
static int (*overflow)(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs);

static int pmu_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	return is_sampling_event(event) ? 0 : -EINVAL;
}

static void pmu_start(struct perf_event *event, int flags)
{
	WRITE_ONCE(event->hw.state, 0);
}

static void pmu_stop(struct perf_event *event, int flags)
{
	WRITE_ONCE(event->hw.state, PERF_HES_STOPPED);
}

static int pmu_add(struct perf_event *event, int flags)
{
	int i;

	for (i = 0; i < PMU_EVENTS; i++) {
		if (this_cpu_read(pmu_events[i]))
			continue;
		event->hw.idx = i;
		event->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
		this_cpu_write(pmu_events[i], event);
		return 0;
	}
	return -ENOSPC;
}

static void pmu_del(struct perf_event *event, int flags)
{
	this_cpu_write(pmu_events[event->hw.idx], NULL);
}

static void pmu_read(struct perf_event *event)
{
}

static struct pmu pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.event_init	= pmu_event_init,
	.add		= pmu_add,
	.del		= pmu_del,
	.start		= pmu_start,
	.stop		= pmu_stop,
	.read		= pmu_read,
};

static void pmu_overflow(struct pt_regs *regs)
{
	struct perf_sample_data data;
	struct perf_event *event;
	int i;

	for (i = 0; i < PMU_EVENTS; i++) {
		event = this_cpu_read(pmu_events[i]);
		if (!event || READ_ONCE(event->hw.state))
			continue;
		perf_sample_data_init(&data, 0, event->hw.last_period);
		if (overflow(event, &data, regs))
			pmu_stop(event, 0);
	}
}

static int pmu_init(void)
{
	struct kprobe kp = { .symbol_name = "perf_event_overflow" };
	int ret = register_kprobe(&kp);
	u8 *addr = kp.addr;

	if (ret)
		return ret;
	unregister_kprobe(&kp);
	/* The probe is behind an endbr; a call goes to it. */
	if (is_endbr(*(u32 *)(addr - 4)))
		addr -= 4;
	overflow = (void *)addr;
	return perf_pmu_register(&pmu, "unwind_test", -1);
}

/* Per CPU: how many of the coming NMIs are ours, and whose request to make. */
static DEFINE_PER_CPU(int, nmi_armed);
static int nmi_client;

static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	if (!this_cpu_read(nmi_armed))
		return NMI_DONE;
	this_cpu_write(nmi_armed, 0);
	atomic_inc(&counts[COUNT_NMIS]);
	if (user_mode(regs))
		atomic_inc(&counts[COUNT_NMIS_USER]);
	request(READ_ONCE(nmi_client));
	pmu_overflow(regs);
	return NMI_HANDLED;
}

static int raise_nmis(int cpu, int nr)
{
	unsigned int waited;

	while (nr--) {
		if (cpu < 0) {
			preempt_disable();
			this_cpu_write(nmi_armed, 1);
			__apic_send_IPI_self(NMI_VECTOR);
			for (waited = 0; this_cpu_read(nmi_armed) && waited < 10000; waited++)
				udelay(1);
			preempt_enable();
		} else {
			per_cpu(nmi_armed, cpu) = 1;
			__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
			for (waited = 0; READ_ONCE(per_cpu(nmi_armed, cpu)) && waited < 1000; waited++)
				usleep_range(100, 200);
			usleep_range(500, 1000);
		}
	}
	return 0;
}

static int init_client(int client)
{
	int ret;

	if (clients[client].live)
		return -EBUSY;
	WRITE_ONCE(clients[client].live, true);
	ret = unwind_deferred_init(&clients[client].work, completed);
	if (ret)
		WRITE_ONCE(clients[client].live, false);
	else
		WRITE_ONCE(clients[client].registered, clients[client].registered + 1);
	return ret;
}

static int cancel_client(int client)
{
	if (!clients[client].live)
		return -ENOENT;
	unwind_deferred_cancel(&clients[client].work);
	/* From here on no callback may run. */
	WRITE_ONCE(clients[client].live, false);
	return 0;
}

static int command(const char *text)
{
	int client, cpu, nr;

	/* Unlocked: requests while others cancel are what this is for. */
	if (sscanf(text, "request %d", &client) == 1)
		return client >= 0 && client < CLIENTS ? request(client) : -EINVAL;
	if (sscanf(text, "linger %d", &client) == 1)
		return client >= 0 && client < CLIENTS ? linger(client) : -EINVAL;

	guard(mutex)(&control_lock);
	if (!strcmp(text, "reset")) {
		memset(log, 0, LOG_ENTRIES * sizeof(*log));
		atomic_set(&nr_log, 0);
		return 0;
	}
	if (sscanf(text, "init %d", &client) == 1)
		return client >= 0 && client < CLIENTS ? init_client(client) : -EINVAL;
	if (sscanf(text, "cancel %d", &client) == 1)
		return client >= 0 && client < CLIENTS ? cancel_client(client) : -EINVAL;
	if (sscanf(text, "self %d %d", &client, &nr) == 2) {
		if (client < 0 || client >= CLIENTS)
			return -EINVAL;
		WRITE_ONCE(nmi_client, client);
		return raise_nmis(-1, nr);
	}
	if (sscanf(text, "cpu %d %d %d", &cpu, &client, &nr) == 3) {
		if (client < 0 || client >= CLIENTS || cpu < 0 || cpu >= nr_cpu_ids ||
		    !cpu_online(cpu))
			return -EINVAL;
		WRITE_ONCE(nmi_client, client);
		return raise_nmis(cpu, nr);
	}
	return -EINVAL;
}

static ssize_t control_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char text[64];
	int ret;

	if (count >= sizeof(text))
		return -E2BIG;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	text[count] = '\0';
	ret = command(strim(text));
	return ret ? ret : count;
}

static const struct file_operations control_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= control_write,
};

static int log_show(struct seq_file *m, void *unused)
{
	unsigned int i, j, nr = min(atomic_read(&nr_log), LOG_ENTRIES);

	for (i = 0; i < nr; i++) {
		struct done *a = &log[i];

		if (!smp_load_acquire(&a->done))
			continue;
		seq_printf(m, "completion %d %d %#llx %u", a->client, a->tid, a->cookie, a->nr);
		for (j = 0; j < a->nr && j < LOG_IPS; j++)
			seq_printf(m, " %#lx", a->ips[j]);
		seq_putc(m, '\n');
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(log);

static int stats_show(struct seq_file *m, void *unused)
{
	int i;

	for (i = 0; i < NR_COUNTS; i++)
		seq_printf(m, "%s %d\n", count_names[i], atomic_read(&counts[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int __init unwind_test_init(void)
{
	int ret;

	log = vcalloc(LOG_ENTRIES, sizeof(*log));
	if (!log)
		return -ENOMEM;
	ret = pmu_init();
	if (ret)
		goto err_log;
	ret = register_nmi_handler(NMI_LOCAL, nmi_handler, NMI_FLAG_FIRST, "unwind_test");
	if (ret)
		goto err_pmu;
	dir = debugfs_create_dir("unwind_test", NULL);
	debugfs_create_file("control", 0200, dir, NULL, &control_fops);
	debugfs_create_file("log", 0400, dir, NULL, &log_fops);
	debugfs_create_file("stats", 0400, dir, NULL, &stats_fops);
	return 0;

err_pmu:
	perf_pmu_unregister(&pmu);
err_log:
	vfree(log);
	return ret;
}

static void __exit unwind_test_exit(void)
{
	int i;

	debugfs_remove(dir);
	unregister_nmi_handler(NMI_LOCAL, "unwind_test");
	perf_pmu_unregister(&pmu);
	for (i = 0; i < CLIENTS; i++)
		cancel_client(i);
	vfree(log);
}

module_init(unwind_test_init);
module_exit(unwind_test_exit);
MODULE_DESCRIPTION("Clients of deferred user unwinding, for its selftests");
MODULE_LICENSE("GPL");
