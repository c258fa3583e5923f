/* Recordings on their way in object storage (--arrivals): a receiver (--receive-only) leaves each there before it acknowledges it, and a
 * server that keeps recordings takes it over (take.h). So a receiver keeps nothing, and may be lost with its disk.
 *
 *     PREFIX/arrivals/IDENTITY    a file of files/envelope.h, as the receiver made it
 *     PREFIX/refused/IDENTITY     one that no server will take; it stays until somebody removes it
 *
 * A recording has one name, so one that was sent to several receivers waits once. It is removed only after a server has stored it, and a
 * server recognizes what it has. So each counts once, however often it is left or taken.
 *
 *   arrivals_open -> arrivals_leave, from any thread ... -> arrivals_close */
#ifndef CANDOR_SERVER_FORWARD_ARRIVALS_H
#define CANDOR_SERVER_FORWARD_ARRIVALS_H

#include "store/files/envelope.h"
#include "store/objects/s3.h"

#include <pthread.h>

#define ARRIVALS_WAIT   "arrivals/"
#define ARRIVALS_REFUSE "refused/"

enum { ARRIVALS_NAME = sizeof ARRIVALS_WAIT + 2 * ENVELOPE_IDENTITY }; /* bytes of arrivals/IDENTITY */

/* What became of recordings since the start. */
struct arrivals_counts {
    uint64_t left;           /* by this server, which only receives */
    uint64_t taken, refused; /* by this server, which keeps them; taken: also those that it had already */
    uint64_t failures;       /* requests to the object storage, and recordings that could not be stored, which are tried again */
    uint64_t waiting;        /* when they were counted last, about half a minute ago at most */
};

struct arrivals {
    struct s3 *s3;
    void (*tell)(const char *text); /* prints a line of the log */
    pthread_mutex_t lock;           /* protects the following members */
    struct arrivals_counts counts;
    bool failed; /* the last request failed, and the log says so */
};

/* stop: once it is set, requests end. Returns 0, or a code with a message in e. Nothing is sent yet. */
int arrivals_open(struct arrivals **out, const char *url, const struct s3_options *o, const atomic_bool *stop,
                  void (*tell)(const char *text), struct error *e);
/* a may be NULL. */
void arrivals_close(struct arrivals *a);
/* Leaves the recording in this complete file. Returns 0 when it is in the object storage, or a code with a message in e; then it may be
 * there nevertheless, or be there later. */
int arrivals_leave(struct arrivals *a, const char *file, struct error *e);
/* Counts and tells a failure, or that there is none any more. */
void arrivals_note(struct arrivals *a, const struct error *failure);
struct arrivals_counts arrivals_counts(struct arrivals *a);

#endif
