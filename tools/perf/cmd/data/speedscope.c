// SPDX-License-Identifier: GPL-2.0
/*
 * The file format of speedscope: frames once, and a profile for each thread and event, whose
 * samples are arrays of frames from the outermost to the innermost, in the order of time,
 * weighted by their periods. It is given a conversion; owns work space only.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/text.h"
#include "cmd/data/conversion.h"

static void put_frame(const struct conv_frame *f, struct outbuf *o)
{
	json_put(o, "{\"name\":", f->name);
	if (f->file)
		json_put(o, ",\"file\":", f->file);
	else if (f->dso)
		json_put(o, ",\"file\":", f->dso->name);
	if (f->line)
		outbuf_printf(o, ",\"line\":%u", f->line);
	outbuf_putc(o, '}');
}

/* The samples of one profile are a list through @next. */
static void put_profile(const struct conversion *c, size_t first, const size_t *next, u32 *frames,
			struct outfile *out)
{
	struct outbuf *o = &out->text;
	const struct conv_point *p = &c->points[first];
	const struct conv_track *t = &c->tracks[p->track];
	const struct event *ev = c->s->events->events[p->event];
	const char *comma = "";
	char name[512];
	u64 sum = 0;
	size_t i;
	u32 nr, j;

	outbuf_puts(o, "{\"type\":\"sampled\",\"name\":");
	snprintf(name, sizeof(name), "%s %d/%d %s", t->comm, (s32)t->pid, (s32)t->tid,
		 ev->name);
	json_string(o, name);
	outbuf_printf(o, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[", conversion_unit(ev));
	for (i = first + 1; i; i = next[i - 1], comma = ",") {
		nr = conversion_stack(c, c->points[i - 1].node, frames);
		outbuf_puts(o, comma);
		outbuf_putc(o, '[');
		for (j = 0; j < nr; j++) {
			if (j)
				outbuf_putc(o, ',');
			outbuf_dec(o, frames[j], 0, ' ');
		}
		outbuf_putc(o, ']');
		outfile_drain(out);
	}
	outbuf_puts(o, "],\"weights\":[");
	for (i = first + 1, comma = ""; i; i = next[i - 1], comma = ",") {
		sum += c->points[i - 1].period;
		outbuf_puts(o, comma);
		outbuf_dec(o, c->points[i - 1].period, 0, ' ');
		outfile_drain(out);
	}
	outbuf_printf(o, "],\"endValue\":%llu}", sum);
}

void conv_speedscope(const struct conversion *c, struct outfile *out)
{
	struct outbuf *o = &out->text;
	u32 *frames = xmalloc(CONV_DEPTH * sizeof(*frames)), i;
	bool *first = xcalloc(c->nr_points + 1, sizeof(*first));
	size_t *next = conversion_profiles(c, first), n;
	const char *comma = "";

	json_put(o, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"perf " PERF_VERSION "\",\"name\":",
		 c->s->reader->path);
	outbuf_puts(o, ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
	for (i = 0; i < c->nr_frames; i++) {
		outbuf_puts(o, i ? ",\n" : "\n");
		put_frame(&c->frames[i], o);
	}
	outbuf_puts(o, "]},\"profiles\":[");
	for (n = 0; n < c->nr_points; n++) {
		if (!first[n])
			continue;
		outbuf_puts(o, comma);
		outbuf_putc(o, '\n');
		put_profile(c, n, next, frames, out);
		comma = ",";
	}
	outbuf_puts(o, "]}\n");
	free(next);
	free(first);
	free(frames);
}
