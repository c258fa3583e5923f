/* What the files of this folder share. */
#ifndef CANDOR_SERVER_PULL_INTERNAL_H
#define CANDOR_SERVER_PULL_INTERNAL_H

#include "format/pprof_since.h"
#include "http/many.h"
#include "server/pull/pull.h"

#include <pthread.h>

enum { PULL_STORERS = 4, PULL_PROBLEM_MAX = 200 };

/* What became of a fetched profile. */
#define PULL_RESULTS(X)                                                                                                                    \
    X(STORED, "stored")                                                                                                                    \
    X(FIRST, "first")                                                                                                                      \
    X(NOTHING, "nothing_new")                                                                                                              \
    X(FAILED, "failed")                                                                                                                    \
    X(REFUSED, "refused")

enum pull_result {
#define PULL_RESULT(name, word) PULL_##name,
    PULL_RESULTS(PULL_RESULT)
#undef PULL_RESULT
        PULL_RESULT_COUNT
};
extern const char *const pull_results[PULL_RESULT_COUNT];

enum pull_state { PULL_IDLE, PULL_FETCHING, PULL_STORING };

/* One profile of one program. pull->lock protects it; while it is being stored, `body` and `since` belong to the thread that does that. */
struct pull_job {
    struct pull_group *group; /* a reference: its settings */
    uint32_t url;             /* place in the group */
    enum pull_kind kind;
    char *identity; /* address, kind and labels: the same after a reload if these are */
    enum pull_state state;
    bool gone;                   /* no target any more: it ends when it is idle */
    uint64_t due_ns;             /* monotonic */
    int64_t begun_ns;            /* the request began at this time since the epoch */
    struct pull_group *asked;    /* while it is not idle: a reference to the settings of the request */
    char instance[PULL_URL_MAX]; /* HOST:PORT and the path of the url, the label `instance` */
    struct buffer body;
    struct pprof_since *since;   /* of sums, otherwise NULL */
    int64_t since_ns;            /* the time of the profile that the next is compared with */
    uint64_t epoch, since_epoch; /* of this server as the keeper: at the request, and at that of `since` */
    uint64_t results[PULL_RESULT_COUNT], restarts, bytes;
    int64_t tried_ns, good_ns;       /* when the latest one was asked for, and the latest good one; 0 = never */
    char problem[PULL_PROBLEM_MAX];  /* why the latest one failed; "" = it did not */
    char left_out[PULL_PROBLEM_MAX]; /* data of the latest one that is not kept */
    struct pull_job *next;           /* in the queue */
};

struct pull {
    struct server *server;
    void (*tell)(const char *text);
    struct many *many;
    pthread_t threads[1 + PULL_STORERS]; /* the first one fetches, the others store */
    uint32_t thread_count;
    pthread_mutex_t lock;
    pthread_cond_t wake; /* there is something to store, or the end has come */
    bool stopping;
    struct pull_job **jobs;
    uint32_t count, fetching;
    uint32_t turn;                                       /* place of the job that is looked at first */
    uint64_t waiting;                                    /* bytes of profiles that are not stored yet */
    struct pull_job *first, **last;                      /* those to store */
    uint64_t results[PULL_RESULT_COUNT], restarts, late; /* of all jobs, also of those that have gone */
};

void *pull_fetch_run(void *pull);
void *pull_store_run(void *pull);
/* Ends the work on a job with its result. The caller has the lock. problem: "" = none. */
void pull_job_end(struct pull *p, struct pull_job *job, enum pull_result result, const char *problem);
void pull_job_free(struct pull_job *job);

#endif
