/* Finds pools of connections, permits and similar resources that are too small: threads wait until others return one.
 *
 * A thread that waits in a library's pool, or for a permit of a Semaphore, waits for a resource. A thread in BlockingQueue.take may do
 * so, too, but it may also be a consumer without work. Names reveal some pools (ConnectionPool.borrow). Otherwise the waits reveal
 * threads that share resources: whenever some of them wait, the number of the others is constant, because it is the number of resources,
 * and the threads take turns. The number of busy consumers, however, is as random as the arrival of their work. Or it equals the number
 * of their clients, which then wait as often as the consumers do.
 *
 * The program's own pools wait in Condition.await, which is judged like a queue, or in Object.wait, which shows no times: the name of the
 * method must say then that it borrows. */
#include "analysis/rules.h"

#include "analysis/findings.h"
#include "analysis/stack.h"
#include "analysis/tally.h"
#include "base/array.h"
#include "base/text/units.h"
#include "profile/accounts.h"
#include "profile/locks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WAITERS_WARNING 1.0 /* mean number of threads that wait */
/* The number of threads that do not wait must be constant for at least this share of the time, or for CONSTANT_FACTOR times the share that
 * random work would reach, if that is less. */
#define CONSTANT_LEAST  0.5
#define CONSTANT_FACTOR 2.0
#define CLIENTS_LEAST   0.5 /* CLIENTS_LEAST and CLIENTS_MOST: threads with this many waits for each wait here may be clients */
#define CLIENTS_MOST    2.0
#define IN_USE          0.75 /* share of the processors in use: above it, a thread with a resource may itself wait for a processor */

enum { WAITS_LEAST = 10, THREADS_LEAST = 2 }; /* fewer may be chance */
enum { TURNS_LEAST = 3 };                     /* waits of a virtual thread, on average, if virtual threads take turns */

enum lender { LENDS_NOTHING, LENDS_BY_QUEUE, LENDS_PERMITS, LENDS_BY_NAME, LENDS_AS_LIBRARY, LENDERS };

/* The waits at one place of the program. */
struct place {
    uint32_t own; /* string id of the profile: the innermost method */
    enum lender lender;
    double sum, squares; /* of the waiting time */
    uint64_t ended, count;
    uint32_t first_turn, turns;
    uint64_t longest_ns; /* of the waits */
};

/* The beginning or the end of a thread's wait. */
struct turn {
    int64_t ns;
    uint32_t place;
    int32_t change;
};

struct lending {
    struct findings *f;
    const struct evidence *e;
    const struct profile *p;
    struct stack_marks marks;
    struct place *places;
    uint32_t count, cap;
    struct map by_own;
    struct turn *turns;
    uint32_t turn_count, turn_cap;
    uint64_t *ended;              /* number of ended waits of all places, sorted */
    struct tally threads, stacks; /* by place */
    double threshold_ns;
};

/* Whether the program itself waits for a condition; the JDK's queues, barriers and others do, too. */
static bool awaits_condition(const struct stack_marks *m, uint32_t stack)
{
    const struct profile *p = m->profile;
    return stack_has(m, stack, STACK_CONDITION) && stack_own(m, stack) == stack_waiter(p, stack);
}

static enum lender lender_of(const struct stack_marks *m, uint32_t stack)
{
    if (stack_is_idle(m, stack) || stack_has(m, stack, STACK_AWAITS))
        return LENDS_NOTHING;
    if (stack_has(m, stack, STACK_BORROWS))
        return LENDS_AS_LIBRARY;
    if (stack_has(m, stack, STACK_ACQUIRES))
        return LENDS_PERMITS;
    if (stack_has(m, stack, STACK_TAKES))
        return stack_has(m, stack, STACK_LENDS) ? LENDS_BY_NAME : LENDS_BY_QUEUE;
    if (awaits_condition(m, stack))
        return stack_has(m, stack, STACK_BORROWS_BY_VERB) ? LENDS_BY_NAME : LENDS_BY_QUEUE;
    return LENDS_NOTHING;
}

/* Whether the thread waits in Object.wait, which the program's own method that borrows has called. */
static bool waits_in_pool(const struct lending *l, const struct profile_sample *s)
{
    uint32_t waiter = stack_waiter(l->p, s->stack);
    return s->state == JFR_STATE_WAITING && waiter && waiter == stack_marked(&l->marks, s->stack, STACK_BORROWS_BY_VERB);
}

static struct place *place_of(struct lending *l, uint32_t own, enum lender lender)
{
    bool added;
    uint32_t *at = map_add(&l->by_own, (uint64_t)own * LENDERS + lender, &added);
    if (!at || (added && ARRAY_GROW(l->places, l->cap, l->count))) {
        l->f->failed = true;
        return NULL;
    }
    if (added) {
        *at = l->count;
        l->places[l->count++] = (struct place){.own = own, .lender = lender};
    }
    return &l->places[*at];
}

static void add_turns(struct lending *l, const struct profile_sample *s, uint32_t place)
{
    const struct turn both[] = {{s->time_ns, place, 1}, {s->time_ns + (int64_t)s->weight, place, -1}};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        if (ARRAY_GROW(l->turns, l->turn_cap, l->turn_count)) {
            l->f->failed = true;
            return;
        }
        l->turns[l->turn_count++] = both[i];
    }
}

static void add_wait(struct lending *l, const struct profile_sample *s, bool is_timed)
{
    enum lender lender = lender_of(&l->marks, s->stack);
    if (lender == LENDS_NOTHING && !is_timed && waits_in_pool(l, s))
        lender = LENDS_BY_NAME;
    struct place *place = place_of(l, stack_own(&l->marks, s->stack), lender);
    if (!place)
        return;
    uint32_t at = (uint32_t)(place - l->places);
    place->sum += (double)s->weight;
    place->squares += is_timed ? 0 : (double)s->weight * (double)s->weight;
    place->count += s->count;
    place->ended += is_timed && !locks_label(l->p, s, "open");
    place->longest_ns = s->weight > place->longest_ns ? s->weight : place->longest_ns;
    tally_add(&l->threads, at, s->thread, s->weight);
    tally_add(&l->stacks, at, s->stack, s->weight);
    if (is_timed && lender == LENDS_BY_QUEUE)
        add_turns(l, s, at);
}

/* Returns the number of threads that waited there. Virtual threads whose names have one pattern are one thread of the profile. */
static uint32_t threads_at(const struct lending *l, uint32_t place)
{
    const struct tally_row *most = tally_largest(&l->threads, place);
    uint32_t virtual_threads = most ? l->p->threads[most->key].virtual_threads : 0;
    return tally_keys(&l->threads, place) + (virtual_threads ? virtual_threads - 1 : 0);
}

/* ---- threads that take turns ---- */

/* Whether the virtual threads that waited there hardly wait again, as those of single requests do. How many of them there were at a time is
 * not known, so nobody knows how many did not wait. */
static bool are_of_one_request(const struct lending *l, uint32_t place)
{
    uint32_t threads = threads_at(l, place);
    return threads > tally_keys(&l->threads, place) && l->places[place].ended < (uint64_t)TURNS_LEAST * threads;
}

static int by_place_and_time(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Returns the time from which on the waiting threads are known. A recording does not show waits that began before it, so they are
 * missing at first, for as long as a wait takes. At least half of the time is left. */
static int64_t known_from(const struct place *p, const struct turn *turns)
{
    int64_t first = turns[0].ns, half = (turns[p->turns - 1].ns - first) / 2;
    return first + (p->longest_ns < (uint64_t)half ? (int64_t)p->longest_ns : half);
}

/* Returns the number of threads that most often do not wait while others do. *share is the share of the time in which it is that number. */
static uint32_t lent(const struct lending *l, uint32_t place, struct amount *share)
{
    uint32_t threads = threads_at(l, place), most = 0;
    double *held = calloc((size_t)threads + 1, sizeof *held), all = 0; /* time by the number of waiting threads */
    int64_t waiting = 0;
    if (!held) {
        l->f->failed = true;
        return 0;
    }
    const struct turn *turns = l->turns + l->places[place].first_turn;
    int64_t from = known_from(&l->places[place], turns);
    for (uint32_t i = 0; i + 1 < l->places[place].turns; i++) {
        const struct turn *turn = &turns[i], *next = turn + 1;
        waiting += turn->change;
        if (waiting < 0 || waiting > (int64_t)threads || turn->ns < from)
            continue;
        held[waiting] += (double)(next->ns - turn->ns);
        all += (double)(next->ns - turn->ns);
    }
    for (uint32_t i = 1; i < threads; i++)
        most = held[i] > held[most] || !most ? i : most;
    *share = amount_share(most ? held[most] : 0, all, (double)l->places[place].ended);
    free(held);
    return most ? threads - most : 0;
}

/* Whether other threads wait about as often as these. They may be the clients that give these threads work. */
static bool may_have_clients(const struct lending *l, uint32_t place)
{
    double own = (double)l->places[place].ended;
    uint32_t low = 0, high = l->count; /* the first place with at least as many waits as a client may have */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)l->ended[middle] < CLIENTS_LEAST * own)
            low = middle + 1;
        else
            high = middle;
    }
    return low + 1 < l->count && (double)l->ended[low + 1] <= CLIENTS_MOST * own; /* one of them is this place itself */
}

/* Returns the share of the time for which the number of threads that do not wait must be `size`. If work arrives at random, the number of
 * busy threads has Poisson's distribution, whose largest share at `size` is size^size e^-size / size!: 0.37 for one, 0.18 for five. Even
 * that falls below the share of a pool on a busy machine, in which threads wait for a processor, too. */
static double constant_least(uint32_t size)
{
    double random = exp(size * log(size) - size - lgamma(size + 1.0));
    return fmin(CONSTANT_LEAST, CONSTANT_FACTOR * random);
}

static bool takes_turns(const struct lending *l, uint32_t place, uint32_t *size)
{
    struct amount share = {0};
    if (!l->places[place].own || may_have_clients(l, place) || are_of_one_request(l, place))
        return false;
    *size = lent(l, place, &share);
    return *size && share.low >= constant_least(*size);
}

static int by_size(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void sort(struct lending *l)
{
    l->ended = malloc(((size_t)l->count + 1) * sizeof *l->ended);
    if (!l->ended) {
        l->f->failed = true;
        return;
    }
    for (uint32_t i = 0; i < l->count; i++)
        l->ended[i] = l->places[i].ended;
    qsort(l->ended, l->count, sizeof *l->ended, by_size);
    if (l->turn_count)
        qsort(l->turns, l->turn_count, sizeof *l->turns, by_place_and_time);
    for (uint32_t i = l->turn_count; i-- > 0;) {
        l->places[l->turns[i].place].first_turn = i;
        l->places[l->turns[i].place].turns++;
    }
}

/* ---- judging ---- */

static bool is_resource(const struct lending *l, uint32_t place, uint32_t *size)
{
    const struct place *one = &l->places[place];
    *size = 0;
    if (one->lender == LENDS_AS_LIBRARY)
        return true;
    uint64_t waits = l->p == l->e->wall ? one->count : one->ended;
    if (one->lender == LENDS_NOTHING || waits < WAITS_LEAST || threads_at(l, place) < THREADS_LEAST)
        return false;
    return one->lender != LENDS_BY_QUEUE || takes_turns(l, place, size);
}

static uint32_t lender_name(const struct lending *l, uint32_t stack)
{
    static const enum stack_mark marks[] = {STACK_BORROWS, STACK_ACQUIRES, STACK_TAKES, STACK_BORROWS_BY_VERB, STACK_CONDITION};
    uint32_t name = 0;
    for (size_t i = 0; !name && i < sizeof marks / sizeof *marks; i++)
        name = stack_marked(&l->marks, stack, marks[i]);
    return findings_string(l->f, profile_text(l->p, name));
}

static void judge(struct lending *l, uint32_t place)
{
    const struct place *one = &l->places[place];
    struct findings *f = l->f;
    uint32_t size, threads = threads_at(l, place);
    char each[32], turns[64] = "";
    if (!is_resource(l, place, &size))
        return;
    struct amount lost = amount_normal(one->sum, sqrt(one->squares + threads * l->threshold_ns * l->threshold_ns / 4));
    struct amount mean = amount_scaled(lost, 1 / (double)l->e->duration_ns);
    uint32_t stack = tally_largest(&l->stacks, place)->key, site = stack_site(f, l->p, stack), name = lender_name(l, stack);
    if (size)
        snprintf(turns, sizeof turns, "; %u at a time %s what they wait for", size, size == 1 ? "has" : "have");
    findings_add(f, &(struct finding){
                        .kind = FINDING_POOL_TOO_SMALL,
                        .score = score_saturate(mean.low, WAITERS_WARNING),
                        .text = findings_say(f,
                                             "%.1f threads on average (%.1f to %.1f) of %u waited in %.200s, for %s each time, at "
                                             "%.300s%s",
                                             mean.value, mean.low, mean.high, threads, findings_text(f, name),
                                             units_format_duration(each, sizeof each, (uint64_t)(one->sum / (double)one->count)),
                                             findings_text(f, site), turns),
                        .subject = name,
                        .site = site,
                        .count = one->count,
                        .threads = threads,
                        .lost_ns = lost,
                        .report = l->p == l->e->wall ? "--kind wall" : "--kind lock",
                    });
}

/* Whether the processors are the bottleneck. A larger pool would not help then. */
static bool lacks_processors(const struct evidence *e)
{
    double all = (double)e->processors * (double)e->duration_ns;
    return e->cpu && e->cpu->unit == PROFILE_UNIT_NS && all > 0 && (double)e->cpu->weight >= IN_USE * all;
}

static bool is_wait(const struct lending *l, const struct profile_sample *s, bool is_timed)
{
    if (is_timed)
        return s->weight && s->state == JFR_STATE_PARKED;
    bool parks = s->state == JFR_STATE_PARKED && !(l->e->lock && evidence_has(l->e, SOURCE_PARKS));
    return (parks || s->state == JFR_STATE_WAITING) && (lender_of(&l->marks, s->stack) == LENDS_AS_LIBRARY || waits_in_pool(l, s));
}

/* Judges a profile: of waits, which have times, or, for waits without events, of wall-clock samples. */
static void judge_profile(struct findings *f, const struct evidence *e, const struct profile *p)
{
    struct lending l = {.f = f, .e = e, .p = p};
    bool is_timed = p == e->lock;
    const struct profile_book *threshold =
        is_timed ? accounts_reason(p, ACCOUNT_LOCK_THRESHOLD, REASON_LIST_WAIT_GROUP, WAIT_GROUP_OTHER) : NULL;
    l.threshold_ns = threshold && threshold->ns > 0 ? (double)threshold->ns : 0;
    map_init(&l.by_own);
    tally_init(&l.threads);
    tally_init(&l.stacks);
    f->failed = stack_marks_of(&l.marks, f, p) || f->failed;
    for (uint32_t i = 0; !f->failed && i < p->sample_count; i++)
        if (is_wait(&l, &p->samples[i], is_timed))
            add_wait(&l, &p->samples[i], is_timed);
    f->failed = f->failed || l.threads.failed || l.stacks.failed;
    sort(&l);
    for (uint32_t i = 0; !f->failed && i < l.count; i++)
        judge(&l, i);
    map_deinit(&l.by_own);
    tally_deinit(&l.threads);
    tally_deinit(&l.stacks);
    free(l.places);
    free(l.turns);
    free(l.ended);
}

void rule_resources(struct findings *f, const struct evidence *e)
{
    if (!e->duration_ns || lacks_processors(e))
        return;
    if (e->lock && evidence_has(e, SOURCE_PARKS))
        judge_profile(f, e, e->lock);
    if (e->wall)
        judge_profile(f, e, e->wall);
}
