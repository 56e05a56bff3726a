// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz-replay DIR: hand every DIR/TARGET/FILE to its target, without libFuzzer. TAP, a result for
 * each target. With REPLAY_SHOW=1 the name of each file is printed before it is tried. A report of
 * the sanitizers ends the program; the line in front of it names the file.
 */
#include <dirent.h>
#include <stdio.h>

#include "fuzz.h"
#include "input.h"

const char *__lsan_default_suppressions(void);

/* libtraceevent loses memory on formats that it cannot parse. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

static void replay_file(const struct fuzz_target *t, const char *path)
{
	size_t size;
	u8 *data = fuzz_load(path, &size);

	fuzz_run(t, data, size);
	free(data);
}

static unsigned int replay_target(FILE *out, const struct fuzz_target *t, const char *corpus)
{
	struct dirent **names;
	char path[4096];
	int nr, i, tried = 0;

	snprintf(path, sizeof(path), "%s/%s", corpus, t->name);
	nr = scandir(path, &names, NULL, alphasort);
	for (i = 0; i < nr; i++) {
		if (names[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s/%s", corpus, t->name, names[i]->d_name);
			fprintf(out, "# %s\n", path);
			fflush(out);
			replay_file(t, path);
			tried++;
		}
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	return tried;
}

int main(int argc, char **argv)
{
	const struct fuzz_target *t;
	size_t nr = 0, failed = 0;
	FILE *out;

	if (argc != 2) {
		fprintf(stderr, "usage: fuzz-replay DIR\n");
		return 1;
	}
	out = fdopen(fuzz_begin(), "w");
	while ((t = fuzz_target_at(nr))) {
		unsigned int tried = replay_target(out, t, argv[1]);

		/* A target without an input is one whose inputs have been lost. */
		fprintf(out, "%sok %zu - %s: %u inputs\n", tried ? "" : "not ", ++nr, t->name, tried);
		failed += !tried;
	}
	fprintf(out, "1..%zu\n", nr);
	fclose(out);
	fuzz_end();
	return failed != 0;
}
