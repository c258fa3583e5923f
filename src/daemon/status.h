/* Writes the daemon's status: one JSON object in the spool, status.json, which is replaced as a whole every few seconds
 * (docs/formats/daemon-status.md). */
#ifndef CANDOR_DAEMON_STATUS_H
#define CANDOR_DAEMON_STATUS_H

#include "daemon/rules/config.h"
#include "daemon/spool/ship.h"
#include "daemon/member.h"

#define STATUS_FILE "status.json"

struct status {
    const struct config *config;
    struct outbox *outbox;
    struct ship *ship;
    struct member *const *members;
    uint32_t member_count;
    uint64_t began_epoch_ns, live_bytes;
    bool running; /* false: the last status of a daemon that has ended */
};

/* Writes the status. folder: that of the spool. A failure is not reported, because the spool's own errors show the reason. */
void status_write(const struct status *s, int folder);

#endif
