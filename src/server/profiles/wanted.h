/* What somebody wants to have recorded: which JVMs, what, and for how long. A person asks with JSON (POST /v1/profiles), a rule of alerts
 * with one line (action). Both are checked here, so that nothing reaches a daemon that it would not understand. */
#ifndef CANDOR_SERVER_PROFILES_WANTED_H
#define CANDOR_SERVER_PROFILES_WANTED_H

#include "base/error.h"
#include "server/access/tokens.h"

#include <stdint.h>

enum {
    WANTED_SELECT = 2048,
    WANTED_EVENTS = 64,
    WANTED_INTERVAL = 32,
    WANTED_BY = TOKENS_HOLDER + 8, /* a holder's name, or that of an alert */
    WANTED_SECONDS_MAX = 600,
    WANTED_WITHIN = 120, /* seconds, unless something else is wanted */
    WANTED_JVMS = 1,     /* likewise */
    WANTED_JVMS_MAX = 1000,
};

struct wanted {
    char select[WANTED_SELECT], events[WANTED_EVENTS], interval[WANTED_INTERVAL]; /* interval: "" = that of the JVM's daemon */
    int64_t seconds;                                                              /* the length of the recording */
    int64_t within;                                                               /* seconds in which a JVM must be found */
    uint32_t jvms;                                                                /* the largest number of JVMs */
    double share;                                                                 /* of the JVMs that match, each with this probability */
    char by[WANTED_BY];                                                           /* who wants it, for people */
    char services[TOKENS_PATTERN];                                                /* a pattern for the services of the JVMs */
};

/* Reads a request from JSON; sets all but `by` and `services`. Returns 0, or -EINVAL with a message in e. */
int wanted_read(struct wanted *w, const char *body, size_t n, struct error *e);
/* Reads "EVENTS DURATION [JVMS]", as in "wall,lock 2m 5"; sets events, seconds and jvms. Returns 0, or -EINVAL with a message in e. */
int wanted_read_line(struct wanted *w, const char *line, struct error *e);

#endif
