// SPDX-License-Identifier: GPL-2.0
/* perf buildid-list: of a recording, an ELF file or the kernel, lines "BUILD-ID PATH" */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/argparse.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/error.h"
#include "base/printable.h"
#include "cmd/buildid/buildid.h"
#include "cmd/cmd.h"
#include "event/records.h"
#include "perfdata/reader.h"
#include "session/sample_files.h"
#include "synth/synth.h"

bool file_hex(const char *path, char hex[BUILDID_HEX])
{
	u8 id[BUILD_ID_MAX], size = build_id_read(path, id);

	build_id_hex(id, size, hex);
	return size > 1;
}

bool kernel_hex(char hex[BUILDID_HEX])
{
	u8 id[BUILD_ID_MAX], size = build_id_of_notes(KERNEL_NOTES, id);

	build_id_hex(id, size, hex);
	return size > 1;
}

int cache_failed(const struct buildid_cache *c, int err)
{
	return -diag_error("%s: %s", c->dir ?: "no home folder: set HOME, or PERF_BUILDID_DIR", strerror(-err));
}

static void add(struct recorded_files *files, const u8 *id, u8 size, const char *path)
{
	struct recorded_file *f;

	GROW(files->v, files->nr, files->cap);
	f = &files->v[files->nr++];
	build_id_hex(id, size, f->hex);
	f->path = xstrdup(path);
}

static void add_dso(void *arg, const struct dso *dso)
{
	/* Anonymous mappings have no file. */
	if (!dso->memory && dso->build_id_size)
		add(arg, dso->build_id, dso->build_id_size, dso->path);
}

void recorded_files_free(struct recorded_files *files)
{
	u32 i;

	for (i = 0; i < files->nr; i++)
		free(files->v[i].path);
	free(files->v);
	*files = (struct recorded_files){ 0 };
}

int recorded_files(const char *input, bool force, bool with_hits, struct recorded_files *files)
{
	const struct session_config cfg = { .input = input, .force = force, .no_unwind = true, .no_chain_warning = true,
					    .symbols.no_files = true };
	struct session *s;
	u32 i;
	int ret = 0;

	*files = (struct recorded_files){ 0 };
	if (error_report(session_open(&cfg, &s)))
		return 1;
	if (with_hits || !s->features->nr_build_ids)
		ret = sample_files_run(s, add_dso, files) ? 1 : 0;
	else
		for (i = 0; i < s->features->nr_build_ids; i++)
			add(files, s->features->build_ids[i].build_id, s->features->build_ids[i].size,
			    s->features->build_ids[i].name);
	ret = ret ?: s->reader->damaged;
	session_close(s);
	return ret;
}

void put_buildid(const char *hex, const char *path)
{
	_cleanup_free_ char *text = xstrdup(path);

	make_printable(text, strlen(text), false);
	printf("%s %s\n", hex, text);
}

static int list_recording(const char *input, bool force, bool with_hits)
{
	struct recorded_files files;
	int status = recorded_files(input, force, with_hits, &files);
	u32 i;

	for (i = 0; i < files.nr; i++)
		put_buildid(files.v[i].hex, files.v[i].path);
	recorded_files_free(&files);
	return status;
}

/* "BUILD-ID START END NAME" of the kernel, then of its modules. */
static void list_kernel_maps(void)
{
	static const struct perf_event_attr attr;
	char hex[2 * BUILD_ID_MAX + 1];
	struct synth s;
	char *p;

	synth_init(&s, &attr);
	s.build_ids = true;
	synth_kernel(&s);
	for (p = s.out.base; p < s.out.pos; p += ((struct perf_event_header *)p)->size) {
		const struct mmap2_record *m = (const void *)p;
		size_t len = strcspn(m->filename, "]");

		if (!mmap2_has_build_id(&m->header))
			continue;
		build_id_hex(m->build_id, m->build_id_size, hex);
		/* "[kernel.kallsyms]_text" */
		printf("%s %016llx %016llx %.*s\n", hex, m->addr, m->addr + m->len,
		       (int)(len + (m->filename[len] == ']')), m->filename);
	}
	synth_deinit(&s);
}

int cmd_buildid_list(int argc, char **argv)
{
	bool with_hits = false, force = false, kernel = false, maps = false;
	const char *input = NULL;
	char hex[BUILDID_HEX];
	int at;
	const struct opt opts[] = {
		{ OPT_STRING, 'i', "input", &input, "file", .help = "a recording (perf.data), or an ELF file" },
		{ OPT_BOOL, 'H', "with-hits", &with_hits, .help = "files with samples alone" },
		{ OPT_BOOL, 'k', "kernel", &kernel, .help = "the running kernel" },
		{ OPT_BOOL, 'f', "force", &force, .help = "read a recording of another user" },
		{ OPT_COUNT, 'v', "verbose", &verbose, .help = "more messages" },
		{ OPT_BOOL, 'm', "kernel-maps", &maps, .help = "the running kernel with the place of its code" },
		{ .kind = OPT_END },
	};

	if (error_report(argparse(argc, argv, opts, "perf buildid-list [<options>]", false, &at)))
		return 129;
	if (at < argc) {
		diag_error("'%s': buildid-list takes no operands (-i %s)", argv[at], argv[at]);
		return 129;
	}
	if (maps) {
		list_kernel_maps();
		return 0;
	}
	if (kernel && !kernel_hex(hex))
		return -diag_error(KERNEL_NOTES ": no build-id of the running kernel can be read there");
	if (kernel) {
		printf("%s\n", hex);
		return 0;
	}
	if (input && file_hex(input, hex)) {
		printf("%s\n", hex);
		return 0;
	}
	return list_recording(input, force, with_hits);
}
