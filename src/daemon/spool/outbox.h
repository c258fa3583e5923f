/* Keeps recordings that wait to be sent, packed, in the spool's folder `queue`. Each is a file, which is either complete or absent. A
 * stored recording survives any end of the daemon and of the machine. To stay within the limit, the oldest recording of the JVM that uses
 * most of the spool is dropped (charges.h) and counted.
 *
 *     queue/SEQUENCE-ID-CHUNK-TO-NS    in hexadecimal: a number that grows with time, the recording's id, the position in the
 *                                      recording where the data ends
 *         candor-spool 1\n  key SHA-256 of the body\n  query service=..&host=..\n  size N\n  \n  body
 *
 *   put: outbox_put -> [record the position elsewhere] -> outbox_release     after a crash in between, outbox_position has the position
 *   send: outbox_next -> outbox_done | outbox_drop                           one sender; any thread may put */
#ifndef CANDOR_DAEMON_SPOOL_OUTBOX_H
#define CANDOR_DAEMON_SPOOL_OUTBOX_H

#include "base/error.h"
#include "daemon/spool/charges.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTBOX_NAME = 96, OUTBOX_HEAD_MAX = 16 << 10, OUTBOX_REASONS = 4 };
enum { OUTBOX_KEY = 65 }; /* SHA-256 in hexadecimal, and a zero byte */

enum outbox_loss { OUTBOX_FULL, OUTBOX_REFUSED, OUTBOX_DAMAGED, OUTBOX_TOO_LARGE };
extern const char *const outbox_loss_names[OUTBOX_REASONS];

struct outbox_tally {
    uint64_t recordings, bytes;
};

struct outbox_entry {
    char name[OUTBOX_NAME];
    uint64_t bytes;
    bool hidden, sending; /* hidden: not released yet; sending: the sender has it. Neither is dropped */
};

struct outbox {
    int folder;
    uint64_t max_bytes, sequence;
    pthread_mutex_t lock;
    struct outbox_entry *entries; /* the oldest first */
    uint32_t count, cap;
    struct outbox_tally waiting, spooled, dropped[OUTBOX_REASONS];
    struct charges charges;
    bool squeezed; /* the disk was full, and only data of other JVMs could have been dropped */
};

/* The position up to which a recording has been put into the outbox. */
struct outbox_position {
    uint64_t chunk, to, ns;
};

/* An entry that the sender is about to send. */
struct outbox_letter {
    char name[OUTBOX_NAME], key[OUTBOX_KEY];
    char query[OUTBOX_HEAD_MAX];
    int fd;
    uint64_t offset, size; /* of the body */
};

/* Opens the outbox. folder: an open directory, which remains the caller's. Removes incomplete files. Existing recordings keep their order.
 * Returns 0 or a negative code with a message in e. */
int outbox_open(struct outbox *o, int folder, uint64_t max_bytes, struct error *e);
void outbox_close(struct outbox *o);

/* Finds the last position up to which a recording was put. Returns false if there is none. */
bool outbox_position(struct outbox *o, const char *id, struct outbox_position *at);
/* Writes a piece of data durably. The sender sees it only after outbox_release. Returns 0, or a negative code with a message in e if it was
 * not put. -EMSGSIZE: it was counted as lost, because its JVM fills the spool. */
int outbox_put(struct outbox *o, const char *id, const struct outbox_position *at, const char *query, const void *body, size_t size,
               char name[OUTBOX_NAME], struct error *e);
void outbox_release(struct outbox *o, const char *name);

/* Opens and checks the oldest piece after the one named `after`, or the oldest of all if there is none after it, or if `after` is "". Drops
 * damaged pieces. Returns 0, or -ENOENT if nothing waits. Call outbox_put_back, outbox_done or outbox_drop afterwards. */
int outbox_next(struct outbox *o, const char *after, struct outbox_letter *l);
void outbox_put_back(struct outbox *o, struct outbox_letter *l);
void outbox_done(struct outbox *o, struct outbox_letter *l);
void outbox_drop(struct outbox *o, struct outbox_letter *l, enum outbox_loss why);
/* Counts data that was lost before it was put. id: the recording. */
void outbox_count_loss(struct outbox *o, const char *id, enum outbox_loss why, uint64_t bytes);

/* Recordings in progress count against the limit, too. Report all of them again each time: call outbox_begin_live, then outbox_add_live for
 * each. Afterwards, outbox_wants_live returns whether the JVM of a recording must give the recording up, because the spool is full, the JVM
 * uses most of it, and its recording in progress is larger than its waiting data. */
void outbox_begin_live(struct outbox *o);
void outbox_add_live(struct outbox *o, const char *id, uint64_t bytes);
bool outbox_wants_live(struct outbox *o, const char *id);
/* Returns the losses of the JVM with this recording. */
struct outbox_tally outbox_lost_of(struct outbox *o, const char *id);

struct outbox_counts {
    struct outbox_tally waiting, spooled, dropped[OUTBOX_REASONS];
};
void outbox_counts(struct outbox *o, struct outbox_counts *out);
/* Computes the SHA-256 of bytes in hexadecimal. */
void outbox_key(const void *bytes, size_t size, char key[OUTBOX_KEY]);

#endif
