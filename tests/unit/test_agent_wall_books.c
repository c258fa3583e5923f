/* The books of the event wall, written and read back. Threads begin and end at any time, and each round draws a part of them: the books
 * balance without a residual. If one record is left out, the residual shows it, and nothing else does.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "agent/collect/wall/wall_books.h"
#include "agent/hot/signal/handler.h"
#include "agent/trigger/tasks/subset.h"
#include "profile/load/load_jfr.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 40, CHOSEN = 7, STEPS = 20000, STEP_NS = 999983 };

static struct profile profile;
static struct wall_life lives[SLOTS];
static struct wall_books books;
static struct wall_taken taken;
static uint64_t random_state = 88172645463325252u;
static uint32_t next_uid;
static int64_t left_out_ns;

static uint64_t draw(uint64_t below)
{
    return handler_random(&random_state) % below;
}

static void begin_thread(struct sampled_thread *t, uint64_t now)
{
    uint32_t index = t->index;
    memset(t, 0, sizeof *t);
    t->index = index;
    t->uid = ++next_uid;
    atomic_store(&t->java_since_ns, now);
    atomic_store(&t->java_thread, 1);
    atomic_store(&t->slot, SLOT_LIVE);
}

static void end_thread(struct sampled_thread *t, uint64_t now)
{
    atomic_store(&t->end.java_until_ns, now);
    atomic_store(&t->java_thread, 0);
    atomic_store(&t->slot, SLOT_ENDED);
}

/* Some are closed at once, others only later, when the collector gets to them. */
static void close_threads(uint64_t one_of)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_ENDED && !draw(one_of)) {
            wall_books_close_thread(&books, &lives[i], &sampled_threads[i]);
            atomic_store(&sampled_threads[i].slot, SLOT_FREE);
        }
}

static void become(struct jfr_writer *w, uint32_t outcome, struct sampled_thread *t, uint64_t ns, bool leave_out)
{
    enum jfr_thread_state state = (enum jfr_thread_state)draw(JFR_STATES);
    if (leave_out) {
        left_out_ns += (int64_t)ns;
        return;
    }
    switch (draw(20)) {
    case 0:
        wall_books_ended(&books, ns);
        return;
    case 1:
        wall_books_drop(&taken, ns);
        return;
    case 2: /* requests; some answers are lost in the handler, some never come */
        atomic_fetch_add(&t->collector.asked_ready_ns, ns);
        return;
    case 3:
        counter_add(&t->counts.unanswered_ns[LOSS_QUEUE_FULL], ns);
        counter_add(&t->counts.unanswered[LOSS_QUEUE_FULL], 1);
        return;
    default:
        wall_books_sample(&taken, state, draw(9) ? EVIDENCE_METHOD : EVIDENCE_GUESS, draw(9) ? OUTCOME_COMPLETE : OUTCOME_NO_JAVA_STACK,
                          ns);
        jfr_write_wall_sample(w, &(struct jfr_wall_sample){.ticks = 1, .thread = 1, .weight_ns = ns, .outcome = outcome, .state = state});
    }
}

static void go_round(struct jfr_writer *w, uint32_t outcome, uint64_t now, bool lies)
{
    uint32_t alive[SLOTS], chosen[CHOSEN], count = 0;
    uint64_t before = books.last_round;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_LIVE) {
            alive[count++] = i;
            wall_books_alive(&books, &lives[i], &sampled_threads[i], now, before);
        }
    uint32_t n = subset_draw(&random_state, count, CHOSEN, chosen);
    wall_books_round(&books, now, count, n);
    for (uint32_t i = 0; i < n; i++)
        become(w, outcome, &sampled_threads[alive[chosen[i]]], subset_weight(now - before, count, n, i), lies && !draw(100));
}

static void run(struct jfr_writer *w, uint32_t outcome, bool lies)
{
    uint64_t now = 1000000000;
    wall_books_open(&books, now);
    for (int i = 0; i < STEPS; i++) {
        struct sampled_thread *t = &sampled_threads[draw(SLOTS)];
        now += 1 + draw(STEP_NS);
        if (atomic_load(&t->slot) == SLOT_FREE)
            begin_thread(t, now);
        else if (atomic_load(&t->slot) == SLOT_LIVE && !draw(3))
            end_thread(t, now);
        if (!draw(10)) {
            now += 1 + draw(STEP_NS);
            go_round(w, outcome, now, lies);
        }
        close_threads(4);
    }
}

static const char *text_of(void *context, uint32_t id, size_t *len)
{
    *len = strtab_len(context, id);
    return strtab_text(context, id);
}

static size_t no_stack(void *context, uint32_t id, struct jfr_frame *frames, size_t max, bool *truncated)
{
    return 0;
}

static void no_thread(void *context, uint32_t id, struct jfr_thread *thread)
{
    *thread = (struct jfr_thread){.java_id = id};
}

static bool record(const char *path, bool lies)
{
    struct strtab strings;
    struct jfr_writer *w;
    struct error e;
    strtab_init(&strings);
    struct jfr_pools pools = {.context = &strings, .stack = no_stack, .thread = no_thread, .symbol = text_of};
    struct jfr_writer_options options = {.ticks_per_second = 1000000000};
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (jfr_writer_new(&w, fd, &options, &pools, &e))
        return false;
    memset(sampled_threads, 0, SLOTS * sizeof *sampled_threads);
    for (uint32_t i = 0; i < SLOTS; i++)
        sampled_threads[i].index = i;
    memset(lives, 0, sizeof lives);
    left_out_ns = 0;
    taken = (struct wall_taken){.collector_is_counted = true};
    run(w, strtab_add_text(&strings, "complete"), lies);
    wall_books_write(&books, &taken, lives, SLOTS, w, jfr_write_book_line);
    int rc = jfr_writer_close(w, 2, &e);
    strtab_deinit(&strings);
    return !rc;
}

static int64_t ns(const char *account, const char *reason)
{
    const struct profile_book *b = profile_book(&profile, account, reason);
    return b ? b->ns : INT64_MIN;
}

static bool load(const char *path)
{
    struct error e;
    profile_deinit(&profile);
    profile_init(&profile);
    profile.kind = PROFILE_WALL;
    int rc = profile_load_jfr(&profile, path, &e);
    for (uint32_t i = 0; i < profile.problem_count; i++)
        tap_note("%s", profile_text(&profile, profile.problems[i].text));
    return !rc && !profile.problem_count;
}

int main(void)
{
    char path[] = "/tmp/candor-test-XXXXXX";
    close(mkstemp(path));
    profile_init(&profile);
    tap_ok(!thread_table_init(), "a table of threads");
    tap_ok(record(path, false) && load(path), "rounds over threads that come and go, written and read back: the books balance");
    tap_ok(ns("wall_residual", "") == 0, "no residual (%lld)", (long long)ns("wall_residual", ""));
    tap_ok(ns("wall_unseen", "ended") > 0 && ns("wall_unseen", "began") < 0 && ns("wall_pending", "") > 0 && ns("wall_lost", "ended") > 0 &&
               ns("wall_lost", "queue_full") > 0 && ns("wall_lost", "memory") > 0 && ns("wall_guessed", "") > 0,
           "each account has something");
    double unseen = (double)(ns("wall_unseen", "ended") + ns("wall_unseen", "began")) / (double)ns("wall_time", "");
    tap_ok(unseen > -0.05 && unseen < 0.05, "what began and ended between rounds mostly cancels: %.4f of the time", unseen);
    tap_ok(record(path, true) && load(path) && left_out_ns > 0 && ns("wall_residual", "") == left_out_ns,
           "one in a hundred left out uncounted: the residual is what they stood for (%lld)", (long long)left_out_ns);
    unlink(path);
    profile_deinit(&profile);
    return tap_done();
}
