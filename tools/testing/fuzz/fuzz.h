/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What fuzzing the tool consists of: targets, each a part of the tool that reads what others
 * wrote, and the changes to recordings that keep their records whole.
 */
#ifndef TOOL_FUZZ_FUZZ_H
#define TOOL_FUZZ_FUZZ_H

#include "base/types.h"

/**
 * struct fuzz_target - a part of the tool, and how its input is handed to it
 * @name: as TARGET=
 * @lines: command lines that end with NULL: the first byte of the input chooses one, what follows
 *	   it becomes the file IN
 * @run: a function in place of @lines; @variant is the first byte of the input, @data what follows it
 * @records: whether the input is a recording, whose records a change may keep whole
 * @text: whether it has text with numbers, which a change may exchange
 */
struct fuzz_target {
	const char *name;
	const char *const *lines;
	void (*run)(u8 variant, const u8 *data, size_t size);
	bool records, text;
};

/* fuzz_target_find - by name; NULL: none. */
const struct fuzz_target *fuzz_target_find(const char *name);
const struct fuzz_target *fuzz_target_at(size_t nr);

/**
 * fuzz_begin() - prepare the process: a folder for files, no settings, no output
 *
 * Standard output goes to /dev/null from then on; what it was is returned as a descriptor.
 */
int fuzz_begin(void);

/* fuzz_end - remove the folder */
void fuzz_end(void);

/* fuzz_path - a file of the folder; valid for the next three calls */
const char *fuzz_path(const char *name);

/* fuzz_write - make a file, which must not be a link; aborts when it cannot */
void fuzz_write(const char *path, const u8 *data, size_t size);

/* fuzz_put_file - make a file of the folder */
void fuzz_put_file(const char *name, const u8 *data, size_t size);

/* fuzz_put_input - make the file IN; standard input becomes a pipe with the same */
void fuzz_put_input(const u8 *data, size_t size);

/**
 * fuzz_line() - run a command of the tool in this process
 * @line: its words, with one blank between two; IN is the input, OUT a file to write, DIR the
 *	  folder, GOLDEN that of the golden recordings
 *
 * Return: its status.
 */
int fuzz_line(const char *line);

/**
 * fuzz_run() - hand one input to a target
 * @t: the target
 * @data: the input; its first byte chooses between the target's command lines
 * @size: its bytes
 */
void fuzz_run(const struct fuzz_target *t, const u8 *data, size_t size);

/* Where a recording's records are. */
struct fuzz_frame {
	size_t start, end;	/* of the data section, without the variant byte */
	bool swap;		/* of the other byte order */
	bool pipe;
};

/* fuzz_frame - find the records of a recording; false: there are none */
bool fuzz_frame(const u8 *data, size_t size, struct fuzz_frame *f);

/* fuzz_record_size - bytes of the record at @at; 0: none that lies before the end */
size_t fuzz_record_size(const u8 *data, const struct fuzz_frame *f, size_t at);

#endif /* TOOL_FUZZ_FUZZ_H */
