/* The messages between daemon and server about recordings on demand, as JSON (docs/formats/server-api.md#profiles-on-demand). It is
 * separate from demand.c because its input comes from outside. */
#ifndef CANDOR_DAEMON_DEMAND_TALK_H
#define CANDOR_DAEMON_DEMAND_TALK_H

#include "daemon/fleet.h"

enum {
    TALK_TASKS_MAX = 8,
    TALK_JVMS_MAX = 1000,
    TALK_UNRECORDED_MAX = 100,
    TALK_MESSAGE_MAX = 512 << 10,
    TALK_AFTER_MAX_S = 600,
    TALK_DURATION_MAX_S = 600
};

struct talk_orders {
    struct fleet_demand list[TALK_TASKS_MAX];
    uint32_t count;
    uint32_t bad;      /* tasks that could not be understood */
    uint64_t after_ns; /* when to ask again */
};

/* Writes what the daemon tells the server: its JVMs with their labels, those that it does not record and why, and what
 * became of its recordings on demand. Marks the members whose outcome is in it (being_told). Returns a text from malloc, or NULL if there
 * is no memory. */
char *talk_make(struct fleet *f);
/* Reads what the server answers. Returns 0, or -EBADMSG with a message in e. */
int talk_read(struct talk_orders *out, const char *text, size_t n, struct error *e);

#endif
