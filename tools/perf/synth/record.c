// SPDX-License-Identifier: GPL-2.0
/*
 * Builds synthesised records, consecutive in struct synth. One is open until synth_end() writes its
 * size, or drops it above 64 kB. Also reads files of /proc into struct synth's buffer.
 */
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "synth/synth.h"

void synth_init(struct synth *s, const struct perf_event_attr *attr)
{
	memset(s, 0, sizeof(*s));
	s->buf_size = 64 * 1024;
	s->buf = xmalloc(s->buf_size);
	if (attr->sample_id_all)
		s->id_size = 8 * __builtin_popcountll(attr->sample_type &
			(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
}

void synth_deinit(struct synth *s)
{
	outbuf_deinit(&s->out);
	hash_deinit(&s->files);
	hash_deinit(&s->cgroups_seen);
	free(s->ids);
	free(s->buf);
	memset(s, 0, sizeof(*s));
}

size_t synth_begin(struct synth *s, u32 type, u16 misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	size_t at = outbuf_len(&s->out);

	outbuf_write(&s->out, &h, sizeof(h));
	return at;
}

size_t synth_fixed(struct synth *s, const struct perf_event_header *rec)
{
	size_t at = outbuf_len(&s->out), size = record_shape(rec->type)->size;

	assert(size >= sizeof(*rec));
	outbuf_write(&s->out, rec, size);
	return at;
}

void synth_put(struct synth *s, const void *p, size_t n)
{
	outbuf_write(&s->out, p, n);
}

void synth_string(struct synth *s, const char *str, size_t len)
{
	size_t padded = ALIGN_UP(len + 1, (size_t)8);
	char *p = outbuf_reserve(&s->out, padded);

	memset(p + padded - 8, 0, 8);
	memcpy(p, str, len);
	s->out.pos += padded;
}

void synth_end(struct synth *s, size_t at, bool with_id)
{
	u32 n = with_id ? s->id_size : 0;
	size_t size;

	assert(at + sizeof(struct perf_event_header) <= outbuf_len(&s->out));

	outbuf_fill(&s->out, 0, n);
	size = outbuf_len(&s->out) - at;
	if (size > UINT16_MAX) {
		s->out.pos = s->out.base + at;
		return;
	}
	((struct perf_event_header *)(s->out.base + at))->size = size;
}

ssize_t synth_slurp(struct synth *s, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	for (;;) {
		if (s->buf_size - len < 4096 + 1) {
			s->buf_size *= 2;
			s->buf = xrealloc(s->buf, s->buf_size);
		}
		n = TEMP_FAILURE_RETRY(read(fd, s->buf + len, s->buf_size - len - 1));
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += n;
	}
	s->buf[len] = 0;
	return len;
}
