/* A profile that grows with the recording from which it is read (jfr/read/follow.h), and views of its latest part.
 *
 *   live_new -> [ live_read -> live_look -> stats_compute(&view.profile) ... -> live_look_away ]* -> live_free
 *
 * A view begins at the end of an earlier read, so that its samples and its books cover the same time. Its books are differences of the
 * recording's cumulative books.
 *
 * Memory is bounded: when there are more than LIVE_SAMPLES_MAX samples, the older half is removed, and the start moves. A live profile
 * has one owner and does no locking. */
#ifndef CANDOR_PROFILE_LOAD_LIVE_H
#define CANDOR_PROFILE_LOAD_LIVE_H

#include "base/error.h"
#include "profile/profile.h"

enum { LIVE_SAMPLES_MAX = 2000000, LIVE_READS_MAX = 4096 };

struct live;

/* Selects a part of the recording, by time and by thread. */
struct live_part {
    uint64_t span_ns; /* the view has the last span_ns, or a little more; 0 = everything since the start */
    bool one_thread;
    uint32_t thread; /* the thread's id */
};

struct live_view {
    struct profile profile;     /* read-only; start_ns and duration_ns are the view's */
    struct profile_sample *own; /* the view's samples, if they are a copy; otherwise NULL */
};

/* Opens a recording. Takes over the file descriptor, even if it fails. joined: the recording is already running, and the start is now;
 * the earlier content only provides names. Returns 0 or a negative code with e. */
int live_new(struct live **out, int fd, bool joined, struct error *e);
void live_free(struct live *l); /* NULL is fine */
/* Reads the recording's new data. *news says whether there is any. Views become invalid. Returns 0 or a negative code with e. */
int live_read(struct live *l, bool *news, struct error *e);
/* Whether the recording was ended properly, and all of it has been read. */
bool live_ended(const struct live *l);
const struct profile *live_profile(const struct live *l);
/* Makes a view. End it with live_look_away before the next read. Returns 0 or -ENOMEM. */
int live_look(const struct live *l, const struct live_part *part, struct live_view *view);
void live_look_away(struct live_view *view);

#endif
