/* The books of the event safepoint, written and read back: they balance, and each account has the time that belongs to it.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/collect/safepoint/thread_time.h"
#include "agent/trigger/tasks/subset.h"
#include "base/time_units.h"
#include "profile/load/load_jfr.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIVE = 150, CHOSEN = 100, ROUNDS = 7 };
#define ELAPSED_NS UINT64_C(10000019) /* a prime: nothing divides */

static struct profile profile;

static size_t no_stack(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    return 0;
}

static void no_thread(void *context, uint32_t id, struct jfr_thread *thread)
{
    *thread = (struct jfr_thread){.java_id = id};
}

static const char *text_of(void *context, uint32_t id, size_t *len)
{
    *len = strtab_len(context, id);
    return strtab_text(context, id);
}

/* The outcome of the index-th thread of a round. */
static enum jfr_thread_state state_of(uint32_t index)
{
    static const enum jfr_thread_state states[] = {JFR_STATE_JAVA,   JFR_STATE_NATIVE,  JFR_STATE_MONITOR,
                                                   JFR_STATE_PARKED, JFR_STATE_WAITING, JFR_STATE_SLEEPING};
    return states[index % 6];
}

static void run_round(struct thread_time *t, struct jfr_writer *w, uint32_t outcome)
{
    thread_time_round(t, ELAPSED_NS, ALIVE, CHOSEN, 1000);
    for (uint32_t i = 0; i < CHOSEN; i++) {
        struct jfr_safepoint_sample s = {
            .ticks = 1, .thread = 1, .weight_ns = subset_weight(ELAPSED_NS, ALIVE, CHOSEN, i), .outcome = outcome, .state = state_of(i)};
        if (i == 98) {
            thread_time_miss(t, MISS_ENDED, s.weight_ns);
            continue;
        }
        if (i == 99)
            s.state = JFR_STATE_UNKNOWN;
        thread_time_sample(t, s.state, i == 99 ? OUTCOME_NO_JAVA_STACK : OUTCOME_COMPLETE, s.weight_ns);
        jfr_write_safepoint_sample(w, &s);
    }
}

static bool record(const char *path)
{
    struct strtab strings;
    struct jfr_writer *w;
    struct thread_time t;
    struct error e;
    strtab_init(&strings);
    struct jfr_pools pools = {.context = &strings, .stack = no_stack, .thread = no_thread, .symbol = text_of};
    struct jfr_writer_options options = {.ticks_per_second = NS_PER_S};
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (jfr_writer_new(&w, fd, &options, &pools, &e))
        return false;
    thread_time_open(&t);
    for (int i = 0; i < ROUNDS; i++)
        run_round(&t, w, strtab_add_text(&strings, "complete"));
    tap_ok(thread_time_lost(&t) == ROUNDS && t.samples == ROUNDS * (CHOSEN - 1), "what was lost is counted, what was not is, too");
    thread_time_write(&t, w, 1, jfr_write_book_line);
    int rc = jfr_writer_close(w, 2, &e);
    strtab_deinit(&strings);
    return !rc;
}

static int64_t ns(const char *account, const char *reason)
{
    const struct profile_book *b = profile_book(&profile, account, reason);
    return b ? b->ns : -1;
}

static uint64_t count(const char *account, const char *reason)
{
    const struct profile_book *b = profile_book(&profile, account, reason);
    return b ? b->count : UINT64_MAX;
}

static bool load(const char *path, enum profile_kind kind)
{
    struct error e;
    profile_deinit(&profile);
    profile_init(&profile);
    profile.kind = kind;
    int rc = profile_load_jfr(&profile, path, &e);
    for (uint32_t i = 0; i < profile.problem_count; i++)
        tap_note("%s", profile_text(&profile, profile.problems[i].text));
    return !rc && !profile.problem_count && profile_is_safepoint(&profile);
}

int main(void)
{
    char path[] = "/tmp/candor-test-XXXXXX";
    close(mkstemp(path));
    tap_ok(record(path) && load(path, PROFILE_RUNNING), "a recording without problems: the books balance");
    uint64_t running = profile.weight;
    tap_ok(ns("thread_time", "") == (int64_t)(ROUNDS * ELAPSED_NS * ALIVE) && count("thread_time", "") == ROUNDS * ALIVE,
           "the time is that of all threads, chosen or not");
    tap_ok(count("not_chosen", "") == ROUNDS * (ALIVE - CHOSEN), "those that were not are counted");
    tap_ok(ns("running", "runnable") + ns("running", "in_native") == (int64_t)running && profile.sample_count == ROUNDS * 34,
           "the samples of running threads are those of the account");
    tap_ok(count("failed", "no_java_stack") == ROUNDS && count("lost", "ended") == ROUNDS, "what is neither is told");
    tap_ok(ns("stopped", "") == ROUNDS * 1000 && count("stopped", "") == ROUNDS, "and how long all stood still");
    tap_ok(load(path, PROFILE_WAITING), "the waiting view of it");
    tap_ok(ns("waiting", "monitor") + ns("waiting", "parked") + ns("waiting", "object_wait") + ns("waiting", "sleeping") ==
                   (int64_t)profile.weight &&
               profile.sample_count == ROUNDS * 64,
           "has the samples of waiting threads, and no other");
    unlink(path);
    profile_deinit(&profile);
    return tap_done();
}
