// SPDX-License-Identifier: GPL-2.0
/* Opens events, of cgroups (version 1 or 2), too, and handles errors of perf_event_open(). */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/sysfs.h"
#include "measure/attr.h"
#include "measure/kernel_features.h"
#include "measure/open.h"
#include "measure/rings.h"

/* Test what works: distributions give kernel.perf_event_paranoid above 2 different meanings. */
static struct error *explain_permission(const struct rings *r, const struct event_spec *s)
{
	const char *what, *works = "";
	int paranoid = kernel_paranoid(), needed = 2;
	bool own_kernel = kernel_allows(true), own_user = kernel_allows(false);

	if (s->attr.namespaces && (own_kernel || own_user))
		return error_create(EPERM, "--namespaces: only root (CAP_PERFMON) may record the namespaces of tasks: omit it");
	if (own_kernel)
		works = "measuring your own commands and processes works; ";
	else if (own_user)
		works = "user code (':u') of your own commands and processes works; ";
	if (r->threads.v[0] == -1) {
		what = "measuring whole CPUs (-a, -C) is";
		needed = s->attr.type == PERF_TYPE_TRACEPOINT ? -1 : 0;
	} else if (s->attr.type == PERF_TYPE_TRACEPOINT) {
		what = "a tracepoint is";
		needed = -1;
	} else if (!own_user) {
		what = "perf_event_open() is";
		needed = s->attr.exclude_kernel ? 2 : 1;
	} else if (s->attr.sample_type & PERF_SAMPLE_PHYS_ADDR && !own_kernel) {
		what = "sampling physical addresses (--phys-data) is";
		needed = 1;
	} else if (!s->attr.exclude_kernel && !own_kernel) {
		what = "sampling the kernel is";
		needed = 1;
	} else {
		/* ptrace's permission check failed, for which no sysctl helps. */
		return error_create(EPERM, "%s: measuring this task is not permitted: it is not yours (perf_event_open "
				    "follows ptrace, and kernel.perf_event_paranoid is %d); %sfor others be root "
				    "or have CAP_PERFMON", s->name, paranoid, works);
	}
	return error_create(EPERM, "%s: %s not permitted: kernel.perf_event_paranoid is %d; %sfor more be root, have "
			    "CAP_PERFMON, or: sysctl kernel.perf_event_paranoid=%d",
			    s->name, what, paranoid, works, needed);
}

/* @version: set to 1 or 2. */
static bool find_mount(char *mount, size_t size, int *version)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/mounts", "re");
	char line[4096], path[2048], type[64], options[1024];
	bool found = false;

	*version = 2;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %2047s %63s %1023s", path, type, options) != 3)
			continue;
		if (!strcmp(type, "cgroup") && strstr(options, "perf_event")) {
			snprintf(mount, size, "%s", path);
			*version = 1;
			return true;
		}
		if (!strcmp(type, "cgroup2") && !found) {
			snprintf(mount, size, "%s", path);
			found = true;
		}
	}
	return found;
}

/* Open a cgroup's directory, below the mount of the perf_event controller. */
static struct error *cgroup_open(const char *name, int *fd)
{
	char mount[2048], path[4096];
	int version;

	if (!find_mount(mount, sizeof(mount), &version))
		return error_create(ENOENT, "-G %s: no cgroup file system with perf events is mounted "
				    "(mount -t cgroup2 none /sys/fs/cgroup)", name);
	snprintf(path, sizeof(path), "%s/%s", mount, name);
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *fd < 0 ? error_create(errno, "-G %s: %s: %m", name, path) : NULL;
}

/* Hierarchy of the perf_event controller; 0: version 2; -1: no such controller. */
static int perf_hierarchy(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/cgroups", "re");
	char line[256];
	int id;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "perf_event %d", &id) == 1)
			return id;
	return -1;
}

/* Why perf_event_open() fails with @err (-errno) for a cgroup; NULL: not by it. */
static struct error *cgroup_explain(const char *name, int err)
{
	int hierarchy = perf_hierarchy(), version;
	char mount[2048];

	if ((err != -ENOENT && err != -EINVAL) || !find_mount(mount, sizeof(mount), &version))
		return NULL;
	if (hierarchy < 0)
		return error_create(-err, "-G %s: this kernel cannot measure cgroups (CONFIG_CGROUP_PERF)", name);
	if (err != -ENOENT)
		return NULL;
	if (version == 2 && hierarchy > 0)
		return error_create(-err, "-G %s: the perf_event controller is not in %s but in a version 1 hierarchy "
				    "(mount -t cgroup -o perf_event none DIR shows it)", name, mount);
	/* The controller is enabled implicitly together with the first other controller. */
	return error_create(-err, "-G %s: the kernel has not set up perf events in the cgroups of %s yet: enable any "
			    "controller there (echo +pids > %s/cgroup.subtree_control)", name, mount, mount);
}

/* Create the error for a failed perf_event_open(). @err: -errno */
static struct error *explain(const struct rings *r, const struct event_spec *s, int err, s32 cpu)
{
	struct error *why = s->cgroup ? cgroup_explain(s->cgroup, err) : NULL;

	if (why)
		return why;
	switch (err) {
	case -EACCES:
	case -EPERM:
		return explain_permission(r, s);
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
	case -ENXIO:
		if (s->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return error_create(-err, "%s: this machine records no branches with it (-b, -j and --call-graph lbr "
					    "want a hardware event on a CPU that can)", s->name);
		return error_create(-err, "%s: this machine has no such event%s", s->name,
				  s->attr.precise_ip ? " of that precision" :
				  s->attr.sample_period ? ", or cannot sample it" : "");
	case -EMFILE:
		return error_create(-err, "%s: too many open files: %u events on %u CPUs for %u threads need as many "
				  "descriptors; raise the limit (ulimit -n) or measure less",
				  s->name, r->specs->nr, r->cpus.nr, r->threads.nr);
	case -ENOSPC:
		return error_create(-err, "%s: all counters of CPU %d are taken", s->name, cpu);
	case -EBUSY:
		return error_create(-err, "%s: the PMU is busy: another profiler holds it", s->name);
	case -ENOSYS:
		return error_create(-err, "this kernel is built without perf events (CONFIG_PERF_EVENTS)");
	case -EOVERFLOW:
		return error_create(-err, "%s: max-stack is more than kernel.perf_event_max_stack allows", s->name);
	case -EINVAL:
		return error_create(-err, "%s: the kernel rejects this combination of options for it (-vv shows the attributes)",
				  s->name);
	}
	return error_create(-err, "%s: perf_event_open: %m", s->name);
}

/* cycles without a PMU: use the clock, which samples less precisely. */
static bool fall_back_to_clock(struct event_spec *s, int err)
{
	struct perf_event_attr *a = &s->attr;
	bool was_default = s->is_default;
	const char *colon;
	char name[64];

	if (err != -ENOENT && err != -ENXIO && err != -ENODEV && err != -EOPNOTSUPP)
		return false;
	if (a->type != PERF_TYPE_HARDWARE || a->config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	colon = strchr(s->name, ':');
	snprintf(name, sizeof(name), "cpu-clock%s",
		 a->exclude_kernel && !was_default && colon ? colon : a->exclude_kernel ? ":u" : "");
	if (s->name_set)
		snprintf(name, sizeof(name), "%s", s->name);
	diag_warn("this machine has no cycle counter (a virtual machine without a PMU?): sampling by cpu-clock");
	free(s->name);
	s->name = xstrdup(name);
	a->type = PERF_TYPE_SOFTWARE;
	a->config = PERF_COUNT_SW_CPU_CLOCK;
	a->precise_ip = 0;
	a->exclude_guest = a->exclude_host = 0;
	return true;
}

/* No permission for the kernel: measure user space only, unless an option selects the kernel. */
static bool fall_back_to_user(const struct rings *r, struct event_spec *s, int err)
{
	struct perf_event_attr *a = &s->attr;
	char *name;

	if ((err != -EACCES && err != -EPERM) || s->exclude_given || a->exclude_kernel ||
	    r->options->all_kernel || a->type == PERF_TYPE_TRACEPOINT || kernel_paranoid() < 2 ||
	    r->threads.v[0] == -1 || a->exclude_user)
		return false;
	a->exclude_kernel = a->exclude_hv = 1;
	if (!s->name_set && !s->is_dummy) {
		name = xmalloc(strlen(s->name) + 3);
		sprintf(name, "%s%su", s->name, strpbrk(s->name, ":/") ? "" : ":");
		free(s->name);
		s->name = name;
	}
	return true;
}

/* Lower a request that the PMU may not support, by one step. */
static bool lower(struct event_spec *s, int err)
{
	struct perf_event_attr *a = &s->attr;

	if (err != -EINVAL && err != -EOPNOTSUPP)
		return false;
	if (a->precise_ip && s->precise_max) {
		a->precise_ip--;
		return true;
	}
	if (a->exclude_guest && !s->guest_given) {
		a->exclude_guest = 0;
		return true;
	}
	if (a->exclude_hv && !a->exclude_kernel) {
		a->exclude_hv = 0;
		return true;
	}
	return false;
}

/* Clear the PMU, the config's upper half: kernels (arm64's before 6.3) may tell it by the CPUs. */
static bool leave_out_pmu(struct event_spec *s, int err)
{
	struct perf_event_attr *a = &s->attr;

	if (err != -ENOENT || !s->core || !(a->config >> 32) ||
	    (a->type != PERF_TYPE_HARDWARE && a->type != PERF_TYPE_HW_CACHE))
		return false;
	a->config = (u32)a->config;
	return true;
}

struct opener {
	struct rings *r;
	bool user_only, raised;
};

/* Result of opening an event or an instance. */
enum open_result {
	OPENED,
	SKIPPED,	/* the instance's target does not exist */
	CHANGED,	/* the attributes were changed: reopen this event */
	WEAK,		/* split its weak group */
	FAILED,
};

/* Open one instance. @instance: set to the descriptor; @err: set to the error if FAILED */
static enum open_result open_one(struct opener *o, u32 index, u32 c, u32 t, int *instance,
				 struct error **err)
{
	struct rings *r = o->r;
	struct event_spec *s = r->specs->v[index];
	pid_t pid = r->threads.v[t];
	s32 cpu = r->cpus.v[c];
	unsigned long flags = 0;
	int group = -1, fd, cgroup;

	if (s->leader != index) {
		group = r->events[s->leader].fds[c * r->threads.nr + t];
		if (group < 0)
			return SKIPPED;
	}
	if (s->cgroup) {
		*err = cgroup_open(s->cgroup, &cgroup);
		if (*err)
			return FAILED;
		flags |= PERF_FLAG_PID_CGROUP;
		fd = perf_open(&s->attr, cgroup, cpu, group, flags);
		close(cgroup);
	} else {
		fd = perf_open(&s->attr, pid, cpu, group, flags);
	}
	if (verbose >= 2)
		diag_info(2, "sys_perf_event_open: pid %d  cpu %d  group_fd %d  flags 0x8 = %d%s%s",
			  pid, cpu, group, fd < 0 ? -1 : fd, fd < 0 ? " " : "", fd < 0 ? strerror(-fd) : "");
	*instance = fd;
	if (fd >= 0)
		return OPENED;
	/* The target disappeared after it was listed: not an error. */
	if ((fd == -ESRCH && pid > 0) ||
	    (fd == -ENODEV && cpu >= 0 && s->attr.type == PERF_TYPE_SOFTWARE))
		return SKIPPED;
	if (fd == -EMFILE && !o->raised) {
		o->raised = true;
		raise_fd_limit((u64)r->specs->nr * r->cpus.nr * r->threads.nr + 256);
		return open_one(o, index, c, t, instance, err);
	}
	if (lower(s, fd) || leave_out_pmu(s, fd) || fall_back_to_clock(s, fd))
		return CHANGED;
	if (fall_back_to_user(r, s, fd)) {
		o->user_only = true;
		return CHANGED;
	}
	if (fd == -EINVAL && r->specs->v[s->leader]->weak_group && r->specs->v[s->leader]->group_members > 1)
		return WEAK;
	*err = explain(r, s, fd, cpu);
	return FAILED;
}

static void close_event(struct rings *r, u32 index)
{
	struct open_event *e = &r->events[index];
	u32 i, n = r->cpus.nr * r->threads.nr;

	for (i = 0; i < n; i++) {
		if (e->fds[i] >= 0)
			close(e->fds[i]);
		e->fds[i] = -1;
	}
}

static bool on_cpu(const struct rings *r, const struct event_spec *s, const struct cpu_list *mask, s32 cpu)
{
	if (cpu < 0)
		return true;
	if (mask->nr && !cpu_list_has(mask, cpu))
		return false;
	return !r->asked.nr || s->is_dummy || cpu_list_has(&r->asked, cpu);
}

/* The kernel does not throttle clocks: with walks of 10 us -F max would leave programs no time. */
static void limit_clock(struct perf_event_attr *a)
{
	const u64 most = 20000;

	if (a->type != PERF_TYPE_SOFTWARE || a->config > PERF_COUNT_SW_TASK_CLOCK || !a->freq || a->sample_freq <= most ||
	    !(a->sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	diag_warn("a clock with callchains takes at most %llu samples per second: more would leave no time to programs", most);
	a->sample_freq = most;
}

/* Return: OPENED, or the result of the first instance neither opened nor skipped. */
static enum open_result open_event_everywhere(struct opener *o, u32 index, struct error **err)
{
	struct rings *r = o->r;
	struct event_spec *s = r->specs->v[index];
	enum open_result result = OPENED;
	struct cpu_list mask = { 0 };
	u32 c, t, i, opened = 0;
	int fd;

	limit_clock(&s->attr);
	if (verbose >= 2)
		attr_print(&s->attr);
	if (s->cpumask && (s->core || r->threads.v[0] == -1))
		cpu_list_parse(s->cpumask, &mask);
	for (c = 0; c < r->cpus.nr && result <= SKIPPED; c++) {
		if (!on_cpu(r, s, &mask, r->cpus.v[c]))
			continue;
		for (t = 0; t < r->threads.nr; t++) {
			result = open_one(o, index, c, t, &fd, err);
			if (result > SKIPPED)
				break;
			if (result == SKIPPED)
				continue;
			i = c * r->threads.nr + t;
			r->events[index].fds[i] = fd;
			opened++;
			if (ioctl(fd, PERF_EVENT_IOC_ID, &r->events[index].ids[i]))
				r->events[index].ids[i] = 0;
		}
	}
	free(mask.v);
	if (result > SKIPPED) {
		close_event(r, index);
		return result;
	}
	/* -C may select only CPUs of another kind, whose event is in the list too. */
	if (!opened && s->one_of)
		return SKIPPED;
	if (!opened && s->leader == index) {
		*err = error_create(0, r->threads.v[0] != -1 ?
				    "%s: the tasks to be measured have all ended" : s->core ?
				    "%s: none of the requested CPUs is of its kind" :
				    "%s: none of the requested CPUs is online", s->name);
		return FAILED;
	}
	return OPENED;
}

/* Split a weak group that cannot be scheduled. Return: index of the next event to open. */
static u32 split_group(struct rings *r, u32 index)
{
	u32 leader = r->specs->v[index]->leader, n = r->specs->v[leader]->group_members, i;

	diag_info(1, "%s: the group cannot count together: taking it apart", r->specs->v[leader]->name);
	for (i = leader; i < leader + n; i++) {
		struct event_spec *s = r->specs->v[i];

		close_event(r, i);
		s->leader = i;
		s->group_members = 1;
		s->attr.disabled = 1;
		s->attr.enable_on_exec = r->specs->v[leader]->attr.enable_on_exec;
		s->attr.read_format &= ~PERF_FORMAT_GROUP;
	}
	return leader;
}

struct error *rings_open(struct rings *r)
{
	struct opener o = { .r = r };
	u32 n = r->cpus.nr * r->threads.nr, i, j;
	struct error *err = NULL;

	r->events = xcalloc(r->specs->nr, sizeof(*r->events));
	for (i = 0; i < r->specs->nr; i++) {
		r->events[i].fds = xcalloc(n, sizeof(int));
		r->events[i].ids = xcalloc(n, sizeof(u64));
		for (j = 0; j < n; j++)
			r->events[i].fds[j] = -1;
	}
	if ((u64)r->specs->nr * n > 900)
		raise_fd_limit((u64)r->specs->nr * n + 256);
	for (i = 0; i < r->specs->nr;) {
		switch (open_event_everywhere(&o, i, &err)) {
		case OPENED:
		case SKIPPED:
			i++;
			break;
		case CHANGED:
			break;
		case WEAK:
			i = split_group(r, i);
			break;
		case FAILED:
			return err;
		}
	}
	if (o.user_only)
		diag_warn("kernel.perf_event_paranoid is %d: only user code is sampled", kernel_paranoid());
	return NULL;
}

u32 rings_ioctl(struct rings *r, unsigned long request, const char *name)
{
	u32 n = r->cpus.nr * r->threads.nr, i, j, matched = 0;

	for (i = 0; i < r->specs->nr; i++) {
		struct event_spec *s = r->specs->v[i];

		if (s->is_dummy || (name && strcmp(name, s->name)))
			continue;
		matched++;
		for (j = 0; j < n; j++)
			if (r->events[i].fds[j] >= 0)
				ioctl(r->events[i].fds[j], request, 0);
	}
	return matched;
}

static struct error *filter_error(const struct event_spec *s, int err)
{
	size_t system = strcspn(s->name, ":");

	return error_create(err, "--filter '%s': the kernel does not accept it for %s (%m); its fields: "
			    "%s/events/%.*s/%s/format", s->filter, s->name, tracefs_root(),
			    (int)system, s->name, s->name + system + (s->name[system] == ':'));
}

struct error *rings_set_filters(struct rings *r)
{
	u32 n = r->cpus.nr * r->threads.nr, i, j;

	for (i = 0; i < r->specs->nr; i++) {
		struct event_spec *s = r->specs->v[i];

		for (j = 0; s->filter && j < n; j++) {
			if (r->events[i].fds[j] < 0)
				continue;
			if (ioctl(r->events[i].fds[j], PERF_EVENT_IOC_SET_FILTER, s->filter))
				return filter_error(s, errno);
		}
	}
	return NULL;
}

u64 rings_lost(struct rings *r, u32 spec)
{
	const struct perf_event_attr *a = &r->specs->v[spec]->attr;
	u32 n = r->cpus.nr * r->threads.nr, j;
	u64 buf[64], sum = 0;
	ssize_t got;

	if (!(a->read_format & PERF_FORMAT_LOST) || a->read_format & PERF_FORMAT_GROUP)
		return 0;
	for (j = 0; j < n; j++) {
		if (r->events[spec].fds[j] < 0)
			continue;
		got = read(r->events[spec].fds[j], buf, sizeof(buf));
		/* value [enabled running] id lost: the last word */
		if (got >= 24)
			sum += buf[got / 8 - 1];
	}
	return sum;
}
