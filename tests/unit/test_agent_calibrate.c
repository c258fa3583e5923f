/* Every recording with a perf clock knows the cost of a sample, also on a machine that is busy with other things. If it does not, the
 * recording says so.
 * tier: default
 * timeout: 120 */
#include "../tap.h"

#include "agent/collect/collect.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RECORDINGS = 8, BUSY = 3 };

static char file[64];
static struct error error;
static _Atomic bool done;

static void burn(uint64_t ns)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    uint64_t now, end = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec + ns;
    do {
        for (volatile int i = 0; i < 1000; i++)
            ;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        now = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
    } while (now < end);
}

/* Uses the processor irregularly, so that rounds with and without a clock have different neighbors. */
static void *disturb(void *unused)
{
    struct timespec pause = {.tv_nsec = 2 * NS_PER_MS};
    while (!done) {
        burn(3 * NS_PER_MS);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void nothing(void)
{
}

static bool record(enum clock_kind kind)
{
    struct collect_options o = {.events = COLLECT_CPU, .clock = kind, .interval_ns = NS_PER_MS};
    uint64_t bytes, samples;
    pthread_t busy[BUSY];
    snprintf(o.file, sizeof o.file, "%s", file);
    done = false;
    for (int i = 0; i < BUSY; i++)
        pthread_create(&busy[i], NULL, disturb, NULL);
    bool good = !collect_start(&o, false, nothing, &error);
    struct timespec pause = {.tv_nsec = 5 * NS_PER_MS};
    struct collect_status status = {0};
    for (int i = 0; i < 4000 && good && !status.samples; i++) {
        nanosleep(&pause, NULL);
        collect_tick();
        collect_status(0, &status);
    }
    done = true;
    for (int i = 0; i < BUSY; i++)
        pthread_join(busy[i], NULL);
    return good && !collect_stop(0, &bytes, &samples, &error);
}

static int64_t account(const struct profile *p, const char *name, const char *reason)
{
    const struct profile_book *b = profile_book(p, name, reason);
    return b ? b->ns : 0;
}

static bool says_unknown(const struct profile *p)
{
    for (uint32_t i = 0; i < p->problem_count; i++)
        if (strstr(profile_text(p, p->problems[i].text), "could not be measured"))
            return true;
    return false;
}

/* The collector's own CPU time is the other part of own_cost. */
static void test_known(enum clock_kind kind)
{
    int known = 0;
    int64_t least = INT64_MAX, most = 0;
    for (int i = 0; i < RECORDINGS; i++) {
        struct profile p;
        profile_init(&p);
        if (record(kind) && !profile_load_jfr(&p, file, &error) && p.cpu_samples && !says_unknown(&p)) {
            int64_t cost = account(&p, "own_cost", "") - account(&p, "unseen", "profiler");
            int64_t each = cost / (int64_t)p.cpu_samples;
            least = each < least ? each : least;
            most = each > most ? each : most;
            known += each > 0;
        }
        profile_deinit(&p);
    }
    tap_ok(known == RECORDINGS, "%s: the cost of a sample is known in %d of %d recordings", clock_names[kind], known, RECORDINGS);
    tap_note("%s: %lld to %lld ns", clock_names[kind], (long long)least, (long long)most);
}

static void test_unknown(enum clock_kind kind)
{
    struct profile p;
    profile_init(&p);
    bool good = record(kind) && !profile_load_jfr(&p, file, &error);
    tap_ok(good && says_unknown(&p), "%s: the recording says that the cost is not known", clock_names[kind]);
    profile_deinit(&p);
}

int main(void)
{
    snprintf(file, sizeof file, "/tmp/candor-calibrate-%d.jfr", (int)getpid());
    for (enum clock_kind kind = CLOCK_SIGTRAP; kind < CLOCK_KINDS; kind++) {
        struct clock c;
        if (clock_choose(&c, kind, NS_PER_MS, &error))
            tap_skip("%s: %s", clock_names[kind], error.text);
        else if (kind == CLOCK_SIGTRAP || kind == CLOCK_SIGNAL)
            test_known(kind);
        else
            test_unknown(kind);
    }
    unlink(file);
    return tap_done();
}
