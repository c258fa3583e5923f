#include "daemon/attacher.h"

#include "attach/control.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "daemon/discover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* ---- one job ---- */

static int ask_once(const struct attacher *a, struct attacher_job *job)
{
    struct control_request r;
    struct control_answer answer;
    char duration[32];
    control_begin(&r, "start");
    control_pass_file(&r, job->path, job->passed);
    control_option(&r, "event", job->settings.events);
    for (int i = 0; i < RECORDING_OPTIONS_COUNT; i++)
        control_option(&r, recording_option_rows[i].key, settings_option(&job->settings, (enum recording_option)i));
    snprintf(duration, sizeof duration, "%llums", (unsigned long long)(job->duration_ns / NS_PER_MS));
    control_option(&r, "duration", duration);
    control_option(&r, "name", job->several ? "daemon" : NULL);
    int code = control_send(job->pid, &r, a->timeout_ns, &answer, &job->error);
    job->recording = code ? 0 : control_number(&answer, "recording", 0);
    control_answer_free(&answer);
    return code;
}

/* Removes an event that the JVM refuses, because the recording can begin without it. Returns false if the message is not about an event, or
 * if no event would be left. */
static bool drop_refused(struct attacher_job *job)
{
    if (!settings_drop_refused(&job->settings, job->error.text))
        return false;
    size_t n = strlen(job->refused);
    snprintf(job->refused + n, sizeof job->refused - n, "%s%s", n ? "; " : "", job->error.text);
    return *job->settings.events;
}

static int ask_start(const struct attacher *a, struct attacher_job *job)
{
    int code;
    do
        code = ask_once(a, job);
    while (code == -EREMOTEIO && drop_refused(job));
    return code == -EREMOTEIO && !strncmp(job->error.text, "already recording", 17) ? -EBUSY : code;
}

/* Refuses a JVM whose agent makes only one recording at a time and is recording, without any effect on that recording. Newer agents
 * themselves refuse a recording that cannot run together with theirs. */
static int refuse_busy(const struct attacher *a, struct attacher_job *job)
{
    struct control_request r;
    struct control_answer answer;
    control_begin(&r, "status");
    int code = control_send(job->pid, &r, a->timeout_ns, &answer, &job->error);
    const char *state = code ? NULL : control_text(&answer, "state");
    bool running = state && !strcmp(state, "running");
    job->several = code == -ENOENT || (!code && control_number(&answer, "protocol_minor", 0) >= 1); /* without an agent, ours is loaded */
    control_answer_free(&answer);
    if (running && !job->several)
        return error_set(&job->error, -EBUSY, "its agent can make only one recording at a time");
    return code == -ENOENT ? 0 : code;
}

static int begin(const struct attacher *a, struct attacher_job *job)
{
    struct process p;
    uint64_t start;
    int code = process_read(job->pid, &p, &job->error);
    if (!code && (discover_start_of(job->pid, &start) || start != job->start))
        code = error_set(&job->error, -ESRCH, "the process has ended");
    if (!code)
        code = refuse_busy(a, job);
    if (!code)
        code = agent_load(&p, &a->library, a->timeout_ns, NULL, NULL, &job->error);
    return code ? code : ask_start(a, job);
}

/* ---- the threads ---- */

static struct attacher_job *next_job(struct attacher *a)
{
    pthread_mutex_lock(&a->lock);
    while (!a->todo && !a->ending)
        pthread_cond_wait(&a->wake, &a->lock);
    struct attacher_job *job = a->ending ? NULL : a->todo;
    if (job)
        a->todo = job->next;
    a->at_work += job != NULL;
    pthread_mutex_unlock(&a->lock);
    return job;
}

static void finish(struct attacher *a, struct attacher_job *job)
{
    uint64_t one = 1;
    close(job->passed);
    job->passed = -1;
    pthread_mutex_lock(&a->lock);
    a->at_work--;
    job->next = a->done;
    a->done = job;
    pthread_cond_broadcast(&a->wake);
    ssize_t n = write(a->event, &one, sizeof one);
    (void)n;
    pthread_mutex_unlock(&a->lock);
}

static void *run(void *context)
{
    struct attacher *a = context;
    for (struct attacher_job *job; (job = next_job(a));) {
        job->code = begin(a, job);
        finish(a, job);
    }
    return NULL;
}

int attacher_start(struct attacher *a, const struct agent_library *library, uint64_t timeout_ns, struct error *e)
{
    *a = (struct attacher){.library = *library, .timeout_ns = timeout_ns, .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    pthread_condattr_t attributes;
    pthread_mutex_init(&a->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&a->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    int rc = a->event < 0 ? errno : 0;
    for (; !rc && a->started < ATTACHER_THREADS; a->started += !rc)
        rc = pthread_create(&a->threads[a->started], NULL, run, a);
    return rc ? error_set(e, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

void attacher_give(struct attacher *a, struct attacher_job *job)
{
    struct attacher_job **last = &a->todo;
    job->next = NULL;
    pthread_mutex_lock(&a->lock);
    while (*last)
        last = &(*last)->next;
    *last = job;
    pthread_cond_broadcast(&a->wake);
    pthread_mutex_unlock(&a->lock);
}

struct attacher_job *attacher_take(struct attacher *a)
{
    uint64_t drained;
    pthread_mutex_lock(&a->lock);
    struct attacher_job *job = a->done;
    if (job)
        a->done = job->next;
    else if (read(a->event, &drained, sizeof drained) < 0)
        job = NULL; /* it was emptied already */
    pthread_mutex_unlock(&a->lock);
    return job;
}

static void cancel_todo(struct attacher *a)
{
    struct attacher_job *job;
    while ((job = a->todo)) {
        a->todo = job->next;
        job->code = error_set(&job->error, -ECANCELED, "the daemon is ending");
        close(job->passed);
        job->next = a->done;
        a->done = job;
    }
}

bool attacher_stop(struct attacher *a, uint64_t patience_ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(patience_ns / NS_PER_S);
    pthread_mutex_lock(&a->lock);
    a->ending = true;
    cancel_todo(a);
    pthread_cond_broadcast(&a->wake);
    int rc = 0;
    while (a->at_work && !rc)
        rc = pthread_cond_timedwait(&a->wake, &a->lock, &until);
    bool over = !a->at_work;
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; over && i < a->started; i++)
        pthread_join(a->threads[i], NULL);
    return over;
}
