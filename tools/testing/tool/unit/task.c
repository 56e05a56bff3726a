// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks, names and mappings over time.
 */
#include <stdio.h>

#include "event/abi.h"
#include "symbol/dso.h"
#include "timeline/frame.h"
#include "timeline/maps.h"
#include "timeline/timeline.h"
#include "unit.h"

static struct dso_table *dsos;
static struct timeline *tl;
static struct map_info infos[20000];	/* a test's records of mappings */
static u32 nr_infos;

static void read_info(const void *rec, struct map_info *m)
{
	*m = *(const struct map_info *)rec;
}

static int setup(void **state __unused)
{
	dsos = dso_table_create(NULL);
	tl = timeline_create(dsos);
	timeline_records(tl, read_info, NULL, NULL);
	nr_infos = 0;
	return 0;
}

static int teardown(void **state __unused)
{
	timeline_destroy(tl);
	dso_table_destroy(dsos);
	return 0;
}

static struct map_info *map_record(const struct map_info *m, u64 time)
{
	struct map_info *rec = &infos[nr_infos++];

	*rec = *m;
	rec->record_size = sizeof(*rec);
	timeline_map_record(tl, rec, time);
	return rec;
}

static void map(u32 pid, u64 start, u64 len, const char *name, u64 time)
{
	struct map_info info = { .pid = pid, .tid = pid == PID_KERNEL ? 0 : pid, .start = start,
				 .len = len, .name = name, .prot = 5,
				 .kernel = pid == PID_KERNEL };

	map_record(&info, time);
}

static const char *comm(u32 pid, u32 tid, u64 time)
{
	return thread_comm(tl, timeline_thread(tl, pid, tid, time), time);
}

/* The file that is mapped at an address of a task; "-": none. */
static const char *file_at(u32 pid, u32 tid, u64 addr, u64 time)
{
	const struct thread *t = timeline_thread(tl, pid, tid, time);
	const struct map *m = space_find(tl, thread_space(tl, t, time), addr, time, NULL);

	return m ? m->dso->name : "-";
}

static const char *kernel_at(u64 addr, u64 time)
{
	const struct map *m = space_find(tl, timeline_kernel_space(tl), addr, time, NULL);

	return m ? m->dso->name : "-";
}

TEST_WITH(comms, setup, teardown)
{
	timeline_comm(tl, 7, 7, "one", false, 100);
	timeline_comm(tl, 7, 7, "two", false, 200);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(comm(7, 7, 50), ":7");
	assert_string_equal(comm(7, 7, 100), "one");
	assert_string_equal(comm(7, 7, 199), "one");
	assert_string_equal(comm(7, 7, 200), "two");
	assert_string_equal(comm(9, 9, 200), ":9");
	assert_string_equal(comm(0, 0, 200), "swapper");
	assert_string_equal(comm(-1, -1, 200), ":-1");
	/* Equal names are one string, so that they compare by address. */
	assert_ptr_equal(comm(7, 7, 100), comm(7, 7, 150));
}

TEST_WITH(equal_times_go_by_number, setup, teardown)
{
	char tmp[THREAD_NAME_SIZE];
	const struct thread *t;

	timeline_at(tl, 10);
	timeline_fork(tl, 7, 7, 0, 0, true, 0);
	timeline_at(tl, 11);
	timeline_comm(tl, 7, 7, "init", false, 0);
	timeline_seal_until(tl, UINT64_MAX);
	t = timeline_thread(tl, 7, 7, 0);
	assert_string_equal(thread_comm_at(tl, t, 0, 10, tmp), "swapper");
	assert_string_equal(thread_comm_at(tl, t, 0, 11, tmp), "init");
	assert_string_equal(comm(7, 7, 0), "init");
}

/* The first name is kept in the task if its time follows from its number: so is not the second. */
TEST_WITH(first_names, setup, teardown)
{
	char tmp[THREAD_NAME_SIZE];
	const struct thread *t;

	timeline_at(tl, 10);
	timeline_comm(tl, 7, 7, "at 0", false, 0);
	timeline_comm(tl, 8, 8, "at 11", false, 11);
	timeline_comm(tl, 9, 9, "at 100", false, 100);
	timeline_at(tl, 1ULL << 40);
	timeline_comm(tl, 10, 10, "late", false, 1ULL << 40);
	timeline_fork(tl, 11, 11, 8, 8, false, 1ULL << 41);
	timeline_seal_until(tl, UINT64_MAX);
	t = timeline_thread(tl, 7, 7, 0);
	assert_string_equal(thread_comm_at(tl, t, 0, 9, tmp), ":7");
	assert_ptr_equal(thread_comm_at(tl, t, 0, 9, tmp), tmp);
	assert_string_equal(thread_comm_at(tl, t, 0, 10, tmp), "at 0");
	t = timeline_thread(tl, 8, 8, 0);
	assert_string_equal(thread_comm_at(tl, t, 11, 10, tmp), ":8");
	assert_string_equal(thread_comm_at(tl, t, 11, 11, tmp), "at 11");
	assert_string_equal(thread_comm_at(tl, t, 12, 0, tmp), "at 11");
	assert_string_equal(comm(9, 9, 99), ":9");
	assert_string_equal(comm(9, 9, 100), "at 100");
	assert_string_equal(comm(10, 10, (1ULL << 40) - 1), ":10");
	assert_string_equal(comm(10, 10, 1ULL << 40), "late");
	assert_string_equal(comm(11, 11, 1ULL << 41), "at 11");

	timeline_at(tl, 1ULL << 42);
	timeline_comm(tl, 7, 7, "at 0", false, 1ULL << 42);
	timeline_comm(tl, 8, 8, "second", false, 1ULL << 42);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(comm(7, 7, -1), "at 0");
	t = timeline_thread(tl, 8, 8, 0);
	assert_string_equal(thread_comm_at(tl, t, 11, 10, tmp), ":8");
	assert_string_equal(thread_comm_at(tl, t, 11, 11, tmp), "at 11");
	assert_string_equal(comm(8, 8, (1ULL << 42) - 1), "at 11");
	assert_string_equal(comm(8, 8, 1ULL << 42), "second");
}

TEST_WITH(records_in_any_order, setup, teardown)
{
	timeline_comm(tl, 7, 7, "two", false, 200);
	timeline_fork(tl, 7, 8, 7, 7, false, 150);
	timeline_comm(tl, 7, 7, "one", false, 100);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(comm(7, 7, 120), "one");
	assert_string_equal(comm(7, 8, 160), "one");
	assert_string_equal(comm(7, 8, 210), "one");
	assert_string_equal(comm(7, 7, 210), "two");
}

TEST_WITH(fork_inherits, setup, teardown)
{
	timeline_comm(tl, 7, 7, "parent", false, 1);
	map(7, 0x1000, 0x1000, "/bin/a", 10);
	timeline_fork(tl, 8, 8, 7, 7, false, 100);
	map(7, 0x1000, 0x1000, "/bin/b", 200);
	map(8, 0x3000, 0x1000, "/bin/c", 300);
	timeline_fork(tl, 9, 9, 8, 8, false, 400);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(comm(8, 8, 100), "parent");
	assert_string_equal(file_at(8, 8, 0x1800, 150), "/bin/a");
	/* What the parent does later is its own affair. */
	assert_string_equal(file_at(8, 8, 0x1800, 250), "/bin/a");
	assert_string_equal(file_at(7, 7, 0x1800, 250), "/bin/b");
	assert_string_equal(file_at(8, 8, 0x3800, 299), "-");
	assert_string_equal(file_at(8, 8, 0x3800, 300), "/bin/c");
	assert_string_equal(file_at(9, 9, 0x3800, 400), "/bin/c");
	assert_string_equal(file_at(9, 9, 0x1800, 400), "/bin/a");
	assert_string_equal(file_at(7, 7, 0x3800, 400), "-");
}

TEST_WITH(synthesized_fork_does_not, setup, teardown)
{
	map(7, 0x1000, 0x1000, "/bin/a", 0);
	timeline_fork(tl, 8, 8, 7, 7, true, 0);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(file_at(8, 8, 0x1800, 0), "-");
}

TEST_WITH(threads_share, setup, teardown)
{
	map(7, 0x1000, 0x1000, "/bin/a", 10);
	timeline_fork(tl, 7, 8, 7, 7, false, 100);
	map(7, 0x2000, 0x1000, "/lib/late", 200);
	timeline_exit(tl, 7, 7, 300);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(file_at(7, 8, 0x1800, 150), "/bin/a");
	assert_string_equal(file_at(7, 8, 0x2800, 150), "-");
	assert_string_equal(file_at(7, 8, 0x2800, 250), "/lib/late");
	/* The leader's exit takes nothing from the others. */
	assert_string_equal(file_at(7, 8, 0x2800, 350), "/lib/late");
}

TEST_WITH(exec_maps_over, setup, teardown)
{
	map(7, 0x1000, 0x1000, "/bin/old", 10);
	map(7, 0x8000, 0x1000, "/lib/old", 10);
	timeline_comm(tl, 7, 7, "new", true, 100);
	map(7, 0x1000, 0x1000, "/bin/new", 110);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(file_at(7, 7, 0x1800, 99), "/bin/old");
	assert_string_equal(comm(7, 7, 99), ":7");
	assert_string_equal(comm(7, 7, 100), "new");
	/* Until the new image runs, addresses in samples are the old one's. */
	assert_string_equal(file_at(7, 7, 0x1800, 105), "/bin/old");
	assert_string_equal(file_at(7, 7, 0x1800, 110), "/bin/new");
}

TEST_WITH(mapped_over, setup, teardown)
{
	map(7, 0x1000, 0x9000, "/big", 10);
	map(7, 0x3000, 0x1000, "/small", 20);
	map(7, 0x2000, 0x1000, "/big", 30);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(file_at(7, 7, 0x3800, 15), "/big");
	assert_string_equal(file_at(7, 7, 0x3800, 20), "/small");
	assert_string_equal(file_at(7, 7, 0x2fff, 20), "/big");
	assert_string_equal(file_at(7, 7, 0x4000, 20), "/big");
	assert_string_equal(file_at(7, 7, 0x9fff, 20), "/big");
	assert_string_equal(file_at(7, 7, 0xa000, 20), "-");
	assert_string_equal(file_at(7, 7, 0x1000, 9), "-");
}

static void assert_area(const struct map_area *area, u64 start, u64 end, u64 from, u64 until)
{
	assert_int_equal(area->start, start);
	assert_int_equal(area->end, end);
	assert_int_equal(area->from, from);
	assert_int_equal(area->until, until);
}

TEST_WITH(validity, setup, teardown)
{
	const struct space *sp;
	struct map_area area;

	map(7, 0x1000, 0x1000, "/a", 10);
	map(7, 0x5000, 0x1000, "/else", 20);
	map(7, 0x1000, 0x2000, "/b", 30);
	timeline_seal_until(tl, UINT64_MAX);
	sp = thread_space(tl, timeline_thread(tl, 7, 7, 10), 10);
	assert_null(space_find(tl, sp, 0x1800, 5, &area));
	assert_area(&area, 0x1000, 0x2000, 0, 10);
	assert_non_null(space_find(tl, sp, 0x1800, 15, &area));
	assert_area(&area, 0x1000, 0x2000, 10, 30);
	assert_null(space_find(tl, sp, 0x2800, 15, &area));
	assert_area(&area, 0x2000, 0x3000, 0, 30);
	assert_non_null(space_find(tl, sp, 0x1800, 99, &area));
	assert_area(&area, 0x1000, 0x3000, 30, -1);
	assert_null(space_find(tl, sp, 0x4000, 99, &area));
	assert_area(&area, 0x3000, 0x5000, 0, -1);
	timeline_known_until(tl, 40);
	assert_non_null(space_find(tl, sp, 0x1800, 35, &area));
	assert_area(&area, 0x1000, 0x3000, 30, 41);
}

TEST_WITH(tid_reuse, setup, teardown)
{
	timeline_comm(tl, 7, 7, "first", false, 10);
	map(7, 0x1000, 0x1000, "/first", 10);
	timeline_exit(tl, 7, 7, 100);
	timeline_fork(tl, 7, 7, 1, 1, false, 200);
	timeline_comm(tl, 7, 7, "second", false, 210);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(comm(7, 7, 100), "first");
	/* Between its exit and the next fork it is the one that exits. */
	assert_string_equal(comm(7, 7, 150), "first");
	assert_string_equal(file_at(7, 7, 0x1800, 150), "/first");
	assert_ptr_equal(timeline_thread(tl, 7, 7, 50), timeline_thread(tl, 7, 7, 150));
	assert_string_equal(comm(7, 7, 210), "second");
	assert_string_equal(file_at(7, 7, 0x1800, 50), "/first");
	assert_string_equal(file_at(7, 7, 0x1800, 250), "-");
	assert_ptr_not_equal(timeline_thread(tl, 7, 7, 50), timeline_thread(tl, 7, 7, 250));
	assert_int_equal(thread_until(tl, timeline_thread(tl, 7, 7, 50)), 100);
	assert_int_equal(thread_until(tl, timeline_thread(tl, 7, 7, 250)), -1);
}

TEST_WITH(kernel_and_modules, setup, teardown)
{
	struct map_info program = { .pid = PID_KERNEL, .start = 0xffffffffc0500000, .len = 0x100,
				    .pgoff = 0xffffffffc0500000, .name = "bpf_prog_x", .bpf = true };

	map(PID_KERNEL, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", 0);
	map(PID_KERNEL, 0xffffffffc0400000, 0x9000, "[virtio_blk]", 0);
	map_record(&program, 100);
	program.unregister = true;
	map_record(&program, 200);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(kernel_at(0xffffffff81000100, 50), "[kernel.kallsyms]");
	/* Behind the text that the record tells there is init text. */
	assert_string_equal(kernel_at(0xffffffff83000100, 50), "[kernel.kallsyms]");
	assert_string_equal(kernel_at(0xffffffffc0400100, 50), "[virtio_blk]");
	assert_string_equal(kernel_at(0xffffffffc0500010, 150), "bpf_prog_x");
	assert_string_equal(kernel_at(0x1000, 50), "-");
	assert_ptr_equal(timeline_space(tl, timeline_thread(tl, 7, 7, 0), PERF_RECORD_MISC_KERNEL,
					0), timeline_kernel_space(tl));
	assert_null(timeline_space(tl, timeline_thread(tl, 7, 7, 0), PERF_RECORD_MISC_GUEST_USER,
				   0));
}

TEST_WITH(guests_are_apart, setup, teardown)
{
	struct map_info guest = { .pid = PID_KERNEL, .start = 0xffffffff80000000, .len = 0x1000,
				  .name = "[guest.kernel.kallsyms]_text", .kernel = true,
				  .guest = true };

	map(PID_KERNEL, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text", 0);
	map_record(&guest, 0);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(kernel_at(0xffffffff80000010, 0), "-");
	assert_string_equal(space_find(tl, timeline_space(tl, timeline_thread(tl, 7, 7, 0),
							  PERF_RECORD_MISC_GUEST_KERNEL, 0),
				       0xffffffff80000010, 0, NULL)->dso->name,
			    "[guest.kernel.kallsyms]");
}

TEST_WITH(sealed_again, setup, teardown)
{
	const struct thread *t;

	timeline_comm(tl, 7, 7, "one", false, 10);
	timeline_seal_until(tl, UINT64_MAX);
	t = timeline_thread(tl, 7, 7, 20);
	assert_string_equal(thread_comm(tl, t, 20), "one");
	timeline_comm(tl, 7, 7, "two", false, 30);
	map(7, 0x1000, 0x1000, "/a", 40);
	timeline_seal_until(tl, UINT64_MAX);
	assert_ptr_equal(timeline_thread(tl, 7, 7, 50), t);
	assert_string_equal(thread_comm(tl, t, 50), "two");
	assert_string_equal(file_at(7, 7, 0x1000, 50), "/a");
}

/* The tree answers as a scan does. */
static u64 seed = 1;

static u64 random_below(u64 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 24) % n;
}

/* The newest mapping of an address. @until: set to the time of the next one */
static const struct map *newest_of(const struct map *maps, u32 nr, u64 addr, u64 time, u64 *until)
{
	const struct map *newest = NULL;
	u32 i;

	*until = -1;
	for (i = 0; i < nr; i++) {
		if (addr < maps[i].start || addr >= maps[i].end)
			continue;
		if (maps[i].from <= time)
			newest = &maps[i];
		else
			*until = min(*until, maps[i].from);
	}
	return newest;
}

/* @times: how many addresses below @end are looked for at times below @until */
static void compare_to_scan(const struct maps *ms, const struct map *maps, u32 nr, u32 times,
			    u64 end, u64 until)
{
	u32 i;

	for (i = 0; i < times; i++) {
		u64 addr = random_below(end), time = random_below(until), next;
		struct map_area area = MAP_AREA_ALL;
		const struct map *want = newest_of(maps, nr, addr, time, &next);

		assert_ptr_equal(maps_find(ms, addr, time, &area), want);
		assert_int_equal(area.until, next);
		/* The whole area has this result until then. */
		assert_in_range(addr, area.start, area.end - 1);
		addr = area.start + random_below(area.end - area.start);
		assert_ptr_equal(newest_of(maps, nr, addr, time, &next), want);
		assert_true(next >= area.until);
	}
}

TEST_WITH(many_maps, setup, teardown)
{
	struct maps tree = { 0 };
	static struct map maps[3000];
	u64 i;

	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		maps[i].start = random_below(5000);
		maps[i].end = maps[i].start + 1 + random_below(i % 7 ? 20 : 2000);
		maps[i].from = i / 3;
		maps_add(&tree, &maps[i]);
	}
	maps_seal(&tree);
	assert_non_null(tree.index);
	compare_to_scan(&tree, maps, ARRAY_SIZE(maps), 20000, 7500, 1100);
	maps_deinit(&tree);

	/* Few, which are scanned. */
	for (i = 0; i < 40; i++)
		maps_add(&tree, &maps[i]);
	maps_seal(&tree);
	assert_null(tree.index);
	compare_to_scan(&tree, maps, 40, 20000, 7500, 20);
	maps_deinit(&tree);
}

/* So many, each of which covers so many bounds of others, that there is no tree of them. */
TEST_WITH(long_maps, setup, teardown)
{
	static struct map maps[140001];
	struct maps ms = { 0 };
	const u64 nr = ARRAY_SIZE(maps);
	u64 i;

	/* Each in the one before */
	for (i = 0; i < nr; i++) {
		maps[i] = (struct map){ .start = i, .end = 2 * nr - i, .from = i / 3 };
		maps_add(&ms, &maps[i]);
	}
	maps_seal(&ms);
	compare_to_scan(&ms, maps, nr, 200, 2 * nr + 10, nr / 3 + 10);
	maps_deinit(&ms);

	/* Short and long ones, with a place where few are */
	for (i = 0; i < nr; i++) {
		maps[i].start = 10 * random_below(nr);
		maps[i].end = maps[i].start + 1 + random_below(i % 20 ? 20 : nr);
		if (maps[i].start < 8 * nr && maps[i].end > 8 * nr && i % 3000)
			maps[i].end = 8 * nr;
		maps[i].from = i / 3;
		maps_add(&ms, &maps[i]);
	}
	maps_seal(&ms);
	compare_to_scan(&ms, maps, nr, 200, 12 * nr, nr / 3 + 10);
	for (i = 0; i < 200; i++) {
		u64 addr = 8 * nr + i % 4, time = i * nr / 600;
		struct map_area area = MAP_AREA_ALL;
		struct map *m = maps_find(&ms, addr, time, &area), *want = NULL;
		u32 j;

		for (j = 0; j < nr && maps[j].from <= time; j++)
			if (addr >= maps[j].start && addr < maps[j].end)
				want = &maps[j];
		assert_ptr_equal(m, want);
	}
	maps_deinit(&ms);
}

static void stays(void *ctx __unused)
{
}

/*
 * Records are noted first: the answers are those of a timeline that makes an address space with the
 * first mapping, as it is asked then.
 */
static void as_records(void (*release)(void *ctx))
{
	static char names[64][16];
	struct timeline *at_once = tl, *by_record = timeline_create(dsos);
	u32 i, round;

	timeline_records(by_record, read_info, release, NULL);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		snprintf(names[i], sizeof(names[i]), "/lib/%u", i);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 6000; i++) {
			u64 time = 10 * (6000 * round + i);
			u32 pid = 1 + random_below(500), child = 1 + random_below(500);
			const struct map_info *m;

			timeline_at(at_once, 6000 * round + i);
			timeline_at(by_record, 6000 * round + i);
			if (random_below(8) == 0) {
				timeline_fork(at_once, child, child, pid, pid, false, time);
				timeline_fork(by_record, child, child, pid, pid, false, time);
				continue;
			}
			/* Some have many */
			if (random_below(3) == 0)
				pid = 1 + pid % 5;
			m = map_record(&(struct map_info){
				.pid = pid, .tid = pid, .start = 0x1000 * random_below(30),
				.len = 0x1000 * (1 + random_below(5)),
				.name = names[random_below(ARRAY_SIZE(names))],
			}, time);
			timeline_map_record(by_record, m, time);
			/* The same record again */
			if (random_below(4) == 0) {
				timeline_map_record(at_once, m, time);
				timeline_map_record(by_record, m, time);
			}
			timeline_seal_until(at_once, time);
			thread_space(at_once, timeline_thread(at_once, pid, pid, time), time);
		}
		timeline_seal_until(at_once, UINT64_MAX);
		timeline_seal_until(by_record, UINT64_MAX);
		for (i = 0; i < 20000; i++) {
			u64 time = random_below(60000 * (round + 1) + 100);
			u64 addr = random_below(0x25000);
			struct map_area area, want_area;
			u32 pid = random_below(510);
			const struct thread *t = timeline_thread(at_once, pid, pid, time);
			const struct map *m, *want;

			want = space_find(at_once, thread_space(at_once, t, time), addr, time,
					  &want_area);
			t = timeline_thread(by_record, pid, pid, time);
			m = space_find(by_record, thread_space(by_record, t, time), addr, time,
				       &area);
			assert_int_equal(!m, !want);
			if (!m)
				continue;
			assert_ptr_equal(m->dso, want->dso);
			assert_int_equal(m->start, want->start);
			assert_int_equal(m->end, want->end);
			assert_int_equal(m->from, want->from);
			assert_memory_equal(&area, &want_area, sizeof(area));
		}
	}
	timeline_destroy(by_record);
}

TEST_WITH(records_that_stay, setup, teardown)
{
	as_records(stays);
}

TEST_WITH(records_that_do_not, setup, teardown)
{
	as_records(NULL);
}

/* A compiler at run time that switches protections tells the same map again and again. */
TEST_WITH(same_map_again, setup, teardown)
{
	const struct space *sp;
	struct map_area area;
	u64 i;

	for (i = 0; i < 1000; i++)
		map(7, 0x1000, 0x1000, "//anon", 10 + i);
	timeline_seal_until(tl, UINT64_MAX);
	sp = thread_space(tl, timeline_thread(tl, 7, 7, 20), 20);
	assert_non_null(space_find(tl, sp, 0x1800, 500, &area));
	assert_area(&area, 0x1000, 0x2000, 10, -1);
}

TEST_WITH(frames_follow_the_maps, setup, teardown)
{
	struct frame_cache *fc = frame_cache_create(tl, 0);
	const struct space *sp;
	struct frame *a, *b;
	u64 i;

	map(7, 0x1000, 0x1000, "/a", 10);
	map(7, 0x1000, 0x1000, "/b", 30);
	timeline_seal_until(tl, UINT64_MAX);
	sp = thread_space(tl, timeline_thread(tl, 7, 7, 10), 10);
	a = frame_resolve(fc, sp, 0x1800, PERF_RECORD_MISC_USER, 15);
	assert_string_equal(a->dso->name, "/a");
	b = frame_resolve(fc, sp, 0x1800, PERF_RECORD_MISC_USER, 35);
	assert_string_equal(b->dso->name, "/b");
	assert_ptr_equal(frame_resolve(fc, sp, 0x1800, PERF_RECORD_MISC_USER, 29), a);
	assert_ptr_equal(frame_resolve(fc, sp, 0x1800, PERF_RECORD_MISC_USER, 30), b);
	assert_ptr_equal(frame_resolve(fc, sp, 0x1800, PERF_RECORD_MISC_USER, -1), b);
	/* Frames stay where they are while the cache grows. */
	for (i = 0; i < 10000; i++)
		frame_resolve(fc, sp, 0x10000 + i, PERF_RECORD_MISC_USER, 35);
	assert_ptr_equal(frame_resolve(fc, sp, 0x1800, PERF_RECORD_MISC_USER, 15), a);
	assert_null(frame_resolve(fc, NULL, 0x1800, PERF_RECORD_MISC_USER, 15)->dso);
	frame_cache_destroy(fc);
}

/* In a pipe, a mapping may be replaced after its first look-up. */
static const char *pipe_file(struct frame_cache *fc, const struct space *sp, u64 ip, u64 time)
{
	const struct dso *d = frame_resolve(fc, sp, ip, PERF_RECORD_MISC_USER, time)->dso;

	return d ? d->name : "-";
}

TEST_WITH(frames_of_a_pipe, setup, teardown)
{
	struct frame_cache *fc = frame_cache_create(tl, 0);
	const struct space *sp;

	map(7, 0x1000, 0x1000, "/a", 10);
	timeline_seal_until(tl, UINT64_MAX);
	timeline_known_until(tl, 20);
	sp = thread_space(tl, timeline_thread(tl, 7, 7, 10), 10);
	assert_string_equal(pipe_file(fc, sp, 0x1800, 15), "/a");
	assert_string_equal(pipe_file(fc, sp, 0x12800, 15), "-");
	map(7, 0x1000, 0x20000, "/b", 30);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(pipe_file(fc, sp, 0x1800, 35), "/b");
	assert_string_equal(pipe_file(fc, sp, 0x12800, 35), "/b");
	assert_string_equal(pipe_file(fc, sp, 0x1800, 29), "/a");
	frame_cache_destroy(fc);
}

/* Any number of processes that map a file, each somewhere else, have one frame for an address in it. */
TEST_WITH(frames_are_of_files, setup, teardown)
{
	struct frame_cache *fc = frame_cache_create(tl, 0);
	const u64 processes = 3000, addresses = 20;
	const struct space *sp;
	struct frame *first[20], *f;
	u64 i, k;

	for (i = 0; i < processes; i++)
		map(i + 1, 0x10000 * (i + 1), 0x1000, "/gone/lib", 10);
	timeline_seal_until(tl, UINT64_MAX);
	for (i = 0; i < processes; i++) {
		sp = thread_space(tl, timeline_thread(tl, i + 1, i + 1, 10), 10);
		for (k = 0; k < addresses; k++) {
			f = frame_resolve(fc, sp, 0x10000 * (i + 1) + 16 * k, PERF_RECORD_MISC_USER, 15);
			if (!i)
				first[k] = f;
			assert_ptr_equal(f, first[k]);
			assert_int_equal(f->ip, 0x10000 * (i + 1) + 16 * k);
			assert_int_equal(f->map->start, 0x10000 * (i + 1));
		}
	}
	frame_cache_destroy(fc);

	fc = frame_cache_create(tl, FRAMES_BY_IP);
	for (i = 0; i < 2; i++) {
		sp = thread_space(tl, timeline_thread(tl, i + 1, i + 1, 10), 10);
		first[i] = frame_resolve(fc, sp, 0x10000 * (i + 1), PERF_RECORD_MISC_USER, 15);
	}
	assert_ptr_not_equal(first[0], first[1]);
	frame_cache_destroy(fc);
}

/* However often it was renamed, or its tid used again: the answer is that of the time. */
TEST_WITH(long_histories, setup, teardown)
{
	static const char *const names[] = { "a", "b", "c" };
	u64 i;

	for (i = 0; i < 1000; i++) {
		timeline_fork(tl, 7, 7, 1, 1, false, 10 * i + 1);
		timeline_comm(tl, 8, 8, names[i % 3], false, 10 * i + 1);
		if (i % 2)
			timeline_exit(tl, 7, 7, 10 * i + 5);
	}
	timeline_seal_until(tl, UINT64_MAX);
	for (i = 0; i < 1000; i++) {
		const struct thread *t = timeline_thread(tl, 7, 7, 10 * i + 1);

		assert_int_equal(thread_until(tl, t),
				 i % 2 ? 10 * i + 5 : i < 999 ? 10 * i + 11 : (u64)-1);
		assert_ptr_equal(timeline_thread(tl, 7, 7, 10 * i + 5), t);
		assert_ptr_equal(timeline_thread(tl, 7, 7, 10 * i + 10), t);
		assert_string_equal(comm(8, 8, 10 * i), i ? names[(i - 1) % 3] : ":8");
		assert_string_equal(comm(8, 8, 10 * i + 1), names[i % 3]);
	}
}

/* What is forgotten belongs to no thread that is looked up. */
TEST_WITH(only_those_seen, setup, teardown)
{
	timeline_only_seen(tl);
	timeline_seen(tl, 20, 21);
	timeline_comm(tl, 7, 7, "grandparent", false, 1);
	map(7, 0x1000, 0x1000, "/bin/a", 10);
	timeline_comm(tl, 9, 9, "other", false, 15);
	timeline_fork(tl, 8, 8, 7, 7, false, 20);
	timeline_fork(tl, 20, 20, 8, 8, false, 30);
	map(20, 0x5000, 0x1000, "/bin/c", 35);
	timeline_fork(tl, 20, 21, 20, 20, false, 40);
	timeline_exit(tl, 20, 21, 90);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(comm(20, 21, 50), "grandparent");
	assert_string_equal(file_at(20, 21, 0x1800, 50), "/bin/a");
	assert_string_equal(file_at(20, 21, 0x5800, 50), "/bin/c");
	assert_int_equal(thread_until(tl, timeline_thread(tl, 20, 21, 50)), 90);
	assert_string_equal(comm(9, 9, 50), ":9");
}

/* Nothing introduced it, but its exit, a thread that has its tid later, and its process' maps. */
TEST_WITH(unknown_threads, setup, teardown)
{
	struct unknown_thread tmp = { 0 };
	const struct thread *t;

	map(10, 0x1000, 0x1000, "/bin/a", 10);
	timeline_exit(tl, 10, 11, 50);
	timeline_fork(tl, 10, 12, 10, 10, false, 60);
	timeline_fork(tl, 14, 14, 10, 10, false, 70);
	timeline_seal_until(tl, UINT64_MAX);
	assert_int_equal(thread_until(tl, timeline_thread(tl, 10, 11, 20)), 50);
	assert_int_equal(thread_until(tl, timeline_thread(tl, 10, 12, 20)), 60);
	assert_int_equal(thread_until(tl, timeline_thread(tl, 10, 13, 20)), -1);
	assert_string_equal(file_at(10, 13, 0x1800, 20), "/bin/a");
	/* Who had the pid before it was forked is not known. */
	assert_string_equal(file_at(14, 14, 0x1800, 65), "-");
	assert_string_equal(file_at(14, 14, 0x1800, 75), "/bin/a");
	t = timeline_thread_brief(tl, 10, 13, 20, &tmp);
	assert_ptr_equal(t, &tmp.t);
	assert_string_equal(thread_comm(tl, t, 20), ":13");
	assert_int_equal(thread_until(tl, t), -1);
	assert_ptr_equal(thread_space(tl, t, 20),
			 thread_space(tl, timeline_thread(tl, 10, 10, 20), 20));
	t = timeline_thread_brief(tl, 10, 12, 20, &tmp);
	assert_string_equal(thread_comm(tl, t, 20), ":12");
	assert_int_equal(thread_until(tl, t), 60);
	assert_ptr_not_equal(timeline_thread_brief(tl, 10, 12, 65, &tmp), &tmp.t);
	/* One that is to stay does, and is one. */
	t = timeline_thread(tl, 10, 13, 20);
	assert_ptr_equal(timeline_thread(tl, 10, 13, 30), t);
	assert_ptr_equal(thread_comm(tl, t, 20), thread_comm(tl, t, 30));
}

/* More than are merged: sorted in place, equal times in the order of the records. */
TEST_WITH(many_out_of_order, setup, teardown)
{
	u64 i, nr = 1100000;

	for (i = 0; i < nr; i++)
		timeline_comm(tl, 7, 7, i % 2 ? "odd" : "even", false, (nr - i) / 4);
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(comm(7, 7, 0), "odd");
	for (i = 1; i < nr / 4; i += 1001)
		assert_string_equal(comm(7, 7, i), (nr - 4 * i) % 2 ? "odd" : "even");
}

static void record_map(u32 pid, u64 start, u64 len, u64 pgoff, const char *name, u64 time)
{
	map_record(&(struct map_info){ .pid = pid, .tid = pid, .start = start, .len = len,
				       .pgoff = pgoff, .prot = 5, .name = name }, time);
}

static const struct map *map_at(u32 pid, u64 addr, u64 time)
{
	return space_find(tl, thread_space(tl, timeline_thread(tl, pid, pid, time), time), addr, time, NULL);
}

/* Memory without a file in the place of a part of a file's mapping is the file's code. */
TEST_WITH(copied_code, setup, teardown)
{
	const struct map *m;

	/* Recorded from the beginning: in one mapping, in pieces, of hugetlbfs, with another one behind it */
	record_map(7, 0x10000, 0x8000, 0x1000, "/bin/a", 10);
	record_map(7, 0x12000, 0x1000, 0x12000, "//anon", 20);
	record_map(7, 0x13000, 0x1000, 0, "/anon_hugepage (deleted)", 20);
	record_map(7, 0x14000, 0x1000, 0, "/dev/hugepages/x (deleted)", 30);
	/* A process that ran before: the parts that are left */
	record_map(8, 0x20000, 0x1000, 0x1000, "/bin/b", 0);
	record_map(8, 0x21000, 0x1000, 0, "//anon", 0);
	record_map(8, 0x22000, 0x1000, 0x3000, "/bin/b", 0);
	/* No code of the file: other offsets, another file, one side, a JIT's behind it */
	record_map(9, 0x30000, 0x1000, 0x1000, "/bin/c", 0);
	record_map(9, 0x31000, 0x1000, 0, "//anon", 0);
	record_map(9, 0x32000, 0x1000, 0x2000, "/bin/c", 0);
	record_map(9, 0x33000, 0x1000, 0, "//anon", 0);
	record_map(9, 0x34000, 0x1000, 0x4000, "/bin/d", 0);
	record_map(9, 0x35000, 0x1000, 0, "//anon", 0);
	/* A copy of all of it, whose protection is changed; and memory of another size in the place of a file that has gone */
	record_map(10, 0x40000, 0x2000, 0x1000, "/bin/e", 10);
	record_map(10, 0x40000, 0x2000, 0x40000, "//anon", 20);
	record_map(10, 0x40000, 0x2000, 0x40000, "/anon_hugepage (deleted)", 30);
	record_map(10, 0x50000, 0x2000, 0x1000, "/bin/f", 10);
	record_map(10, 0x50000, 0x1000, 0x50000, "//anon", 20);
	timeline_fork(tl, 11, 11, 7, 7, false, 50);
	timeline_seal_until(tl, UINT64_MAX);

	m = map_at(7, 0x13800, 60);
	assert_string_equal(m->dso->name, "/bin/a");
	assert_int_equal(m->pgoff, 0x4000);
	m = map_at(11, 0x12800, 60);
	assert_string_equal(m->dso->name, "/bin/a");
	assert_int_equal(m->pgoff, 0x3000);
	assert_string_equal(map_at(7, 0x14800, 60)->dso->name, "/bin/a");
	m = map_at(8, 0x21800, 60);
	assert_string_equal(m->dso->name, "/bin/b");
	assert_int_equal(m->pgoff, 0x2000);
	assert_true(map_at(9, 0x31800, 60)->dso->memory);
	assert_true(map_at(9, 0x33800, 60)->dso->memory);
	assert_true(map_at(9, 0x35800, 60)->dso->memory);
	m = map_at(10, 0x41800, 60);
	assert_string_equal(m->dso->name, "/bin/e");
	assert_int_equal(m->pgoff, 0x1000);
	assert_string_equal(map_at(10, 0x41800, 25)->dso->name, "/bin/e");
	assert_true(map_at(10, 0x50800, 60)->dso->memory);
}

TEST_WITH(cgroups, setup, teardown)
{
	timeline_cgroup(tl, 42, "/user.slice");
	timeline_seal_until(tl, UINT64_MAX);
	assert_string_equal(timeline_cgroup_name(tl, 42), "/user.slice");
	assert_string_equal(timeline_cgroup_name(tl, 43), "unknown");
	assert_string_equal(timeline_cgroup_name(tl, 0), "N/A");
}

UNIT_MAIN(NULL, NULL)
