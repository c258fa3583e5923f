/* Runs the thread that sends recordings from the outbox to the server, the oldest first, and retries failed ones. A recording leaves the
 * spool when the server has confirmed that it is on the server's disk, or that it will never be accepted. For another back end (emit/), the
 * recording becomes a request just before it is sent. Such a back end may receive a recording twice if its answer was lost, because only
 * our server recognizes a recording that it has. */
#ifndef CANDOR_DAEMON_SPOOL_SHIP_H
#define CANDOR_DAEMON_SPOOL_SHIP_H

#include "daemon/spool/outbox.h"
#include "emit/send.h"
#include "http/transport.h"

#include <limits.h>
#include <pthread.h>

struct ship_counts {
    struct outbox_tally sent;
    uint64_t duplicates, failures; /* duplicates: sent recordings that the server already had; failures: attempts that failed */
    uint64_t empty, rejected;      /* empty: recordings without a sample, which were not sent but count as sent; rejected: profiles that
                                    * another back end refused */
    bool waiting;                  /* waits for the next attempt after a failure */
};

struct ship {
    struct outbox *outbox;
    struct transport *transport;
    const struct emit_target *target;
    const char *token_file;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool cancel;
    bool started, ending;
    unsigned failed_in_row;
    struct ship_counts counts;
};

/* What the daemon knows the server by, and the server the daemon: paths of files, which are read again and again. "" = none. */
struct ship_files {
    const char *token, *ca, *certificate, *key;
};

/* Starts the thread. target and the paths must outlive it. Returns 0 or a negative code with a message in e. */
int ship_start(struct ship *s, struct outbox *o, const struct emit_target *target, const struct ship_files *files, struct error *e);
/* Tries once more to send the waiting recordings, for at most patience_ns. Then ends the thread. */
void ship_stop(struct ship *s, uint64_t patience_ns);
void ship_counts(struct ship *s, struct ship_counts *out);

/* Returns what to do with a recording after an answer with this status; public for tests. docs/formats/server-api.md defines this. */
enum ship_verdict { SHIP_DONE, SHIP_AGAIN, SHIP_NEVER };
enum ship_verdict ship_judge(long status);

#endif
