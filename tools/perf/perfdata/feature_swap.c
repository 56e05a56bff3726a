// SPDX-License-Identifier: GPL-2.0
/*
 * Converts copies of feature sections of the other byte order, most by a string of their fields
 * (features[]). Every count is checked against the bytes that are left.
 */
#include "event/records.h"
#include "perfdata/perfdata_private.h"
#include "perfdata/rewrite.h"

/*
 * 4, 8: an integer of that many bytes. s: a string, u32 length and bytes. n(...), N(...): a count
 * of 4 or 8 bytes, and that many repetitions of the parentheses. c(...): one repetition per CPU. m:
 * a bitmap, its number of bits in 8 bytes, then words. *(...): repetitions up to the end. b: bytes
 * without an order, up to the end. !: nothing may follow. A section may end before any field.
 */
static const char *const features[FEAT_MAX] = {
	[FEAT_TRACING_DATA] = "b", [FEAT_HOSTNAME] = "s", [FEAT_OSRELEASE] = "s",
	[FEAT_VERSION] = "s", [FEAT_ARCH] = "s", [FEAT_NRCPUS] = "44", [FEAT_CPUDESC] = "s",
	[FEAT_CPUID] = "s", [FEAT_TOTAL_MEM] = "8", [FEAT_CMDLINE] = "n(s)",
	[FEAT_CPU_TOPOLOGY] = "n(s)n(s)c(44)n(s)c(4)", [FEAT_NUMA_TOPOLOGY] = "n(488s)",
	[FEAT_BRANCH_STACK] = "", [FEAT_PMU_MAPPINGS] = "n(4s)", [FEAT_GROUP_DESC] = "n(s44)",
	[FEAT_AUXTRACE] = "*(8)", [FEAT_STAT] = "", [FEAT_CACHE] = "4n(4444sss)",
	[FEAT_SAMPLE_TIME] = "88", [FEAT_MEM_TOPOLOGY] = "88N(88m)", [FEAT_CLOCKID] = "8",
	[FEAT_DIR_FORMAT] = "8", [FEAT_COMPRESSED] = "44444", [FEAT_CPU_PMU_CAPS] = "n(ss)",
	[FEAT_CLOCK_DATA] = "4488", [FEAT_HYBRID_TOPOLOGY] = "n(ss)",
	[FEAT_PMU_CAPS] = "n(n(ss)s)", [FEAT_BPF_PROG_INFO] = "n(!)", [FEAT_BPF_BTF] = "n(!)", [FEAT_CPU_DOMAIN_INFO] = "44*(4n(4sss))",
	[FEAT_E_MACHINE] = "44", [FEAT_CLN_SIZE] = "4", [FEAT_STACK_COPIES] = "n(4)",
	[FEAT_NAMES] = "b",
};

struct swapper {
	u8 *p, *end;
	u32 nr_cpus;
	bool bad;
};

/* Swap an integer in place. Return: its value; 0 past the end. */
static u64 number(struct swapper *w, unsigned int size)
{
	u32 half;
	u64 v;

	if (size > (size_t)(w->end - w->p)) {
		w->bad |= w->p < w->end;
		w->p = w->end;
		return 0;
	}
	if (size == 4) {
		memcpy(&half, w->p, sizeof(half));
		v = half = bswap_32(half);
		memcpy(w->p, &half, sizeof(half));
	} else {
		memcpy(&v, w->p, sizeof(v));
		v = bswap_64(v);
		memcpy(w->p, &v, sizeof(v));
	}
	w->p += size;
	return v;
}

static void skip(struct swapper *w, u64 n)
{
	w->bad |= n > (u64)(w->end - w->p);
	w->p += min(n, (u64)(w->end - w->p));
}

/* The position after the parenthesis that closes the one at @f. */
static const char *closing(const char *f)
{
	int depth = 0;

	do {
		depth += (*f == '(') - (*f == ')');
		f++;
	} while (depth);
	return f;
}

static void fields(struct swapper *w, const char *f);

/* @f: at the opening parenthesis. Return: the position after the closing one. */
static const char *repeat(struct swapper *w, const char *f, u64 times)
{
	u64 i;

	for (i = 0; i < times && w->p < w->end && !w->bad; i++)
		fields(w, f + 1);
	return closing(f);
}

static void fields(struct swapper *w, const char *f)
{
	u64 n;

	while (*f && *f != ')' && w->p < w->end && !w->bad) {
		switch (*f++) {
		case '4':
			number(w, 4);
			break;
		case '8':
			number(w, 8);
			break;
		case 's':
			skip(w, number(w, 4));
			break;
		case 'm':
			n = number(w, 8);
			for (n = n / 64 + !!(n % 64); n && w->p < w->end && !w->bad; n--)
				number(w, 8);
			break;
		case 'n':
			f = repeat(w, f, number(w, 4));
			break;
		case 'N':
			f = repeat(w, f, number(w, 8));
			break;
		case 'c':
			f = repeat(w, f, w->nr_cpus);
			break;
		case '*':
			f = repeat(w, f, UINT64_MAX);
			break;
		case 'b':
			w->p = w->end;
			break;
		default:
			w->bad = true;
			break;
		}
	}
}

/* Attributes of events, each with its name and ids. */
static void event_desc(struct swapper *w)
{
	u32 nr = number(w, 4), attr_size = number(w, 4), ids;

	for (; nr && w->p < w->end && !w->bad; nr--) {
		u8 *attr = w->p;

		skip(w, attr_size);
		if (!w->bad)
			swap_attr(attr, attr_size);
		ids = number(w, 4);
		skip(w, number(w, 4));
		for (; ids && w->p < w->end && !w->bad; ids--)
			number(w, 8);
	}
}

/* Records whose size may not be a multiple of 8. */
static void build_ids(struct swapper *w)
{
	while (!w->bad && w->p < w->end) {
		struct build_id_record b;

		if ((size_t)(w->end - w->p) < sizeof(b)) {
			w->bad = true;
			return;
		}
		memcpy(&b, w->p, sizeof(b));
		swap_header(&b.header);
		b.pid = bswap_32(b.pid);
		memcpy(w->p, &b, sizeof(b));
		w->bad |= b.header.size < sizeof(b);
		skip(w, b.header.size);
	}
}

bool feature_to_host(u32 bit, u32 nr_cpus, const void *data, size_t size, struct outbuf *o)
{
	struct swapper w = { .nr_cpus = nr_cpus };

	/* perf writes one more, empty feature after the last feature of a stream. */
	if (size && (bit >= FEAT_MAX ||
		     (!features[bit] && bit != FEAT_EVENT_DESC && bit != FEAT_BUILD_ID)))
		return false;
	outbuf_init(o);
	outbuf_write(o, data, size);
	w.p = (u8 *)o->base;
	w.end = w.p + size;
	if (bit == FEAT_EVENT_DESC)
		event_desc(&w);
	else if (bit == FEAT_BUILD_ID)
		build_ids(&w);
	else if (size)
		fields(&w, features[bit]);
	if (w.bad) {
		outbuf_deinit(o);
		*o = (struct outbuf){ 0 };
	}
	return !w.bad;
}
