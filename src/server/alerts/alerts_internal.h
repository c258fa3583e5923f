/* The state that the files of alerts share. */
#ifndef CANDOR_SERVER_ALERTS_ALERTS_INTERNAL_H
#define CANDOR_SERVER_ALERTS_ALERTS_INTERNAL_H

#include "server/alerts/alerts.h"
#include "server/alerts/silence/silences.h"
#include "server/alerts/table.h"

#include <pthread.h>
#include <sys/stat.h>

/* What the evaluating thread remembers about a rule. */
struct alert_status {
    int64_t last;      /* the end of the last window that was evaluated; 0 = none */
    char problem[300]; /* why the last evaluation failed; "" = it did not */
    bool cut;          /* `each` has more values than are evaluated */
};

/* What is remembered about a target. */
struct alert_sending {
    uint64_t sent, failed; /* requests */
    uint64_t next_ns;      /* no request before this time, on the monotonic clock, because the last one failed */
    unsigned failures;     /* in a row */
    int64_t last;          /* when a request was answered with success, in seconds since the epoch; 0 = never */
    char problem[300];     /* of the last request; "" = it succeeded */
};

struct alert_counts {
    uint64_t evaluations, failed, ns, reads; /* reads: of windows from the store */
    uint64_t fired, resolved;
};

struct alert_sender {
    struct alerts *alerts;
    uint32_t target;
    pthread_t thread;
    bool running;
};

struct alerts {
    struct server *server;
    const char *path; /* of the rules */
    char file[4096];  /* of the table */
    void (*tell)(const char *text);

    pthread_mutex_t lock; /* protects all following members, up to `saving` */
    pthread_cond_t wake;  /* the end, or something to send */
    bool stopping;
    struct alert_rules rules;    /* the evaluating thread may read them without the lock */
    uint32_t generation;         /* how often the rules were replaced */
    int64_t read_at;             /* when they were read */
    char problem[600];           /* why the file as it is now is not used; "" = it is */
    struct alert_status *status; /* by rule */
    struct alert_table table;
    struct silences silences;
    struct alert_sending sending[ALERT_TARGETS_MAX];
    struct alert_counts counts;
    bool save_failed;
    uint64_t epoch; /* in which this server is the keeper, and has the states of the keeper before; 0 = it is not */

    pthread_mutex_t saving;          /* held while the table is written; taken before `lock` */
    uint64_t handed;                 /* the evaluating thread's: which states of other keepers it has taken over */
    struct stat seen;                /* the file as it was last read; the evaluating thread's */
    struct stat changing;            /* likewise: as it was at the last look */
    struct alert_patterns *patterns; /* likewise */
    pthread_t watcher;
    bool watching;
    struct alert_sender senders[ALERT_TARGETS_MAX];
};

/* Waits for at most a second, or until something has changed. The caller has the lock. */
void alerts_wait(struct alerts *a);
/* Writes the table to its file. The caller has no lock. */
void alerts_save(struct alerts *a);

/* Takes over what another keeper has left, and learns whether this server is the keeper now; for the evaluating thread. */
void alerts_take_over(struct alerts *a);
/* Leaves the states and silences to the next keeper. The caller has no lock. */
void alerts_leave(struct alerts *a);
/* Whether this server is the keeper, with the states of the one before. The caller has the lock. */
bool alerts_is_keeper(const struct alerts *a);

/* The evaluating thread, in watch.c: reads the file again when it has changed, and evaluates what is due. */
void *watch_run(void *alerts);
/* Puts new rules in the place of the old ones, which it frees. The caller has the lock. Returns 0 or -ENOMEM. */
int watch_use(struct alerts *a, struct alert_rules *rules);
/* The end of the last window of a rule that is complete at that time. */
int64_t watch_window_end(const struct alert_rule *rule, int64_t now);

/* The thread of a target, in send.c. */
void *send_run(void *sender);
/* Sends a body to a target. Returns 0, or a code with a message in e. retry_after_ns: what the target asks for; 0 = nothing. */
int send_body(struct alerts *a, const struct alert_target *target, const char *bytes, size_t n, uint64_t *retry_after_ns, struct error *e);

#endif
