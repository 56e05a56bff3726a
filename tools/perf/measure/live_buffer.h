/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes of the stack copies walked while recording, and of their buffers.
 */
#ifndef PERF_MEASURE_LIVE_BUFFER_H
#define PERF_MEASURE_LIVE_BUFFER_H

#include "measure/measure_options.h"

#define LIVE_COPY	65528	/* bytes: the maximum of a sample's stack copy */

/**
 * live_settle() - choose sizes
 * @o: .live_size is kept if given; .live_buffer and .bpf_copy are set
 * @specs: the events; copy sizes of live events are set unless given
 *
 * A buffer holds the samples of 128 ms (64 ms at 4,000 Hz), since the recorder may have to wait
 * for a CPU; less if a BPF program walks most stacks. If the user may not lock that much memory, it
 * holds 16 ms and the copies are smaller. All events wake up the recorder while at least half of the
 * buffer is free.
 */
void live_settle(struct ring_options *o, struct spec_list *specs);

#endif /* PERF_MEASURE_LIVE_BUFFER_H */
