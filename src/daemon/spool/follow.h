/* From a recording in progress to the outbox: the data since the last time becomes a separate recording (jfr/read/slice.h), packed
 * with zstd. Each event of the JVM is in exactly one of them, whenever the daemon is killed: a piece is first spooled, together
 * with its end position, then the state is written, then the piece may be sent. */
#ifndef CANDOR_DAEMON_SPOOL_FOLLOW_H
#define CANDOR_DAEMON_SPOOL_FOLLOW_H

#include "daemon/spool/live.h"
#include "daemon/spool/outbox.h"

struct follow {
    struct outbox *outbox;
    int live_folder;
    uint64_t live_bytes; /* of all recordings in progress */
};

struct follow_gain {
    uint64_t recordings, samples, weight_ns;
};

/* Beyond this a chunk, or what one JVM has on the disk, is no recording of our agent's. */
#define FOLLOW_CHUNK_MAX ((uint64_t)128 << 20)
#define FOLLOW_LIVE_MAX  ((uint64_t)512 << 20)

/* Completes the work of an earlier daemon that was killed after it had spooled data and before it had noted that. */
int follow_recover(const struct follow *f, struct live *l, struct error *e);
/* Passes on new data. ended: nothing writes to the file any more, and all remaining data is taken. What was passed on is added to
 * gain. 0; or a negative code with e: -EBADMSG or -EFBIG if this is not a recording and never will be, another code if it may work
 * later. */
int follow_take(const struct follow *f, struct live *l, bool ended, struct follow_gain *gain, struct error *e);

#endif
