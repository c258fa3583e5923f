/* One JVM of this host from the daemon's view: profiled, or the reason why not. */
#ifndef CANDOR_DAEMON_MEMBER_H
#define CANDOR_DAEMON_MEMBER_H

#include "daemon/rules/labels.h"
#include "daemon/spool/follow.h"

enum member_state {
    MEMBER_LEFT,      /* not profiled; `reason` says why. Looked at again at again_ns */
    MEMBER_STARTING,  /* with the attacher */
    MEMBER_RECORDING, /* followed */
    MEMBER_ENDED,     /* the process is gone and all is passed on: may be forgotten */
};
extern const char *const member_state_names[];

struct member {
    pid_t pid;
    uint64_t start;
    enum member_state state;
    char user[64], jdk[64], name[256], service[LABEL_MAX + 1], rule[64]; /* rule "" = none */
    char reason[320];
    char events[SETTINGS_EVENTS]; /* that are recorded, a list; "" = not known: an earlier daemon began it */
    char left_out[320];           /* asked-for events that the JVM cannot record, and why; "" = none */
    uint64_t again_ns;            /* MEMBER_LEFT: when to try again; 0 = with the next look into it */
    unsigned failures;
    struct live live;
    int handle;                 /* pidfd, -1 = none */
    uint64_t next_ns, renew_ns; /* when to take, and when to begin the recording anew */
    uint64_t pulse, pulse_ns;   /* the recording's last sign of life, and when */
    bool renewing;
    struct follow_gain gain;
};

void member_init(struct member *t, pid_t pid, uint64_t start);
void member_deinit(struct member *t);
/* Whether the process has ended. */
bool member_is_gone(const struct member *t);
/* Notes that the JVM is not profiled, with the reason. It is examined again after after_ns. */
void member_leave(struct member *t, uint64_t after_ns, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
