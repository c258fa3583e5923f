/* Passes data from a recording in progress to the outbox. The data since the last time becomes a separate recording (jfr/read/slice.h),
 * packed with zstd. Each event of the JVM is in exactly one such recording, whenever the daemon is killed: first the piece is spooled,
 * together with its end position, then the state is written, and then the piece may be sent. */
#ifndef CANDOR_DAEMON_SPOOL_FOLLOW_H
#define CANDOR_DAEMON_SPOOL_FOLLOW_H

#include "daemon/spool/live.h"
#include "daemon/spool/outbox.h"

struct follow {
    struct outbox *outbox;
    int live_folder;
    uint64_t live_bytes; /* sum over all recordings in progress */
};

struct follow_gain {
    uint64_t recordings, samples, weight_ns;
};

/* If a chunk, or everything that one JVM has on the disk, is larger than these limits, our agent did not write it. */
#define FOLLOW_CHUNK_MAX ((uint64_t)128 << 20)
#define FOLLOW_LIVE_MAX  ((uint64_t)512 << 20)

/* Completes the work of an earlier daemon that was killed after it had spooled data and before it had recorded that. */
int follow_recover(const struct follow *f, struct live *l, struct error *e);
/* Passes on new data, and adds its numbers to gain. ended: nothing writes to the file any more, so all remaining data is taken. Returns 0,
 * or a negative code with a message in e: -EBADMSG or -EFBIG if the file is not a recording and never will be, another code if it may work
 * later. */
int follow_take(const struct follow *f, struct live *l, bool ended, struct follow_gain *gain, struct error *e);

#endif
