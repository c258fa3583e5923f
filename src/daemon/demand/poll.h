/* Runs the thread that asks the server whether recordings are wanted, because the network may take long and the main thread must not wait.
 * One message is on its way at a time.
 *
 *   poll_start -> [ poll_send -> poll_take until it returns true ]* -> poll_stop */
#ifndef CANDOR_DAEMON_DEMAND_POLL_H
#define CANDOR_DAEMON_DEMAND_POLL_H

#include "daemon/spool/ship.h"
#include "emit/target.h"
#include "http/post.h"

#include <pthread.h>

struct poll_answer {
    int code;               /* 0 = there is an answer */
    struct error error;     /* if not */
    struct post_answer got; /* if so */
};

struct poll {
    struct transport *transport;
    const struct emit_target *target;
    const char *token_file;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool cancel;
    bool started, ending;
    char *body; /* to send; NULL = nothing, or it has been sent */
    enum { POLL_IDLE, POLL_SENDING, POLL_ANSWERED } state;
    struct poll_answer answer;
};

/* Starts the thread. target and the paths must outlive it. Returns 0 or a negative code with a message in e. */
int poll_start(struct poll *p, const struct emit_target *target, const struct ship_files *files, struct error *e);
/* Ends the thread without waiting for an answer. */
void poll_stop(struct poll *p);
bool poll_is_idle(struct poll *p);
/* Takes over the body, which is from malloc, and sends it. Call it only while the thread is idle. */
void poll_send(struct poll *p, char *body);
/* Returns whether there is an outcome, which it copies. Afterwards the thread is idle. */
bool poll_take(struct poll *p, struct poll_answer *out);

#endif
