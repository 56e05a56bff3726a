// SPDX-License-Identifier: GPL-2.0
/*
 * Event names from libpfm4 (pfm_get_os_event_encoding(3)), loaded for the first name that is not
 * found elsewhere, as that takes time. LIBPFM_FORCE_PMU=skl in the environment: tables of another
 * CPU.
 */
#if !defined(NO_LIBPFM) && !defined(PERF_STATIC) && __has_include(<perfmon/pfmlib_perf_event.h>)
#define HAVE_LIBPFM
#endif

#include <ctype.h>
#include <stdio.h>
#ifdef HAVE_LIBPFM
#include <dlfcn.h>
#include <linux/perf_event.h>	/* first: libpfm4 has a copy */
#include <perfmon/pfmlib_perf_event.h>
#endif

#include "base/types.h"
#include "spec/names.h"

struct each {
	void (*fn)(const char *name, const char *pmu, const char *what, void *arg);
	void *arg;
};

#ifdef HAVE_LIBPFM

#define LEVELS (PFM_PLM0 | PFM_PLM3 | PFM_PLMH)

static struct {
	bool tried;
	const char *missing;		/* the reason why it cannot be used; NULL: it can */
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_pmu_info) *get_pmu_info;
	__typeof__(pfm_get_event_next) *get_event_next;
	__typeof__(pfm_get_event_info) *get_event_info;
	__typeof__(pfm_get_event_attr_info) *get_event_attr_info;
	__typeof__(pfm_get_os_event_encoding) *encode;
} lib;

static const char *load(void)
{
	const struct { const char *name; void **fn; } symbols[] = {
		{ "pfm_initialize", (void **)&lib.initialize },
		{ "pfm_strerror", (void **)&lib.strerror },
		{ "pfm_get_pmu_info", (void **)&lib.get_pmu_info },
		{ "pfm_get_event_next", (void **)&lib.get_event_next },
		{ "pfm_get_event_info", (void **)&lib.get_event_info },
		{ "pfm_get_event_attr_info", (void **)&lib.get_event_attr_info },
		{ "pfm_get_os_event_encoding", (void **)&lib.encode },
	};
	void *so;
	u32 i;
	int err;

	if (lib.tried)
		return lib.missing;
	lib.tried = true;
	so = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!so)
		return lib.missing = "events by the vendor's names need libpfm4, which is not installed";
	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		*symbols[i].fn = dlsym(so, symbols[i].name);
		if (!*symbols[i].fn)
			return lib.missing = "libpfm.so.4 is not the library that it is expected to be";
	}
	err = lib.initialize();
	if (err)
		lib.missing = lib.strerror(err);
	return lib.missing;
}

static int encode(const char *name, struct perf_event_attr *attr, const char **why)
{
	struct perf_event_attr got = { .size = sizeof(got) };
	pfm_perf_encode_arg_t arg = { .attr = &got, .size = sizeof(arg) };
	int err = lib.encode(name, LEVELS, PFM_OS_PERF_EVENT_EXT, &arg);

	*why = lib.strerror(err);
	if (err)
		return err == PFM_ERR_NOTFOUND ? -ENOENT : -EINVAL;
	attr->type = got.type;
	attr->config = got.config;
	attr->config1 = got.config1;
	attr->config2 = got.config2;
	attr->precise_ip = got.precise_ip;
	attr->exclude_user = got.exclude_user;
	attr->exclude_kernel = got.exclude_kernel;
	attr->exclude_hv = got.exclude_hv;
	return 0;
}

/* Report event "MEM_LOAD_RETIRED", mask "L3_MISS" as mainline spells it. */
static void one_name(const struct each *e, const char *event, const char *mask, const char *pmu, const char *what)
{
	struct perf_event_attr attr;
	const char *why;
	char name[256], *p;

	snprintf(name, sizeof(name), mask ? "%s.%s" : "%s", event, mask);
	for (p = name; *p; p++)
		*p = tolower((unsigned char)*p);
	if (!encode(name, &attr, &why))
		e->fn(name, pmu, what, e->arg);
}

static void names_of_event(const struct each *e, int idx, const char *pmu)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_event_attr_info_t attr;
	bool masks = false;
	int i;

	if (lib.get_event_info(idx, PFM_OS_PERF_EVENT_EXT, &event))
		return;
	pfm_for_each_event_attr(i, &event) {
		attr = (pfm_event_attr_info_t){ .size = sizeof(attr) };
		if (lib.get_event_attr_info(idx, i, PFM_OS_PERF_EVENT_EXT, &attr) || attr.type != PFM_ATTR_UMASK)
			continue;
		masks = true;
		one_name(e, event.name, attr.name, pmu, attr.desc);
	}
	if (!masks)
		one_name(e, event.name, NULL, pmu, event.desc);
}

static void names_of_all(const struct each *e)
{
	pfm_pmu_info_t pmu;
	int i, idx, err = 0;

	/* The library may have more PMUs than the header it was compiled with. */
	for (i = 0; err != PFM_ERR_INVAL; i++) {
		pmu = (pfm_pmu_info_t){ .size = sizeof(pmu) };
		err = lib.get_pmu_info(i, &pmu);
		if (err || !pmu.is_present || pmu.type == PFM_PMU_TYPE_OS_GENERIC)
			continue;
		for (idx = pmu.first_event; idx != -1; idx = lib.get_event_next(idx))
			names_of_event(e, idx, pmu.name);
	}
}

#else

static const char *load(void)
{
	return "events by the vendor's names need libpfm4, without which this perf was built";
}

static int encode(const char *name __unused, struct perf_event_attr *attr __unused, const char **why __unused)
{
	return -ENOSYS;
}

static void names_of_all(const struct each *e __unused)
{
}

#endif

bool pfm_built(void)
{
#ifdef HAVE_LIBPFM
	return true;
#else
	return false;
#endif
}

int pfm_event(const char *name, struct perf_event_attr *attr, const char **why)
{
	*why = load();
	return *why ? -ENOSYS : encode(name, attr, why);
}

void pfm_event_each(void (*fn)(const char *name, const char *pmu, const char *what, void *arg), void *arg)
{
	const struct each e = { fn, arg };

	if (!load())
		names_of_all(&e);
}
