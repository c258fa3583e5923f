/* What daemons say of the JVMs of their hosts that they do not record, and why. They repeat it with each poll, so it is in memory only, and
 * a server that was just started knows it after some seconds. The caller locks. */
#ifndef CANDOR_SERVER_PROFILES_DAEMONS_H
#define CANDOR_SERVER_PROFILES_DAEMONS_H

#include "base/text/jsonw.h"

#include <jansson.h>
#include <stdint.h>

enum {
    DAEMONS_MAX = 20000,       /* that are known; others are counted */
    DAEMONS_JVMS = 100,        /* of a daemon that are kept; others are counted */
    DAEMONS_JVMS_ALL = 100000, /* of all daemons together */
    DAEMONS_FORGET_S = 86400,  /* after this silence a daemon may be forgotten, and is no longer listed */
};

struct daemons {
    json_t *list;     /* object: an entry for each host and token's services */
    size_t jvms;      /* kept, of all daemons */
    uint64_t unheard; /* messages of daemons for which there was no room */
};

/* Returns 0 or -ENOMEM. */
int daemons_init(struct daemons *d);
void daemons_deinit(struct daemons *d);
/* Takes a daemon's message, in place of its last one. services: a pattern: of which services the daemon may speak. now: seconds since the
 * epoch. Without memory, the daemon is unknown until it speaks again. */
void daemons_hear(struct daemons *d, const char *services, const json_t *message, int64_t now);
/* Writes the members `daemons` and `unheard`: what may be seen with a token for these services (a pattern). */
void daemons_put(struct jsonw *j, const struct daemons *d, const char *services, int64_t now);

#endif
