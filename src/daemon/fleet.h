/* Decides which JVMs the daemon profiles, and collects their data. Everything here runs on one thread. The attacher's threads do everything
 * that waits for a JVM. */
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
    char live_path[PATH_MAX]; /* path of the folder `live`, which the agent gets */
    struct discover discover;
    struct member **members;
    uint32_t count, cap;
    bool ending;
};

/* A recording that the server asks for. */
struct fleet_demand {
    uint64_t request; /* its number, and the value of the recording's label on_demand */
    pid_t pid;
    uint64_t start; /* of the process, as in struct member */
    uint64_t duration_ns;
    char events[SETTINGS_EVENTS], interval[SETTINGS_VALUE]; /* interval: "" = that of the JVM's rule */
};

/* Initializes the fleet. live_folder: an open directory. The config, the attacher and the outbox must outlive the fleet. */
void fleet_init(struct fleet *f, const struct config *config, struct attacher *attacher, struct outbox *outbox, int live_folder);
void fleet_deinit(struct fleet *f);
/* Takes over the recordings that an earlier daemon began. Returns 0 or a negative code with a message in e. */
int fleet_adopt(struct fleet *f, struct error *e);
/* Looks for new JVMs. Returns 0 or a negative code with a message in e. */
int fleet_look(struct fleet *f, struct error *e);
/* Does everything that is due: starts recordings, collects their data, renews them, and forgets ended JVMs. */
void fleet_tick(struct fleet *f);
/* Ends all recordings and collects the rest of their data, within patience_ns. The next daemon continues with recordings that could not be
 * ended. */
void fleet_stop(struct fleet *f, uint64_t patience_ns);
/* Begins a recording beside the one that always runs, unless the rules forbid it. It becomes a member that ends with an outcome. Nothing
 * happens if there is one for this request already. Returns whether it begins. */
bool fleet_begin_demand(struct fleet *f, const struct fleet_demand *demand);
/* Adds a member that has ended with this reason instead. */
void fleet_refuse_demand(struct fleet *f, const struct fleet_demand *demand, const char *reason);
/* Returns the number of JVMs that are recorded all the time. */
uint32_t fleet_recording(const struct fleet *f);

#endif
