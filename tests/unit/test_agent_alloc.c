/* The event alloc without a JVM: weights, the rate, and what happens to each sampled allocation on its way into the file.
 * tier: quick
 * timeout: 120
 * sanitize: no
 *
 * The test plays the JVM: its threads call alloc_take as the JVM's callback does. There are no tables with which a stack could be
 * walked, so each sample fails with that reason, and must be in the file all the same. */
#include "../tap.h"
#include "session.h"

#include "agent/collect/alloc/alloc_pace.h"
#include "agent/collect/alloc/allocations.h"
#include "agent/hot/calls/alloc.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/jvm/alloc_events.h"
#include "agent/trigger/threads.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, EVENTS = 3000, FIRST = 512 << 10, FIXED = 64 << 10, LATE_RATE = 500 };

static char file[64];
static uint64_t told, longest; /* the interval that the JVM was given last, and the longest of this recording */
static int tellings;

static int open_events(uint64_t interval, struct error *e)
{
    alloc_config.first_interval = FIRST;
    told = longest = interval;
    return 0;
}

static bool set_interval(uint64_t interval)
{
    told = interval;
    longest = told > longest ? told : longest;
    tellings++;
    return true;
}

static int refuse_events(uint64_t interval, struct error *e)
{
    return error_set(e, -16, "another agent samples");
}

/* ---- arithmetic ---- */

static void test_weights(void)
{
    static const uint64_t sizes[] = {16, 96, 4096, 200 << 10, 2 << 20, 1 << 30}, intervals[] = {1 << 10, FIXED, FIRST, 0x7fffffff};
    double worst = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
            double size = (double)sizes[i], right = size / -expm1(-size / (double)intervals[k]);
            double off = fabs((double)alloc_weight(sizes[i], intervals[k]) - right) - 0.5 - 1e-9 * right;
            worst = fmax(worst, off);
        }
    tap_ok(worst <= 0, "a weight is size / (1 - e^(-size/interval)), rounded");
    tap_ok(alloc_weight(4096, 0) == 4096 && !alloc_weight(0, FIXED), "where all objects are drawn each stands for itself");
}

static double draw(uint64_t *random)
{
    return -FIRST * log((double)(handler_random(random) >> 11) * 0x1p-53 + 0x1p-54);
}

/* The sum of the weights of a JVM's samples, divided by the bytes allocated; before JDK 17 the JVM draws in another way. */
static double estimate(uint64_t size, bool shortens, double *standard_error)
{
    uint64_t random = size + shortens, objects = (UINT64_C(2) << 30) / size, hits = 0;
    double gap = draw(&random);
    alloc_config.shortens_gaps = shortens;
    for (uint64_t i = 0; i < objects; i++) {
        double over = (double)size - gap;
        if (over < 0) {
            gap -= (double)size;
            continue;
        }
        hits++;
        gap = draw(&random);
        double behind = size <= ALLOC_BUFFERED_MAX ? (double)size : over;
        if (shortens && gap > behind)
            gap -= behind;
    }
    double weight = (double)alloc_weight(size, FIRST), p = (double)size / weight;
    alloc_config.shortens_gaps = false;
    *standard_error = sqrt((1 - p) / (p * (double)objects));
    return (double)hits * weight / (double)(objects * size);
}

static void test_estimates(void)
{
    static const uint64_t sizes[] = {96, 4096, 64 << 10, 200 << 10, 512 << 10, 2 << 20};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        uint64_t size = sizes[i / 2];
        double error, found = estimate(size, i % 2, &error);
        /* The weights treat the second sample of a shortened gap like the first, which is off by a percent. */
        tap_ok(fabs(found - 1) <= 5 * error + (i % 2 ? 0.01 : 0), "%" PRIu64 " bytes%s: %.4f of the truth, standard error %.4f", size,
               i % 2 ? ", as before 17" : "", found, error);
    }
}

/* Calls the controller until the rate fits a program that allocates this much. Returns how many calls it took, or 100. */
static int looks_until_steady(struct alloc_pace *p, double per_second, uint64_t *now, double *bytes, double *samples)
{
    const uint64_t step = 50000000;
    for (int i = 0; i < 100 * 20; i++) {
        *now += step;
        *bytes += per_second * step / NS_PER_S;
        *samples += per_second * step / NS_PER_S / (double)p->interval;
        alloc_pace_next(p, *now, (uint64_t)*bytes, (uint64_t)*samples);
        double rate = per_second / (double)p->interval;
        if (fabs(rate / (double)p->rate - 1) < 0.25)
            return i / 20;
    }
    return 100;
}

static void test_pace(void)
{
    static const double programs[] = {1e10, 1e8, 5e10, 1e7, 1e9};
    struct alloc_pace p;
    uint64_t now = 1;
    double bytes = 0, samples = 0;
    alloc_pace_begin(&p, 100, ALLOC_INTERVAL_JVM, now);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        int looks = looks_until_steady(&p, programs[i], &now, &bytes, &samples);
        tap_ok(looks <= 9, "%g bytes a second: about 100 samples a second within %d s", programs[i], looks);
    }
    for (int i = 0; i < 60; i++)
        alloc_pace_next(&p, now += NS_PER_S, (uint64_t)bytes, (uint64_t)samples);
    tap_ok(p.interval <= 1.2 * ALLOC_PACE_INTERVAL_MIN, "who allocates nothing is sampled as finely as it gets");
}

static void test_tokens(void)
{
    tap_ok(alloc_pace_tokens(100, INT32_MAX, 0) == 1200, "two seconds' worth and a thousand at most");
    tap_ok(alloc_pace_tokens(100, 0, 50 * NS_PER_MS) == 50 && alloc_pace_tokens(100, -5000, 50 * NS_PER_MS) == 50,
           "ten times the rate, without debts");
    tap_ok(alloc_pace_tokens(100, 1190, 1000 * NS_PER_MS) == 1200, "what is not taken is not saved");
}

/* ---- the way into the file ---- */

static _Atomic bool begun;
static _Atomic int ended;
static _Atomic uint64_t taken_bytes;

static uint64_t size_of(int i)
{
    return i % 3 ? 96 : 1 << 20;
}

/* was_there, unless NULL: a thread that existed before the recording, so that the JVM has drawn its first sample with another interval. */
static void *allocate(void *was_there)
{
    uint64_t sum = 0;
    while (!begun)
        usleep(1000);
    if (!was_there)
        threads_java_begin(0, 7, "allocates");
    for (int i = 0; i < EVENTS; i++) {
        struct alloc_event event = {.signature = i % 3 ? "[B" : "[[Ljava/util/Map;", .size = size_of(i)};
        alloc_take(&event);
        sum += alloc_weight(event.size, i || !was_there ? FIXED : FIRST);
    }
    if (!was_there)
        threads_java_end();
    taken_bytes += sum;
    ended++;
    return NULL;
}

static bool start(struct alloc_options alloc)
{
    struct collect_options o = {.events = COLLECT_ALLOC, .interval_ns = 10 * NS_PER_MS, .alloc = alloc};
    snprintf(o.file, sizeof o.file, "%s", file);
    ended = 0;
    taken_bytes = 0;
    tellings = 0;
    return session_start_with(&o);
}

/* The first sample was drawn before the recording. */
static void run_threads(pthread_t first, int count)
{
    pthread_t threads[THREADS] = {first};
    begun = true;
    for (int i = 1; i < count; i++)
        pthread_create(&threads[i], NULL, allocate, NULL);
    while (ended < count) {
        collect_tick();
        usleep(1000);
    }
    collect_tick(); /* a call that finds all of them */
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    begun = false;
}

static int64_t book(const struct profile *p, const char *account, const char *reason, uint64_t *count)
{
    const struct profile_book *line = profile_book(p, account, reason);
    *count = line ? line->count : 0;
    return line ? line->ns : 0;
}

static bool load(struct profile *p)
{
    struct error e;
    profile_init(p);
    p->kind = PROFILE_ALLOC;
    return tap_ok(!profile_load_jfr(p, file, &e), "the recording can be read");
}

static uint64_t weight_of_class(const struct profile *p, const char *name)
{
    uint64_t weight = 0;
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_label *label = &p->labels[p->samples[i].labels];
        if (!strcmp(profile_text(p, label->key), "class") && !strcmp(profile_text(p, label->value), name))
            weight += p->samples[i].weight;
    }
    return weight;
}

static void test_whole(void)
{
    struct profile p;
    uint64_t count, lost;
    pthread_t first;
    pthread_create(&first, NULL, allocate, file);
    if (!tap_ok(start((struct alloc_options){.interval = FIXED}), "a recording begins"))
        return;
    run_threads(first, THREADS);
    alloc_take(&(struct alloc_event){.signature = "[I", .size = 64}); /* the collector's own thread has no slot */
    tap_ok(session_stop() && told == FIXED && !tellings, "its interval is the one that was requested, and stays");
    if (!load(&p))
        return;
    int64_t bytes = book(&p, "alloc_bytes", "", &count);
    tap_ok(p.sample_count == THREADS * EVENTS && count == p.sample_count, "all %u samples are in the file, and in the books",
           p.sample_count);
    tap_ok(p.weight == taken_bytes && (uint64_t)bytes == taken_bytes,
           "they weigh %" PRIu64 ", the first of a thread that was there before by the JVM's interval", p.weight);
    tap_ok(p.unit == PROFILE_UNIT_BYTES && !strcmp(profile_text(&p, p.value), "alloc_space"), "which are bytes of alloc_space");
    tap_ok(weight_of_class(&p, "byte[]") + weight_of_class(&p, "java.util.Map[][]") == p.weight && weight_of_class(&p, "byte[]"),
           "the classes are named as people write them");
    tap_ok(!strcmp(profile_text(&p, p.samples[0].outcome), "unreadable"), "no stack, and the reason");
    book(&p, "alloc_lost_bytes", "no_thread", &lost);
    tap_ok(lost == 1, "a thread that is not known: a counted loss");
    tap_ok(!p.problem_count, "nothing is wrong with it");
    profile_deinit(&p);
}

/* Far more samples than may be taken: those that are not taken are counted, with their weight. */
static void test_flood(void)
{
    struct profile p;
    uint64_t count, lost, by_queue;
    pthread_t first;
    pthread_create(&first, NULL, allocate, file);
    if (!tap_ok(start((struct alloc_options){.rate = 10}), "a recording with a rate begins"))
        return;
    run_threads(first, 1);
    tap_ok(session_stop() && tellings && told > ALLOC_INTERVAL_JVM, "the JVM was told to sample less, %d times", tellings);
    if (!load(&p))
        return;
    int64_t bytes = book(&p, "alloc_bytes", "", &count) + book(&p, "alloc_lost_bytes", "throttled", &lost) +
                    book(&p, "alloc_lost_bytes", "queue_full", &by_queue);
    tap_ok(lost && count + lost + by_queue == EVENTS, "%" PRIu64 " taken, %" PRIu64 " thrown away: all that came", count, lost);
    tap_ok(bytes > 0 && p.weight <= (uint64_t)bytes, "their weights are in the books");
    profile_deinit(&p);
}

/* Samples that waited in their queues are read late; they must not look as if they came all at once. */
static void test_late_reading(void)
{
    if (!tap_ok(start((struct alloc_options){.rate = LATE_RATE}), "a recording begins whose queues are read late"))
        return;
    pthread_t thread;
    begun = true;
    pthread_create(&thread, NULL, allocate, NULL);
    pthread_join(thread, NULL);
    begun = false;
    usleep(1000000);
    alloc_part.tick(0);
    for (struct collect_status s = {0}; s.samples + s.lost < EVENTS;) {
        collect_tick();
        collect_status(0, &s);
        usleep(1000);
    }
    uint64_t most = 0;
    for (int i = 0; i < EVENTS; i++)
        most += alloc_weight(size_of(i), ALLOC_INTERVAL_JVM);
    most /= LATE_RATE;
    tap_ok(tellings && longest <= most, "they are of the whole second: an interval of %" PRIu64 ", at most %" PRIu64, longest, most);
    struct profile p;
    uint64_t n;
    if (!tap_ok(session_stop(), "and ends") || !load(&p))
        return;
    tap_ok(book(&p, "alloc_longest_interval", "", &n) == (int64_t)longest, "the books have the longest");
    profile_deinit(&p);
}

static void test_refused(void)
{
    unlink(file); /* from the previous test: an earlier recording is kept if a new one is refused */
    alloc_events.open = refuse_events;
    tap_ok(!start((struct alloc_options){.interval = FIXED}) && strstr(session_error.text, "another agent") && !collect_running(),
           "who is refused has no recording");
    tap_ok(access(file, F_OK) != 0, "and no file");
    alloc_events.open = open_events;
    tap_ok(start((struct alloc_options){.interval = FIXED}) && session_stop(), "and can try again");
}

/* The last test: after a fault in the agent the process is not sampled any more. */
static void *allocate_badly(void *unused)
{
    threads_java_begin(0, 7, "faults");
    alloc_take(&(struct alloc_event){.signature = (const char *)8, .size = 4096});
    alloc_take(&(struct alloc_event){.signature = "[B", .size = 4096});
    threads_java_end();
    return NULL;
}

static void test_fault(void)
{
    struct profile p;
    uint64_t lost, count;
    pthread_t thread;
    if (!tap_ok(start((struct alloc_options){.interval = FIXED}), "a recording begins in which the agent faults"))
        return;
    pthread_create(&thread, NULL, allocate_badly, NULL);
    pthread_join(thread, NULL);
    collect_tick();
    tap_ok(session_stop(), "the process continues, and the recording ends normally");
    if (!load(&p))
        return;
    int64_t bytes = book(&p, "alloc_lost_bytes", "internal_fault", &lost);
    book(&p, "alloc_bytes", "", &count);
    tap_ok(lost == 1 && (uint64_t)bytes == alloc_weight(4096, FIXED) && !count,
           "the sample is lost and counted, the next one is not taken");
    tap_ok(p.problem_count > 0, "the log tells of the fault");
    profile_deinit(&p);
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-test-alloc-%d.jfr", getpid());
    alloc_events = (struct alloc_events){open_events, set_interval};
    test_weights();
    test_estimates();
    test_pace();
    test_tokens();
    test_whole();
    test_flood();
    test_late_reading();
    test_refused();
    test_fault();
    unlink(file);
    return tap_done();
}
