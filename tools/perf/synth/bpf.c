// SPDX-License-Identifier: GPL-2.0
/* Loaded BPF programs: a KSYMBOL for each function, a BPF_EVENT for each program (bpf(2)). */
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "synth/synth.h"

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void put_symbol(struct synth *s, u64 addr, u32 len, const struct bpf_prog_info *info, u32 sub)
{
	const struct ksymbol_record r = {
		.header = { .type = PERF_RECORD_KSYMBOL, .misc = PERF_RECORD_MISC_KERNEL },
		.addr = addr, .len = len, .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF,
	};
	char name[128];
	size_t at;
	u32 i, n;

	n = snprintf(name, sizeof(name), "bpf_prog_");
	for (i = 0; i < BPF_TAG_SIZE; i++)
		n += snprintf(name + n, sizeof(name) - n, "%02x", info->tag[i]);
	if (!sub && info->name[0])
		snprintf(name + n, sizeof(name) - n, "_%.*s", (int)sizeof(info->name), info->name);
	else if (sub)
		snprintf(name + n, sizeof(name) - n, "_F");
	at = synth_fixed(s, &r.header);
	synth_string(s, name, strlen(name));
	synth_end(s, at, true);
}

static void put_program(struct synth *s, const struct bpf_prog_info *info)
{
	struct bpf_record r = {
		.header = { .type = PERF_RECORD_BPF_EVENT, .misc = PERF_RECORD_MISC_KERNEL },
		.type = PERF_BPF_EVENT_PROG_LOAD, .id = info->id,
	};

	memcpy(r.tag, info->tag, sizeof(r.tag));
	synth_end(s, synth_fixed(s, &r.header), true);
}

static void one_program(struct synth *s, int fd)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = { .info = { .bpf_fd = fd, .info_len = sizeof(info), .info = (u64)(size_t)&info } };
	_cleanup_free_ u64 *syms = NULL;
	_cleanup_free_ u32 *lens = NULL;
	u32 nr, i;

	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		return;
	nr = info.nr_jited_ksyms;
	if (!nr || nr != info.nr_jited_func_lens || nr > 65536)
		return;
	syms = xcalloc(nr, sizeof(*syms));
	lens = xcalloc(nr, sizeof(*lens));
	memset(&info, 0, sizeof(info));
	info.nr_jited_ksyms = info.nr_jited_func_lens = nr;
	info.jited_ksyms = (u64)(size_t)syms;
	info.jited_func_lens = (u64)(size_t)lens;
	attr = (union bpf_attr){ .info = { .bpf_fd = fd, .info_len = sizeof(info),
					   .info = (u64)(size_t)&info } };
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		return;
	nr = min(nr, info.nr_jited_ksyms);
	for (i = 0; i < nr; i++)
		if (syms[i])
			put_symbol(s, syms[i], lens[i], &info, i);
	put_program(s, &info);
}

void synth_bpf(struct synth *s)
{
	union bpf_attr attr;
	u32 id = 0;
	int fd;

	for (;;) {
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (bpf(BPF_PROG_GET_NEXT_ID, &attr))
			return;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue;
		one_program(s, fd);
		close(fd);
	}
}
