/* Recordings on demand: asks the server every few seconds whether somebody wants a recording of one of this host's JVMs, begins those that
 * the configuration allows, and reports what became of them. The server cannot reach a daemon, so the daemon asks. */
#ifndef CANDOR_DAEMON_DEMAND_DEMAND_H
#define CANDOR_DAEMON_DEMAND_DEMAND_H

#include "daemon/demand/poll.h"
#include "daemon/fleet.h"

struct demand {
    struct fleet *fleet;
    struct poll poll;
    uint64_t next_ns;                    /* when to ask again */
    uint64_t begun[DEMAND_PER_HOUR_MAX]; /* when the last recordings on demand began; 0 = none */
    unsigned failures;                   /* in a row */
};

/* Starts to ask the server of the fleet's configuration, unless that is another back end. Returns 0 or a negative code with a message in
 * e. */
int demand_start(struct demand *d, struct fleet *f, struct error *e);
/* Does what is due. Never waits. */
void demand_tick(struct demand *d);
void demand_stop(struct demand *d);

#endif
