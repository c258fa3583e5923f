/* Adds up the samples of a profile that differ only in their time, for formats without times. */
#ifndef CANDOR_FORMAT_WRITE_FOLD_H
#define CANDOR_FORMAT_WRITE_FOLD_H

#include "profile/profile.h"

struct fold {
    struct profile_sample *rows; /* ordered by thread, stack, state, labels and outcome; the time is that of the first sample */
    uint32_t count;
};

/* Makes the rows. Returns 0 or -ENOMEM. */
int fold_samples(struct fold *f, const struct profile *p);
void fold_deinit(struct fold *f);
/* Compares by thread, then stack, state, labels and outcome, then time. */
int fold_compare(const struct profile_sample *a, const struct profile_sample *b);

#endif
