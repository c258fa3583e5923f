/* The samples of a profile, added up if they differ only in their time: the content of formats without times. */
#ifndef CANDOR_FORMAT_WRITE_FOLD_H
#define CANDOR_FORMAT_WRITE_FOLD_H

#include "profile/profile.h"

struct fold {
    struct profile_sample *rows; /* by thread, stack, state, labels, outcome; the time is that of the first */
    uint32_t count;
};

/* 0 or -ENOMEM. */
int fold_samples(struct fold *f, const struct profile *p);
void fold_deinit(struct fold *f);
/* By thread, then stack, state, labels and outcome, then time. */
int fold_compare(const struct profile_sample *a, const struct profile_sample *b);

#endif
