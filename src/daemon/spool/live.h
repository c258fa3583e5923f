/* A recording in progress: a file of the daemon's in the spool's folder `live`, which a JVM writes through a descriptor. A state file
 * beside it records which JVM it belongs to, and how much has been passed on. The state survives the daemon, and the next daemon continues
 * with it.
 *
 *     live/ID.jfr     the agent locks it (flock) as long as it records
 *     live/ID.state   lines of text; the file is replaced as a whole */
#ifndef CANDOR_DAEMON_SPOOL_LIVE_H
#define CANDOR_DAEMON_SPOOL_LIVE_H

#include "base/error.h"
#include "jfr/read/slice.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { LIVE_QUERY_MAX = 8 << 10, LIVE_ID = 17, LIVE_ENTRY = 96 };

struct live {
    char id[LIVE_ID]; /* 16 hexadecimal digits; the first 8 identify the JVM (charges.h) */
    pid_t pid;
    uint64_t start;          /* start time of the process; together with the pid it identifies the process until the machine is restarted */
    uint64_t began_epoch_ns; /* the recording */
    uint64_t recording; /* the agent's number for the recording; 0 = unknown: the agent is of an earlier version, or its answer was lost */
    char name[256];     /* main class, for the log */
    /* Of a recording on demand: the number of the request, 0 = the recording that always runs; and the time that was asked for. */
    uint64_t demand, demand_ns;
    char query[LIVE_QUERY_MAX];
    /* Everything before chunk_at has been passed on, and of the chunk at chunk_at everything up to `to`. That is to_ns after the chunk's
     * start. */
    uint64_t chunk_at, to, to_ns;
    struct jfr_books books;      /* the books at the chunk's beginning */
    struct jfr_books latest;     /* the books at the end of the data that was passed on, for metrics; not in the state */
    char unreleased[LIVE_ENTRY]; /* name of a piece that was spooled although the state could not be written; "" = none */
    uint64_t pulse;              /* changes whenever the daemon sees that the agent has written */
    int fd;                      /* -1 = not open */
};

/* Makes the file and the state. The caller has set pid, start, name and query. folder: an open directory. *passed: a second descriptor for
 * the agent, so that the agent's lock does not belong to the daemon. Returns 0 or a negative code with a message in e. */
int live_create(struct live *l, int folder, int *passed, struct error *e);
/* Opens the file and the state that an earlier daemon left. Returns 0, or a code with a message in e: -EBADMSG if the state cannot be
 * understood, or another code. */
int live_open(struct live *l, int folder, const char *id, struct error *e);
/* Writes the state durably. */
int live_save(const struct live *l, int folder, struct error *e);
/* Frees the disk space below an offset, as far as the file system can. */
void live_forget_below(struct live *l, uint64_t offset);
/* When the file was last written, by the wall clock; 0 = not known. */
uint64_t live_written_epoch_ns(const struct live *l);
/* Whether an agent still records to the file. */
bool live_is_locked(const struct live *l);
/* Returns the bytes that the file takes on the disk. */
uint64_t live_bytes(const struct live *l);
void live_close(struct live *l);
/* Closes the recording, and removes both files. */
void live_remove(struct live *l, int folder);

#endif
