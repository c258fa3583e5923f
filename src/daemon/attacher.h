/* Runs threads that start recordings. An attach waits for the JVM, and a JVM that hangs must delay neither other JVMs nor the collection of
 * data. A descriptor that can be polled reports results. */
#ifndef CANDOR_DAEMON_ATTACHER_H
#define CANDOR_DAEMON_ATTACHER_H

#include "attach/agent.h"
#include "daemon/rules/settings.h"

#include <pthread.h>

enum { ATTACHER_THREADS = 4 };

struct attacher_job {
    struct attacher_job *next;
    pid_t pid;
    uint64_t start;      /* start time of the process; another process with the same pid is refused */
    char path[PATH_MAX]; /* the file's path, for the agent */
    int passed;          /* the descriptor for the agent; it is closed when the job is done */
    struct settings settings;
    uint64_t demand;      /* the number of a request; 0 = none */
    uint64_t duration_ns; /* after which the agent ends the recording by itself */
    bool several;         /* the agent makes several recordings at once, which have names and numbers */
    /* The outcome. -EBUSY: another recording runs there, which excludes ours; or another negative errno. Events that the JVM cannot record
     * are no longer in the settings; `refused` has the JVM's message about them. */
    char refused[320];
    uint64_t recording; /* the agent's number for the recording; 0 = the agent has not sent one */
    int code;
    struct error error;
};

struct attacher {
    struct agent_library library;
    uint64_t timeout_ns;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct attacher_job *todo, *done;
    pthread_t threads[ATTACHER_THREADS];
    int started, at_work, event; /* event: an eventfd, readable when a job is done */
    bool ending;
};

/* Starts the threads. Returns 0 or a negative code with a message in e. */
int attacher_start(struct attacher *a, const struct agent_library *library, uint64_t timeout_ns, struct error *e);
/* Takes over the job. attacher_take returns it to the caller. */
void attacher_give(struct attacher *a, struct attacher_job *job);
/* Returns a job that is done, or NULL. */
struct attacher_job *attacher_take(struct attacher *a);
/* Waits for the running jobs, but no longer than patience_ns. Jobs that have not begun end with -ECANCELED. Returns true if no thread works
 * any more. Otherwise, the working threads go on with their jobs, and nobody waits for them. */
bool attacher_stop(struct attacher *a, uint64_t patience_ns);

#endif
