/* The samples in time, for the viewer: the weight of each thread at each node of a call tree in each bucket of time.
 *
 * Buckets are as short as 10 ms, or a second if times are whole seconds, and longer (1, 2 or 5 times a power of ten) if there
 * would be too many slices for a page. Threads with the same name count as one. */
#ifndef CANDOR_FORMAT_PAGE_SLICES_H
#define CANDOR_FORMAT_PAGE_SLICES_H

#include "profile/figures/calltree.h"

struct slice {
    uint32_t bucket;
    uint32_t thread; /* into slices.threads */
    uint32_t node;   /* of the call tree */
    uint64_t weight;
};

struct slices {
    int64_t start_ns; /* of the first bucket, since the epoch */
    uint64_t bucket_ns;
    uint32_t buckets;
    struct slice *list; /* by bucket, thread, node */
    uint32_t count;     /* 0: the samples have no times */
    uint32_t *threads;  /* string ids */
    uint32_t thread_count;
};

/* `tree` is of the profile, and not by thread. 0 or -ENOMEM. */
int slices_init(struct slices *s, const struct profile *p, const struct calltree *tree);
void slices_deinit(struct slices *s);

#endif
