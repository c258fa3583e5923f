/* The JVMs that the daemon looks after: which are profiled, which data is collected from each, and when. All on one thread;
 * anything that waits for a JVM is done by the attacher's threads. */
#ifndef CANDOR_DAEMON_FLEET_H
#define CANDOR_DAEMON_FLEET_H

#include "daemon/attacher.h"
#include "daemon/discover.h"
#include "daemon/member.h"
#include "daemon/rules/config.h"
#include "daemon/spool/follow.h"

struct fleet {
    const struct config *config;
    struct attacher *attacher;
    struct follow follow;
    char live_path[PATH_MAX]; /* of the folder, for the agent's answers */
    struct discover discover;
    struct member **members;
    uint32_t count, cap;
    bool ending;
};

/* live_folder: open. The config, the attacher and the outbox must outlive it. */
void fleet_init(struct fleet *f, const struct config *config, struct attacher *attacher, struct outbox *outbox, int live_folder);
void fleet_deinit(struct fleet *f);
/* Takes over the recordings that a daemon before us began. 0 or a negative code with e. */
int fleet_adopt(struct fleet *f, struct error *e);
/* Looks for JVMs that have come. */
int fleet_look(struct fleet *f, struct error *e);
/* Does everything that is due: starts, collects, renews, forgets. */
void fleet_tick(struct fleet *f);
/* Ends all recordings and collects the rest, within so long; what could not be ended is left for the next daemon. */
void fleet_stop(struct fleet *f, uint64_t patience_ns);
uint32_t fleet_recording(const struct fleet *f);

#endif
