/* A JVM of this host as the daemon sees it: either profiled, or with the reason why it is not. */
#ifndef CANDOR_DAEMON_MEMBER_H
#define CANDOR_DAEMON_MEMBER_H

#include "daemon/rules/labels.h"
#include "daemon/spool/follow.h"

enum member_state {
    MEMBER_LEFT,      /* not profiled; `reason` says why. It is examined again at again_ns */
    MEMBER_STARTING,  /* the attacher starts its recording */
    MEMBER_RECORDING, /* recording; its data is collected */
    MEMBER_ENDED,     /* the process has ended, and all its data was passed on: it may be forgotten */
};
extern const char *const member_state_names[];

/* What became of a recording on demand, with its name in docs/formats/server-api.md. */
enum demand_outcome { DEMAND_RUNS, DEMAND_DONE, DEMAND_CUT, DEMAND_FAILED, DEMAND_REFUSED, DEMAND_OUTCOMES };
extern const char *const demand_outcome_names[DEMAND_OUTCOMES];

struct member {
    pid_t pid;
    uint64_t start;
    enum member_state state;
    char user[64], jdk[64], name[256], service[LABEL_MAX + 1], rule[64]; /* rule: "" = none */
    char reason[320];
    char refuses_demand[160];     /* why recordings on demand are forbidden; "" = they are allowed, as far as is known */
    char events[SETTINGS_EVENTS]; /* list of the recorded events; "" = unknown, because an earlier daemon began the recording */
    char left_out[320];           /* events that were requested but that the JVM cannot record, and why; "" = none */
    uint64_t again_ns;            /* for MEMBER_LEFT: when to try again; 0 = at the next look */
    unsigned failures;
    struct live live;
    int handle;                 /* pidfd, -1 = none */
    uint64_t next_ns, renew_ns; /* when to collect data, and when to begin a new recording */
    uint64_t pulse, pulse_ns;   /* last sign of life from the recording, and its time */
    bool renewing;
    struct follow_gain gain;
    /* Of a recording on demand (live.demand): once its state is MEMBER_ENDED, it stays until the server knows the outcome. */
    enum demand_outcome outcome;
    uint64_t written_epoch_ns; /* when its file was last written, once it has ended */
    bool being_told, told;     /* the outcome is on its way to the server; the server has it */
};

void member_init(struct member *t, pid_t pid, uint64_t start);
void member_deinit(struct member *t);
/* Whether the process has ended. */
bool member_is_gone(const struct member *t);
/* Ends a recording on demand with an outcome and a reason ("" = none). */
void member_end_demand(struct member *t, enum demand_outcome outcome, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Records that the JVM is not profiled, and the reason. It is examined again after after_ns. */
void member_leave(struct member *t, uint64_t after_ns, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
