#include "load/load.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "load/reach.h"
#include "load/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int load_resolve(struct target *target, struct error *e)
{
    return reach_host(target->url.host, target->url.port, &target->addresses, &target->address, e);
}

void load_target_deinit(struct target *target)
{
    if (target->addresses)
        freeaddrinfo(target->addresses);
    target->addresses = target->address = NULL;
}

/* ---- a run ---- */

struct session {
    struct run run;
    struct load_result *result;
    struct candor_histogram response, service; /* of the last interval */
    uint64_t next_tick, last_tick;             /* on the run's clock */
    uint64_t done_before;
    int64_t start_ns; /* of the run, since the epoch */
    int log_error;
};

/* Returns the number of requests that ended. */
static uint64_t all_done(const struct outcome *o)
{
    uint64_t n = 0;
    for (int kind = 0; kind < OUTCOME_IN_FLIGHT; kind++)
        n += __atomic_load_n(&o->kinds[kind], __ATOMIC_RELAXED);
    return n;
}

static uint64_t waiting(const struct run *run, uint64_t now)
{
    if (run->config->mode == LOAD_THROUGHPUT || now < run->start)
        return 0;
    uint64_t due = run_part(run, schedule_count(&run->config->schedule, now - run->start)),
             sent = __atomic_load_n(&run->next, __ATOMIC_RELAXED);
    if (run->most && due > run->most)
        due = run->most;
    return due > sent ? due - sent : 0;
}

static void tell(struct session *s, uint64_t from, uint64_t now)
{
    const struct load_config *config = s->run.config;
    const struct outcome *o = s->run.outcome;
    if (!config->tick)
        return;
    outcome_sum(o, OUTCOME_RESPONSE, true, &s->response);
    outcome_sum(o, OUTCOME_SERVICE, true, &s->service);
    uint64_t warm = __atomic_load_n(&s->run.warm_up_requests, __ATOMIC_RELAXED), done = all_done(o) + warm;
    struct load_tick tick = {
        .elapsed = now - s->run.start,
        .length = now - from,
        .end_ns = s->start_ns + (int64_t)(now - s->run.start),
        .warming_up = now < s->run.measured + (now - from) / 2, /* most of it */
        .done = done - s->done_before,
        .failed = all_done(o) - __atomic_load_n(&o->kinds[OUTCOME_ANSWERED], __ATOMIC_RELAXED),
        .waiting = waiting(&s->run, now),
        .in_flight = __atomic_load_n(&s->run.in_flight, __ATOMIC_RELAXED),
        .times = config->mode == LOAD_FIXED ? &s->response : &s->service,
        .response = &s->response,
        .service = &s->service,
        .lateness = config->mode == LOAD_THROUGHPUT ? NULL : o->own[OUTCOME_LATENESS].interval,
    };
    s->done_before = done;
    config->tick(config->context, &tick);
}

/* Ends the interval at `now`. */
static void end_interval(struct session *s, uint64_t now)
{
    const struct run *run = &s->run;
    uint64_t from = s->last_tick, begin = from > run->measured ? from - run->measured : 0;
    uint64_t length = now > run->measured ? now - run->measured - begin : 0;
    int rc = outcome_interval(run->outcome, run->config->log, begin, length);
    if (rc && !s->log_error)
        s->log_error = rc;
    s->last_tick = now;
    tell(s, from, now);
}

/* Ends the intervals up to `now`. The last interval ends with the run, because requests that were never sent belong to it. */
static void ticks_until(struct session *s, uint64_t now)
{
    for (; s->next_tick <= now && s->next_tick < s->run.end; s->next_tick += s->run.config->log_interval)
        end_interval(s, s->next_tick);
}

static void on_virtual_time(struct run *run, uint64_t now)
{
    ticks_until((struct session *)run, now); /* the run is the session's first member */
}

static void record_unsent(struct session *s)
{
    struct run *run = &s->run;
    if (run->config->mode == LOAD_THROUGHPUT)
        return;
    for (uint64_t n = run->next; !run->most || n < run->most; n++) {
        uint64_t offset = schedule_due(&run->config->schedule, run_number(run, n));
        if (offset == UINT64_MAX || run->start + offset >= run->end)
            break;
        if (run->start + offset >= run->measured)
            outcome_record_unsent(run->outcome, mix_choose(&run->config->mix, run_number(run, n)), run->start + offset, run->stopped);
    }
}

/* ---- threads ---- */

static void *worker_main(void *worker)
{
    prctl(PR_SET_TIMERSLACK, 1);
    worker_run(worker);
    return NULL;
}

static int start_threads(struct worker *workers, uint32_t count)
{
    sigset_t all, before; /* only the thread that ticks handles signals */
    uint32_t started = 0;
    int rc = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < count && !(rc = pthread_create(&workers[started].thread, NULL, worker_main, &workers[started])))
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc) {
        __atomic_store_n(&workers[0].run->end, 0, __ATOMIC_RELAXED);
        while (started--)
            pthread_join(workers[started].thread, NULL);
    }
    return -rc;
}

static void sleep_until(uint64_t ns)
{
    struct timespec when = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

static void tick_until_end(struct session *s)
{
    struct run *run = &s->run;
    uint64_t end = run->end + run->config->drain;
    while (clock_monotonic_ns() < end &&
           (clock_monotonic_ns() < __atomic_load_n(&run->end, __ATOMIC_RELAXED) || __atomic_load_n(&run->in_flight, __ATOMIC_RELAXED))) {
        uint64_t moment = s->next_tick < end ? s->next_tick : end, soon = clock_monotonic_ns() + 50 * NS_PER_MS;
        sleep_until(moment < soon ? moment : soon);
        if (run->config->interrupted && run->config->interrupted() && !s->result->interrupted) {
            s->result->interrupted = true;
            end = clock_monotonic_ns();
            __atomic_store_n(&run->end, end, __ATOMIC_RELAXED);
        }
        /* If this thread was delayed, one tick covers the whole time. */
        uint64_t now = clock_monotonic_ns();
        if (now >= s->next_tick && now < run->end) {
            end_interval(s, now);
            s->next_tick += (now - s->next_tick) / run->config->log_interval * run->config->log_interval + run->config->log_interval;
        }
    }
}

static void begin_at(struct session *s, uint64_t start)
{
    const struct load_config *config = s->run.config;
    s->run.start = s->last_tick = start;
    s->start_ns = (int64_t)(clock_realtime_ns() + start - clock_monotonic_ns());
    s->run.measured = start + config->warm_up;
    s->run.end = s->run.measured + config->duration;
    s->next_tick = start + config->log_interval;
    if (config->log)
        candor_histogram_log_start(config->log, clock_realtime_ns() + config->warm_up, CANDOR_LOG_JAVA,
                                   "written by candor load " CANDOR_VERSION ", values in ns, maximum in ms");
}

static int run_workers(struct session *s, struct worker *workers, uint32_t count)
{
    if (s->run.config->virtual_time) {
        begin_at(s, 0);
        worker_run(&workers[0]);
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        worker_connect(&workers[i]);
    /* Some time for the threads to start. A run that has to start at a certain moment, and is late, is measured from that moment, too. */
    begin_at(s, s->run.config->start_at ? s->run.config->start_at : clock_monotonic_ns() + NS_PER_MS);
    int rc = start_threads(workers, count);
    if (rc)
        return rc;
    tick_until_end(s);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
    return 0;
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int run_session(struct session *s, struct worker *workers, uint32_t count, struct error *e)
{
    const struct load_config *config = s->run.config;
    struct load_result *result = s->result;
    uint64_t cpu = cpu_ns();
    int rc = run_workers(s, workers, count);
    if (rc)
        return error_set(e, rc, "cannot start the generator's threads: %s", strerror(-rc));
    result->cpu = cpu_ns() - cpu;
    result->elapsed = s->run.end > s->run.measured ? s->run.end - s->run.measured : 0;
    result->warm_up_requests = s->run.warm_up_requests;
    record_unsent(s);
    end_interval(s, later(s->run.stopped, s->last_tick));
    if (s->log_error || (config->log && (fflush(config->log) || ferror(config->log))))
        return error_set(e, -EIO, "cannot write the log");
    return 0;
}

int load_run(const struct load_config *config, struct load_result *result, struct error *e)
{
    uint32_t count = config->target.kind == TARGET_MOCK ? 1 : config->threads, ready = 0;
    struct session s = {.run = {.config = config, .outcome = &result->outcome, .mock = config->target.mock, .on_time = on_virtual_time},
                        .result = result};
    struct worker *workers = calloc(count, sizeof *workers);
    memset(result, 0, sizeof *result);
    s.run.most = run_part(&s.run, config->requests_most);
    int rc = outcome_init(&result->outcome, &config->mix, config->mode != LOAD_THROUGHPUT);
    if (!rc)
        rc = outcome_histogram(&s.response);
    if (!rc)
        rc = outcome_histogram(&s.service);
    if (!workers)
        rc = -ENOMEM;
    for (; ready < count && !rc; ready++)
        rc = worker_init(&workers[ready], &s.run, config->connections / count + (ready < config->connections % count));
    if (rc)
        error_set(e, rc, "cannot set up the connections: %s", strerror(-rc));
    else
        rc = run_session(&s, workers, count, e);
    while (ready--)
        worker_deinit(&workers[ready]);
    free(workers);
    candor_histogram_deinit(&s.response);
    candor_histogram_deinit(&s.service);
    return rc;
}

void load_result_deinit(struct load_result *result)
{
    outcome_deinit(&result->outcome);
}
