/* The samples in time, for the viewer: the weight for each thread, each node of a call tree, each state of the thread and each bucket of
 * time.
 *
 * Buckets are 1 ms long, or a second if all times are whole seconds. They are longer (1, 2 or 5 times a power of ten) if there would be
 * too many slices for a page. Threads with the same name count as one. A sample that stands for several successive ones, as
 * async-profiler's of idle threads, is spread over their time. */
#ifndef CANDOR_FORMAT_PAGE_SLICES_H
#define CANDOR_FORMAT_PAGE_SLICES_H

#include "profile/figures/calltree.h"

/* What a thread did. The viewer knows these numbers (web/model/slices.ts). */
enum slice_state {
    SLICE_UNKNOWN,
    SLICE_RUNNING,
    SLICE_READY,   /* it could run, but had no processor */
    SLICE_MONITOR, /* it waited for a monitor */
    SLICE_WAITING, /* in Object.wait, or parked */
    SLICE_SLEEPING,
    SLICE_IO,
    SLICE_STATES
};

struct slice {
    uint32_t bucket;
    uint32_t thread; /* index of slices.threads */
    uint32_t node;   /* index in the call tree */
    uint8_t state;   /* enum slice_state */
    uint64_t weight;
};

struct slices {
    int64_t start_ns; /* time of the first bucket, since the epoch */
    uint64_t bucket_ns;
    uint32_t buckets;
    struct slice *list; /* ordered by bucket, thread and node */
    uint32_t count;     /* 0 = the samples have no times */
    uint32_t *threads;  /* string ids */
    uint32_t thread_count;
    bool has_states; /* the samples also show threads that did not run, and say what they did */
};

/* Makes the slices. `tree` must be the profile's, without frames for threads. Returns 0 or -ENOMEM. */
int slices_init(struct slices *s, const struct profile *p, const struct calltree *tree);
void slices_deinit(struct slices *s);

#endif
