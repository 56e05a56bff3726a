/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of stacks that are walked while recording: how large they are, and the buffers that hold them.
 */
#ifndef PERF_MEASURE_LIVE_BUFFER_H
#define PERF_MEASURE_LIVE_BUFFER_H

#include "measure/measure_options.h"

#define LIVE_COPY	65528	/* bytes: the largest copy of a stack that a sample can have */

/**
 * live_settle() - choose sizes
 * @o: .live_size is kept if it was given; .live_buffer is set
 * @specs: the events; those that are recorded live get the size of their copies, unless it was given
 *
 * A buffer holds the samples of 128 ms (of 64 ms at 4,000 Hz), as the recorder may have to wait for a CPU; where
 * the user may not have so much memory, of 16 ms, and copies are smaller then. All events wake up the recorder
 * while the most of the buffer is free.
 */
void live_settle(struct ring_options *o, struct spec_list *specs);

#endif /* PERF_MEASURE_LIVE_BUFFER_H */
