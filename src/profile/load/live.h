/* A profile that grows with the recording it is read from (jfr/read/follow.h), and views of its latest part.
 *
 *   live_new -> [ live_read -> live_look -> stats_compute(&view.profile) ... -> live_look_away ]* -> live_free
 *
 * A view begins where an earlier read ended, so that its samples and its books cover the same time: its books are the
 * difference of the recording's cumulative books.
 *
 * Memory is bounded: when there are more than LIVE_SAMPLES_MAX samples, the older half is forgotten, and the start moves. One
 * owner, no locking. */
#ifndef CANDOR_PROFILE_LOAD_LIVE_H
#define CANDOR_PROFILE_LOAD_LIVE_H

#include "base/error.h"
#include "profile/profile.h"

enum { LIVE_SAMPLES_MAX = 2000000, LIVE_READS_MAX = 4096 };

struct live;

/* Which part of the recording, and of which thread. */
struct live_part {
    uint64_t span_ns; /* the last so many ns, or a little more; 0 = since the start */
    bool one_thread;
    uint32_t thread; /* its id */
};

struct live_view {
    struct profile profile;     /* to be read only; start_ns and duration_ns are the view's */
    struct profile_sample *own; /* samples, where they are not the recording's */
};

/* Takes over the recording's descriptor, even if it fails. joined: the recording already runs, and its start is now; its earlier
 * content only provides names. 0 or a negative code with e. */
int live_new(struct live **out, int fd, bool joined, struct error *e);
void live_free(struct live *l); /* NULL is fine */
/* Reads the recording's new data: *news says whether there is any. Views are invalid then. 0 or a negative code with e. */
int live_read(struct live *l, bool *news, struct error *e);
/* True when the recording was ended in good order, and all of it is read. */
bool live_ended(const struct live *l);
const struct profile *live_profile(const struct live *l);
/* Makes a view. End it with live_look_away before the next read. 0 or -ENOMEM. */
int live_look(const struct live *l, const struct live_part *part, struct live_view *view);
void live_look_away(struct live_view *view);

#endif
