/* A recording in progress: a file of ours in the spool's folder `live`, which a JVM writes through a descriptor, and a state
 * file beside it, which says which JVM it belongs to and how much has been passed on. The state outlives the daemon: the next
 * daemon continues with it.
 *
 *     live/ID.jfr     locked (flock) by the agent as long as it records
 *     live/ID.state   lines of text, replaced as a whole */
#ifndef CANDOR_DAEMON_SPOOL_LIVE_H
#define CANDOR_DAEMON_SPOOL_LIVE_H

#include "base/error.h"
#include "jfr/read/slice.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { LIVE_QUERY_MAX = 8 << 10, LIVE_ID = 17, LIVE_ENTRY = 96 };

struct live {
    char id[LIVE_ID]; /* 16 hexadecimal digits, the first 8 of them the JVM's (charges.h) */
    pid_t pid;
    uint64_t start;          /* of the process: with the pid, and while the machine is up, it is that process */
    uint64_t began_epoch_ns; /* the recording */
    uint64_t recording;      /* the agent's number for it; 0 = not known: an agent of an earlier build, or it did not come to us */
    char name[256];          /* main class, for the log */
    char query[LIVE_QUERY_MAX];
    /* Passed on is everything before chunk_at, and this chunk up to `to`, which is to_ns after its start. */
    uint64_t chunk_at, to, to_ns;
    struct jfr_books books;      /* where the chunk begins */
    struct jfr_books latest;     /* of what has been passed on, for metrics; not in the state */
    char unreleased[LIVE_ENTRY]; /* spooled, but the state could not be written; "" = none */
    uint64_t pulse;              /* another number each time that the agent has written, as far as was seen */
    int fd;                      /* -1 = not open */
};

/* Makes file and state; pid, start, name and query are set. folder: an open directory. *passed is a second descriptor, for the agent,
 * so that the lock which the agent takes with it is not ours. 0 or a negative code with e. */
int live_create(struct live *l, int folder, int *passed, struct error *e);
/* Opens the file and state that an earlier daemon left. 0, or with e: -EBADMSG (the state cannot be understood) or another code. */
int live_open(struct live *l, int folder, const char *id, struct error *e);
/* Writes the state, durably. */
int live_save(const struct live *l, int folder, struct error *e);
/* Gives back the disk below an offset, as far as the file system can. */
void live_forget_below(struct live *l, uint64_t offset);
/* Whether an agent still records to the file. */
bool live_is_locked(const struct live *l);
/* Bytes on the disk. */
uint64_t live_bytes(const struct live *l);
void live_close(struct live *l);
/* Removes both files, and closes. */
void live_remove(struct live *l, int folder);

#endif
