/* What the files of this folder share. */
#ifndef CANDOR_SERVER_FORWARD_INTERNAL_H
#define CANDOR_SERVER_FORWARD_INTERNAL_H

#include "server/forward/forward.h"
#include "server/forward/postbox.h"

enum { FORWARD_SENDERS = 4 }; /* threads for each server: several recordings wait for its disk together */

struct forward_target {
    struct forward *of;
    char url[FORWARD_URL_MAX]; /* without a slash at its end */
    struct postbox box;
    pthread_t threads[FORWARD_SENDERS];
    unsigned threads_started;
    pthread_mutex_t lock; /* protects the following members */
    pthread_cond_t change;
    bool stopping;
    unsigned failed_in_row; /* rounds of requests */
    uint64_t failed_ns;     /* when the last one failed */
    uint64_t next_ns;       /* nothing is sent before this time */
    uint64_t failures;      /* since the start */
};

struct forward {
    struct forward_options options;
    struct forward_target targets[FORWARD_MAX];
    uint32_t count;
    int lock; /* of DATA, without a store; otherwise -1 */
};

/* Starts the threads that send to a target. Returns 0 or a code with a message in e. */
int target_start(struct forward_target *t, struct error *e);
/* Ends them. */
void target_stop(struct forward_target *t);
/* Says that something waits. */
void target_wake(struct forward_target *t);

#endif
