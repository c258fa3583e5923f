/* The thread that sends recordings from the outbox to the server, oldest first, and retries failed ones. A recording leaves the
 * spool when the server has said that it is on its disk, or that it will never accept it. For another back end (emit/), it becomes a
 * request just before it is sent; then a retry after a lost answer may arrive twice, because only our server knows recordings again. */
#ifndef CANDOR_DAEMON_SPOOL_SHIP_H
#define CANDOR_DAEMON_SPOOL_SHIP_H

#include "daemon/spool/outbox.h"
#include "emit/send.h"
#include "http/transport.h"

#include <limits.h>
#include <pthread.h>

struct ship_counts {
    struct outbox_tally sent;
    uint64_t duplicates, failures; /* of the sent: the server had them; attempts that failed */
    uint64_t empty, rejected;      /* of the sent: without a sample, never sent; profiles that another back end did not take */
    bool waiting;                  /* for the next attempt after a failure */
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

/* Starts the thread. Target and text must outlive it. 0 or a negative code with e. */
int ship_start(struct ship *s, struct outbox *o, const struct emit_target *target, const char *token_file, const char *ca_file,
               struct error *e);
/* Tries once more to send what is there, for so long at most, then ends the thread. */
void ship_stop(struct ship *s, uint64_t patience_ns);
void ship_counts(struct ship *s, struct ship_counts *out);

/* The action for a recording after an answer (for tests): the contract of docs/formats/server-api.md. */
enum ship_verdict { SHIP_DONE, SHIP_AGAIN, SHIP_NEVER };
enum ship_verdict ship_judge(long status);

#endif
