// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of perf record by themselves: the commands of --control, which processes are followed
 * from one file to the next, and the measured command.
 */
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "bpf/layout.h"
#include "cmd/record/recorder.h"
#include "synth/synth.h"
#include "unit.h"

struct channel {
	struct control c;
	int to, ack;		/* our ends */
};

static void channel_open(struct channel *ch)
{
	int ctl[2], ack[2];
	char arg[64];

	assert_int_equal(pipe(ctl), 0);
	assert_int_equal(pipe(ack), 0);
	snprintf(arg, sizeof(arg), "fd:%d,%d", ctl[0], ack[1]);
	assert_int_equal(control_init(&ch->c, arg), 0);
	ch->to = ctl[1];
	ch->ack = ack[0];
}

static void channel_send(struct channel *ch, const char *text)
{
	assert_int_equal(write(ch->to, text, strlen(text)), strlen(text));
	control_read(&ch->c);
}

static void channel_close(struct channel *ch)
{
	if (ch->to >= 0)
		close(ch->to);
	close(ch->ack);
	control_deinit(&ch->c);
}

static void expect(struct channel *ch, enum control_verb verb, const char *event)
{
	struct control_command cmd;

	assert_true(control_next(&ch->c, &cmd));
	assert_int_equal(cmd.verb, verb);
	assert_string_equal(cmd.event, event);
}

static void expect_none(struct channel *ch)
{
	struct control_command cmd;

	assert_false(control_next(&ch->c, &cmd));
}

TEST(several_commands_in_one_read)
{
	struct channel ch;

	channel_open(&ch);
	channel_send(&ch, "enable\ndisable 'cpu-clock'\nevlist -v\nsnapshot\nping\nack\nstop\n");
	expect(&ch, CONTROL_ENABLE, "");
	expect(&ch, CONTROL_DISABLE, "cpu-clock");
	expect(&ch, CONTROL_EVLIST, "");
	expect(&ch, CONTROL_SNAPSHOT, "");
	expect(&ch, CONTROL_PING, "");
	expect(&ch, CONTROL_PING, "");
	expect(&ch, CONTROL_STOP, "");
	expect_none(&ch);
	channel_close(&ch);
}

TEST(a_command_in_several_reads)
{
	struct channel ch;

	channel_open(&ch);
	channel_send(&ch, "ena");
	expect_none(&ch);
	channel_send(&ch, "ble sched:sched_");
	expect_none(&ch);
	channel_send(&ch, "switch\nst");
	expect(&ch, CONTROL_ENABLE, "sched:sched_switch");
	expect_none(&ch);
	channel_send(&ch, "op");
	expect_none(&ch);
	/* A NUL ends a line, too. */
	assert_int_equal(write(ch.to, "", 1), 1);
	control_read(&ch.c);
	expect(&ch, CONTROL_STOP, "");
	channel_close(&ch);
}

TEST(what_is_no_command_is_left_out)
{
	char line[600];
	struct channel ch;

	memset(line, 'x', sizeof(line) - 2);
	memcpy(line + sizeof(line) - 2, "\n", 2);
	channel_open(&ch);
	verbose = -1;
	assert_int_equal(write(ch.to, line, strlen(line)), strlen(line));
	channel_send(&ch, "\nstop it\nstop\n");
	/* Longer than what is read at once. */
	while (ch.c.in_len == sizeof(ch.c.in)) {
		expect_none(&ch);
		control_read(&ch.c);
	}
	expect(&ch, CONTROL_STOP, "");
	expect_none(&ch);
	verbose = 0;
	channel_close(&ch);
}

TEST(acknowledged_and_closed)
{
	struct channel ch;
	char text[8] = "";

	channel_open(&ch);
	control_ack(&ch.c);
	assert_int_equal(read(ch.ack, text, sizeof(text) - 1), 4);
	assert_string_equal(text, "ack\n");
	close(ch.to);
	ch.to = -1;
	control_read(&ch.c);
	assert_int_equal(ch.c.fd, -1);
	expect_none(&ch);
	channel_close(&ch);
}

static void put_task(struct follow *f, u16 type, u32 pid, u32 ppid)
{
	struct {
		struct perf_event_header h;
		u32 pid, ppid, tid, ptid;
		u64 time;
	} r = { { .type = type, .size = sizeof(r) }, pid, ppid, pid, ppid, 0 };

	follow_note(f, &r.h);
}

static u64 threads_of(struct follow *f, u32 pid)
{
	u64 *v = hash_find(&f->processes, pid, 0);

	return v ? *v : 0;
}

TEST(children_are_followed)
{
	pid_t self = getpid();
	struct thread_list threads = { .v = &self, .nr = 1 };
	struct follow f;

	follow_init(&f, &threads, true);
	assert_true(threads_of(&f, self) > 0);
	put_task(&f, PERF_RECORD_FORK, 70001, self);
	assert_int_equal(threads_of(&f, 70001), 1);
	assert_int_equal(outbuf_len(&f.carry), 0);
	follow_carry(&f, true);
	put_task(&f, PERF_RECORD_EXIT, 70001, self);
	follow_carry(&f, false);
	put_task(&f, PERF_RECORD_EXIT, 70002, self);
	assert_int_equal(threads_of(&f, 70001), 0);
	/* Only what came between. */
	assert_int_equal(outbuf_len(&f.carry), 32);
	follow_deinit(&f);

	follow_init(&f, &threads, false);
	put_task(&f, PERF_RECORD_FORK, 70001, self);
	assert_int_equal(threads_of(&f, 70001), 0);
	follow_deinit(&f);
}

TEST(a_command_that_is_held_back_never_runs)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"kill -9 $PPID", NULL };
	struct workload w;

	workload_init(&w);
	assert_int_equal(workload_fork(&w, argv, false), 0);
	assert_true(workload_held(&w));
	assert_false(workload_poll(&w));
	workload_deinit(&w);
	assert_true(WIFSIGNALED(w.status));
	assert_int_equal(WTERMSIG(w.status), SIGKILL);
	assert_false(workload_held(&w));
	/* Nothing is left to end. */
	workload_deinit(&w);
}

TEST(a_command_that_runs)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"exit 7", NULL };
	struct workload w;

	workload_init(&w);
	assert_int_equal(workload_fork(&w, argv, false), 0);
	assert_int_equal(workload_go(&w, argv[0]), 0);
	assert_false(workload_held(&w));
	while (!workload_poll(&w))
		usleep(1000);
	assert_int_equal(WEXITSTATUS(w.status), 7);
	assert_false(workload_poll(&w));
	workload_deinit(&w);
}

/* An ELF file of a program header and a note with a build-id; @phoff: where it says that it is. */
static u8 build_id_with(u64 phoff, u16 phnum, u64 note_offset, u8 *id)
{
	struct {
		Elf64_Ehdr e;
		Elf64_Phdr ph;
		Elf64_Nhdr n;
		char name[4];
		u8 id[20];
	} file = {
		.e = { .e_ident = ELFMAG, .e_phoff = phoff, .e_phentsize = sizeof(Elf64_Phdr),
		       .e_phnum = phnum },
		.ph = { .p_type = PT_NOTE, .p_offset = note_offset, .p_filesz = 36 },
		.n = { .n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID },
		.name = "GNU",
	};
	char path[] = "/tmp/perf-unit-elf-XXXXXX";
	int fd = mkstemp(path);
	u8 size;

	assert_true(fd >= 0);
	file.e.e_ident[EI_CLASS] = ELFCLASS64;
	file.e.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB :
									       ELFDATA2MSB;
	memset(file.id, 0x5a, sizeof(file.id));
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
	size = build_id_read(path, id);
	close(fd);
	unlink(path);
	return size;
}

TEST(build_ids)
{
	const u64 ph = sizeof(Elf64_Ehdr), note = ph + sizeof(Elf64_Phdr);
	u8 id[20];

	assert_int_equal(build_id_with(ph, 1, note, id), 20);
	assert_int_equal(id[19], 0x5a);
	assert_int_equal(build_id_with(ph, 1, note + 1000, id), 0);
	/* Two headers before the file, so that the third would be the real one. */
	assert_int_equal(build_id_with(ph - 2 * sizeof(Elf64_Phdr), 3, note, id), 0);
}

static int asked;

/* The code object 4096 is there when it was asked for three times. */
static void codes_late(void *code, int (*fn)(void *ctx, void *code, size_t size), void *ctx)
{
	if (++asked == 3)
		fn(ctx, code, offsetof(struct walk_code, lines));
}

TEST(python_functions_that_come_late)
{
	struct walk_code code = {
		.id = 4096, .first_line = 1, .name = { .length = 1, .state = 4, .bytes = 1 },
		.name_room = "f",
	};
	struct python_names *n = python_names_create(codes_late, &code);
	struct event ev = { 0 };
	struct sample s = { .event = &ev, .pid = 1 };
	u64 ips[] = { WALK_PYTHON_ENTRY(0, 0), WALK_PYTHON_ENTRY(4096, 0), 0x1000 };
	struct outbuf o = { 0 };

	assert_true(python_names_ips(n, ips, 3, &s, &o));
	assert_int_equal(asked, 3);
	/* The first one is unknown; no program has addresses like these. */
	assert_true(ips[0] >> 40 == 0x4f && ips[1] > ips[0]);
	assert_int_equal(ips[2], 0x1000);
	outbuf_deinit(&o);
	python_names_free(n);
}

UNIT_MAIN(NULL, NULL)
