#include "agent/collect/wall/wall_books.h"

#include "agent/record/names/reason.h"
#include "agent/trigger/signals/ask.h"
#include "base/text/units.h"

#include <string.h>

/* The names of states in the books. They differ from those in jfr_thread_state_names, which are the terms of the JVM and the kernel. */
static const char *const state_names[JFR_STATES] = {
    [JFR_STATE_UNKNOWN] = "unknown",     [JFR_STATE_JAVA] = "runnable",
    [JFR_STATE_NATIVE] = "in_native",    [JFR_STATE_VM] = "in_vm",
    [JFR_STATE_BLOCKED] = "blocked",     [JFR_STATE_MONITOR] = "monitor",
    [JFR_STATE_WAITING] = "object_wait", [JFR_STATE_PARKED] = "parked",
    [JFR_STATE_SLEEPING] = "sleeping",   [JFR_STATE_READY] = "waiting_for_cpu",
    [JFR_STATE_IO] = "native_io",
};

static void add(struct account *a, uint64_t ns)
{
    a->ns += (int64_t)ns;
    a->count++;
}

void wall_books_open(struct wall_books *b, uint64_t now)
{
    memset(b, 0, sizeof *b);
    b->opened_ns = b->last_round = now;
    b->own_at_start = books_own_cpu();
}

void wall_books_round(struct wall_books *b, uint64_t now, uint32_t alive, uint32_t chosen)
{
    uint64_t elapsed = now - b->last_round;
    b->rounds++;
    b->not_chosen += alive - chosen;
    b->longest_ns = elapsed > b->longest_ns ? elapsed : b->longest_ns;
    b->last_round = now;
}

/* Returns when the accounted part of the thread's life began; 0 = it is not a Java thread. */
static uint64_t since_of(const struct wall_books *b, const struct sampled_thread *t)
{
    uint64_t since = atomic_load(&t->java_since_ns);
    return since && since < b->opened_ns ? b->opened_ns : since;
}

static bool is_of(const struct wall_life *life, const struct sampled_thread *t)
{
    return life->uid == t->uid && life->seen_ns;
}

void wall_books_alive(struct wall_books *b, struct wall_life *life, const struct sampled_thread *t, uint64_t now, uint64_t before)
{
    if (!is_of(life, t)) {
        b->began.ns += (int64_t)(since_of(b, t) - before);
        b->began.count++;
    }
    life->uid = t->uid;
    life->seen_ns = now;
}

void wall_books_sample(struct wall_taken *taken, enum jfr_thread_state state, enum evidence evidence, enum outcome outcome, uint64_t ns)
{
    add(outcome_has_stack(outcome) ? &taken->states[state] : &taken->failed[outcome], ns);
    if (evidence == EVIDENCE_GUESS)
        add(&taken->guessed, ns);
    taken->samples++;
}

void wall_books_drop(struct wall_taken *taken, uint64_t ns)
{
    add(&taken->dropped, ns);
}

void wall_books_ended(struct wall_books *b, uint64_t ns)
{
    add(&b->ended, ns);
}

/* Adds the handler's losses. */
static void take_losses(struct account lost[LOSS_COUNT], const struct sampled_thread *t)
{
    for (int i = 0; i < LOSS_COUNT; i++) {
        lost[i].ns += (int64_t)counter_get(&t->counts.unanswered_ns[i]);
        lost[i].count += counter_get(&t->counts.unanswered[i]);
    }
}

/* Returns how long a thread lived up to `end`, in ns. *unseen: the part of that time that no round covers. */
static int64_t life_of(const struct wall_books *b, const struct wall_life *life, const struct sampled_thread *t, uint64_t end,
                       int64_t *unseen)
{
    uint64_t since = since_of(b, t), seen = is_of(life, t) ? life->seen_ns : since;
    *unseen = (int64_t)(end - seen);
    return (int64_t)(end - since);
}

void wall_books_close_thread(struct wall_books *b, const struct wall_life *life, const struct sampled_thread *t)
{
    uint64_t pending = ask_pending(t);
    int64_t unseen;
    take_losses(b->closed_lost, t);
    if (pending && b->stopping)
        add(&b->closed_lost[LOSS_STOPPING], pending);
    else if (pending)
        wall_books_ended(b, pending);
    b->closed_answer_ns += counter_get(&t->counts.answer_ns);
    b->closed_answers += counter_get(&t->counts.answers);
    if (!atomic_load(&t->java_since_ns))
        return;
    uint64_t until = atomic_load(&t->end.java_until_ns);
    if (b->stopping && until > b->last_round) {
        if (!is_of(life, t))
            return;
        until = b->last_round;
    }
    b->closed_ns += (uint64_t)life_of(b, life, t, until, &unseen);
    b->closed_ended.ns += unseen;
    b->closed_ended.count += !is_of(life, t);
}

uint64_t wall_books_lost(const struct wall_books *b, const struct wall_taken *taken)
{
    uint64_t lost = b->ended.count + taken->dropped.count;
    for (int i = 0; i < LOSS_COUNT; i++)
        lost += b->closed_lost[i].count;
    return lost;
}

uint64_t wall_books_cost_ns(const struct wall_books *b, uint32_t limit)
{
    uint64_t ns = b->closed_answer_ns;
    for (uint32_t i = 0; i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) != SLOT_FREE)
            ns += counter_get(&sampled_threads[i].counts.answer_ns);
    return ns;
}

/* Sums over all threads: those that have ended, and those that have a slot. */
struct sums {
    int64_t time_ns, pending_ns;
    uint64_t pending, answers, answer_ns;
    struct account ended, lost[LOSS_COUNT];
};

static void sum_thread(struct sums *s, const struct wall_books *b, const struct wall_life *life, const struct sampled_thread *t)
{
    uint64_t since = since_of(b, t), until = atomic_load(&t->end.java_until_ns), pending = ask_pending(t);
    int64_t unseen;
    take_losses(s->lost, t);
    s->pending_ns += (int64_t)pending;
    s->pending += pending != 0;
    s->answers += counter_get(&t->counts.answers);
    s->answer_ns += counter_get(&t->counts.answer_ns);
    uint64_t end = until && until < b->last_round ? until : b->last_round;
    if (!since || (since >= end && !is_of(life, t)))
        return;
    s->time_ns += life_of(b, life, t, end, &unseen);
    s->ended.ns += unseen;
}

static void sum(struct sums *s, const struct wall_books *b, const struct wall_taken *taken, const struct wall_life *lives, uint32_t limit)
{
    *s = (struct sums){
        .time_ns = (int64_t)b->closed_ns, .answers = b->closed_answers, .answer_ns = b->closed_answer_ns, .ended = b->closed_ended};
    for (int i = 0; i < LOSS_COUNT; i++)
        s->lost[i] = b->closed_lost[i];
    s->lost[LOSS_MEMORY].ns += taken->dropped.ns;
    s->lost[LOSS_MEMORY].count += taken->dropped.count;
    for (uint32_t i = 0; i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) != SLOT_FREE)
            sum_thread(s, b, &lives[i], &sampled_threads[i]);
}

#define UNMOUNT_NAME(symbol, name, meaning, remedy) [UNMOUNT_##symbol] = name,
static const char *const reason_unmount[UNMOUNTS] = {UNMOUNT_ROWS(UNMOUNT_NAME)};
#define HOW_NAME(symbol, name, meaning, remedy) [WALL_##symbol] = name,
static const char *const hows[WALL_HOWS] = {LOOKS(HOW_NAME)};

struct book_writer {
    struct jfr_writer *writer;
    uint64_t now;
    jfr_write_book *write;
    int64_t rest; /* the part of wall_time that has not been written as another line */
};

static void put(struct book_writer *b, enum account_id account, const char *reason, struct account a, bool always)
{
    if (a.ns || a.count || always)
        b->write(b->writer, b->now, account_name[account], reason, a.ns, a.count);
}

static void put_part(struct book_writer *b, enum account_id account, const char *reason, struct account a)
{
    put(b, account, reason, a, false);
    b->rest -= a.ns;
}

static uint64_t unmounts_of(const struct unmounted_books *b, enum unmount what)
{
    const uint64_t counts[UNMOUNTS] = {
        [UNMOUNT_LEFT] = b->left, [UNMOUNT_WATCHED] = b->watched, [UNMOUNT_NO_ROOM] = b->lost, [UNMOUNT_REFUSED] = b->refused};
    return counts[what];
}

static void put_memos(struct book_writer *b, const struct wall_books *w, const struct wall_taken *taken, const struct sums *s)
{
    uint64_t own = taken->collector_is_counted ? 0 : books_own_cpu() - w->own_at_start;
    put(b, ACCOUNT_WALL_ROUNDS, "", (struct account){(int64_t)w->longest_ns, w->rounds}, true);
    put(b, ACCOUNT_WALL_NOT_CHOSEN, "", (struct account){0, w->not_chosen}, true);
    put(b, ACCOUNT_WALL_GUESSED, "", taken->guessed, true);
    for (int i = 0; i < WALL_HOWS; i++)
        put(b, ACCOUNT_WALL_LOOKS, hows[i], (struct account){0, w->looks[i]}, true);
    put(b, ACCOUNT_WALL_UNMOUNTED, "", (struct account){w->unmounted.ns, w->unmounted.now}, false);
    for (int i = 0; i < UNMOUNTS; i++)
        put(b, ACCOUNT_WALL_UNMOUNTS, reason_unmount[i], (struct account){0, unmounts_of(&w->unmounted, (enum unmount)i)}, false);
    put(b, ACCOUNT_WALL_OWN_COST, "", (struct account){(int64_t)(own + s->answer_ns), taken->samples}, true);
}

void wall_books_write(const struct wall_books *w, const struct wall_taken *taken, const struct wall_life *lives, uint32_t limit,
                      struct jfr_writer *writer, jfr_write_book *write)
{
    struct sums s;
    sum(&s, w, taken, lives, limit);
    s.time_ns += w->unmounted.ns;
    struct book_writer b = {writer, clock_monotonic_ns(), write, s.time_ns};
    put(&b, ACCOUNT_WALL_TIME, "", (struct account){s.time_ns, 0}, true);
    for (int i = 0; i < JFR_STATES; i++)
        put_part(&b, jfr_state_runs((enum jfr_thread_state)i) ? ACCOUNT_WALL_RUNNING : ACCOUNT_WALL_WAITING, state_names[i],
                 taken->states[i]);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        put_part(&b, ACCOUNT_WALL_FAILED, reason_outcome[i], taken->failed[i]);
    for (int i = 0; i < LOSS_COUNT; i++)
        put_part(&b, ACCOUNT_WALL_LOST, reason_loss[i], s.lost[i]);
    put_part(&b, ACCOUNT_WALL_LOST, reason_miss[MISS_ENDED], w->ended);
    put_part(&b, ACCOUNT_WALL_LOST, reason_miss[MISS_UNWATCHED], (struct account){.ns = w->unmounted.unwatched});
    put(&b, ACCOUNT_WALL_PENDING, "", (struct account){s.pending_ns, s.pending}, true);
    b.rest -= s.pending_ns;
    put(&b, ACCOUNT_WALL_UNSEEN, reason_life[LIFE_ENDED], s.ended, true);
    b.rest -= s.ended.ns;
    put(&b, ACCOUNT_WALL_UNSEEN, reason_life[LIFE_BEGAN], (struct account){-w->began.ns, w->began.count}, true);
    b.rest += w->began.ns;
    put(&b, ACCOUNT_WALL_RESIDUAL, "", (struct account){b.rest, 0}, true);
    put_memos(&b, w, taken, &s);
}
