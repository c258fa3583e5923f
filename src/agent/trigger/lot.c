#include "agent/trigger/lot.h"

#include "agent/hot/signal/handler.h"
#include "agent/trigger/clocks/clock.h"
#include "agent/trigger/tasks/tasks.h"
#include "agent/trigger/threads.h"

#include <stdlib.h>
#include <time.h>

enum {
    HANDLER_WAIT_NS = 50000,
    HANDLER_WAITS = 100,
    CHANCE_ROUNDS = 16,
    FASTEST_NS = 1000000,
    SWITCH_LEAST_NS = 1000,
    CALM_PART = 4,
    CALM_UNREAD = 3
};

static const double SURE = 0.5; /* larger chances become 1, because they save little; clocks of smaller ones are always faster than the
                                 * interval */

static struct {
    uint64_t random;
    uint32_t number; /* of the last window */
} lot;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Returns the rate at which the remaining part of `wanted` is distributed to threads that are not certain, per unit of their use. */
static double rate_of_rest(const struct lot_ticket *tickets, uint32_t count, double wanted)
{
    double use = 0;
    for (uint32_t i = 0; i < count; i++) {
        use += tickets[i].chance < 1 ? tickets[i].use : 0;
        wanted -= tickets[i].chance < 1 ? 0 : 1;
    }
    return use > 0 && wanted > 0 ? wanted / use : 0;
}

/* Computes the chances in rounds. Each round makes those threads certain whose chance would be above a half, which leaves less for the
 * others. */
void lot_chances(struct lot_ticket *tickets, uint32_t count, double wanted)
{
    for (uint32_t i = 0; i < count; i++)
        tickets[i].chance = 0;
    for (int round = 0; round < CHANCE_ROUNDS; round++) {
        double rate = rate_of_rest(tickets, count, wanted);
        bool changed = false;
        for (uint32_t i = 0; i < count; i++) {
            if (tickets[i].chance >= 1)
                continue;
            double chance = larger(rate * tickets[i].use, LOT_CHANCE_MIN);
            tickets[i].chance = chance > SURE ? 1 : chance;
            changed |= chance > SURE;
        }
        if (!changed)
            return;
    }
}

double lot_effective(const struct lot_ticket *tickets, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += tickets[i].use;
        squares += tickets[i].use * tickets[i].use;
    }
    return squares > 0 ? sum * sum / squares : 0;
}

static void shuffle(uint64_t *random, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (uint32_t)(handler_random(random) % (i + 1));
        order[i] = order[at];
        order[at] = i;
    }
}

static double draw_unit(uint64_t *random)
{
    return (double)(handler_random(random) >> 11) / (double)(UINT64_C(1) << 53);
}

/* Draws by systematic sampling. The chances are laid end to end in random order. Points at distance 1, the first of them random in (0, 1),
 * fall on the threads that are drawn. */
void lot_draw_tickets(uint64_t *random, struct lot_ticket *tickets, uint32_t count, uint32_t *order)
{
    double end = 0, point = draw_unit(random);
    shuffle(random, order, count);
    for (uint32_t i = 0; i < count; i++) {
        struct lot_ticket *t = &tickets[order[i]];
        t->drawn = t->chance >= 1;
        if (t->drawn)
            continue;
        end += t->chance;
        t->drawn = point < end;
        point += t->drawn;
    }
}

bool lot_next_turn(uint64_t *random, uint8_t *turn, uint8_t *drawn_turn)
{
    if (*turn == 0)
        *drawn_turn = (uint8_t)(handler_random(random) % LOT_TURNS);
    bool drawn = *turn == *drawn_turn;
    *turn = (uint8_t)((*turn + 1) % LOT_TURNS);
    return drawn;
}

void lot_begin(void)
{
    lot.random = (clock_process_cpu() ^ (uint64_t)time(NULL) << 24) | 1;
    lot.number = 0;
}

uint64_t lot_waited(const struct sampled_thread *t, uint64_t cpu_ns)
{
    uint64_t now = t->clock.cpu_at_arming + cpu_ns;
    return t->lot.waited_ns + (t->lot.waits && now > t->lot.cpu_at_draw ? now - t->lot.cpu_at_draw : 0);
}

/* Whether the thread takes part in draws. A clock that a fault holds belongs to the fault handler. A timer costs nothing at a switch, so a
 * thread that has had only a timer keeps it. */
static bool may_draw(const struct sampled_thread *t)
{
    bool is_drawn = t->lot.waits || t->lot.window || t->clock.fd >= 0;
    return atomic_load(&t->slot) == SLOT_LIVE && is_drawn && !atomic_load(&t->gate.held);
}

/* Notes what a late expiry stands for. The clock may have expired while the thread was on its way into a wait in the kernel. The signal
 * then arrives after the wait, and stands for the time up to now. */
static void keep_late_expiry(struct sampled_thread *t)
{
    uint64_t first = t->handler.next_weight_ns, cpu = clock_thread_cpu(t->tid);
    t->lot.late_window = t->lot.window;
    t->lot.late_stands_for = t->lot.stands_for;
    /* Release: pairs with the handler's acquire, so that the handler sees both members above. */
    atomic_store_explicit(&t->lot.late_ns,
                          first                          ? first
                          : cpu > t->handler.last_cpu_ns ? cpu - t->handler.last_cpu_ns
                                                         : 0,
                          memory_order_release);
}

/* Makes sure that no handler of t begins for its present clock, and waits for one that is at work, which takes microseconds. The caller may
 * hold the lock of the registry, since no handler takes it. But threads that begin and end need that lock, and the handler's thread may be
 * kept from running: false after some milliseconds, and the thread keeps its clock. */
static bool end_expiries(struct sampled_thread *t)
{
    struct timespec pause = {.tv_nsec = HANDLER_WAIT_NS};
    atomic_store(&t->lot.late_ns, 0);
    /* Sequentially consistent, like the handler's accesses: the handler saw the new setting, or is seen here. */
    atomic_fetch_add(&t->gate.setting, 1);
    for (int i = 0; atomic_load(&t->gate.inside); i++) {
        if (i == HANDLER_WAITS) {
            atomic_fetch_sub(&t->gate.setting, 1);
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

static bool take_away(struct sampled_thread *t)
{
    if (t->lot.waits)
        return true;
    if (!end_expiries(t))
        return false;
    keep_late_expiry(t);
    clock_disarm(t);
    return true;
}

/* Returns the thread's CPU clock. If the thread is gone, and maybe its id belongs to another thread, it is that of the last scan. */
static uint64_t last_cpu(const struct sampled_thread *t)
{
    uint64_t cpu = clock_thread_cpu(t->tid);
    return cpu > t->scan.cpu_seen ? cpu : t->scan.cpu_seen;
}

static void settle(struct sampled_thread *t)
{
    uint64_t cpu = last_cpu(t);
    if (cpu <= t->lot.cpu_at_draw)
        return;
    t->lot.waited_ns += t->lot.waits ? cpu - t->lot.cpu_at_draw : 0;
    t->lot.cpu_at_draw = cpu;
}

/* Numbers begin again after a million windows, which takes an hour where hundreds of windows are drawn in each second. */
static uint32_t next_window(double chance)
{
    uint32_t parts = (uint32_t)(chance * LOT_CHANCE_PARTS + 0.5);
    lot.number = (lot.number + 1) % (1U << (LOT_WINDOW_BITS - LOT_CHANCE_BITS));
    lot.number += !lot.number;
    return lot_window(lot.number, parts);
}

/* Returns the period of a clock by lot. It has a lower bound: the faster the clock, the more of the thread's time is the cost of samples,
 * and the window's samples represent other threads with that cost, too. */
static uint64_t period_of(double chance, uint64_t pace_ns)
{
    uint64_t mean = (uint64_t)((double)pace_ns * chance), least = pace_ns < FASTEST_NS ? pace_ns : FASTEST_NS;
    uint64_t period = handler_draw_period(&lot.random, mean > least ? mean : least);
    return period > CLOCK_INTERVAL_MIN_NS ? period : CLOCK_INTERVAL_MIN_NS;
}

/* Gives the thread a clock. The period is drawn once per window. The first expiry is uniform in it, so the weights are right for any
 * period. */
static void give(struct sampled_thread *t, double chance, uint64_t pace_ns)
{
    t->lot.window = chance < 1 ? next_window(chance) : 0;
    t->lot.stands_for = chance < 1 ? 1 / chance : 0;
    t->clock.own_pace_ns = chance < 1 ? period_of(chance, pace_ns) : 0;
    threads_set_clock(t);
    if (counter_get(&t->counts.samples))
        clock_want_kernel_stacks(t);
}

static void apply(struct sampled_thread *t, const struct lot_ticket *ticket, uint64_t pace_ns)
{
    bool is_certain = !t->lot.waits && !t->lot.window;
    if ((!is_certain || ticket->chance < 1) && !take_away(t))
        return;
    settle(t);
    if (is_certain && ticket->chance >= 1)
        return;
    t->lot.waits = !ticket->drawn;
    if (ticket->drawn)
        give(t, ticket->chance, pace_ns);
}

struct round {
    const struct lot_wish *wish;
    uint32_t room;
    struct sampled_thread **threads;
    struct lot_ticket *tickets;
    uint32_t *order, count, windows;
};

/* A restless thread stays so until it is switched half as often. */
void lot_take_switches(struct thread_lot *l, uint64_t now, double limit)
{
    double since = l->switches && now > l->switches ? (double)(now - l->switches) / (l->is_calm ? CALM_UNREAD + 1 : 1) : 0;
    l->restless = since > (l->restless ? limit / 2 : limit);
    l->is_calm = l->switches && now && since < limit / CALM_PART;
    l->unread = l->is_calm ? CALM_UNREAD : 0;
    l->switches = now;
}

/* Determines whether the thread is restless. Each switch takes a microsecond of the thread's own time, so of a thread that used less the
 * number need not be read: the registry is locked meanwhile. A thread that is far from restless is read at every fourth draw only, because
 * a server has many of them. */
static void count_switches(struct sampled_thread *t, uint64_t used_ns, double limit)
{
    bool may_be = (double)used_ns >= limit / 2 * SWITCH_LEAST_NS;
    if (t->lot.unread)
        t->lot.unread--;
    else
        lot_take_switches(&t->lot, may_be ? tasks_switches(t->tid) : 0, limit);
}

/* Enters a thread into the draw, unless it is restless. Its use is an average over some draws. */
static void enter(struct round *r, struct sampled_thread *t)
{
    uint64_t cpu = clock_thread_cpu(t->tid), since = t->lot.cpu_at_use ? t->lot.cpu_at_use : t->lot.cpu_at_draw;
    if (cpu <= since) /* also if the thread is gone */
        return;
    t->lot.use_ns = t->lot.use_ns / 2 + (double)(cpu - since) / 2;
    t->lot.cpu_at_use = cpu;
    count_switches(t, cpu - since, r->wish->restless);
    if (t->lot.restless)
        return;
    r->threads[r->count] = t;
    r->tickets[r->count++] = (struct lot_ticket){.use = t->lot.use_ns};
}

static void draw_round(void *context)
{
    struct round *r = context;
    if (atomic_load(&handler_config.held))
        return;
    for (uint32_t i = 0, limit = threads_limit(); i < limit && r->count < r->room; i++)
        if (may_draw(&sampled_threads[i]))
            enter(r, &sampled_threads[i]);
    lot_chances(r->tickets, r->count, larger(r->wish->least, r->wish->part * lot_effective(r->tickets, r->count)));
    lot_draw_tickets(&lot.random, r->tickets, r->count, r->order);
    for (uint32_t i = 0; i < r->count; i++) {
        apply(r->threads[i], &r->tickets[i], r->wish->pace_ns);
        r->windows += r->tickets[i].drawn && r->tickets[i].chance < 1;
    }
}

uint32_t lot_draw(const struct lot_wish *wish)
{
    struct round r = {.wish = wish, .room = threads_limit() + 1};
    r.threads = calloc(r.room, sizeof *r.threads);
    r.tickets = calloc(r.room, sizeof *r.tickets);
    r.order = calloc(r.room, sizeof *r.order);
    if (r.threads && r.tickets && r.order)
        threads_with_all(draw_round, &r);
    free(r.threads);
    free(r.tickets);
    free(r.order);
    return r.windows;
}

static void draw_restless(void *context)
{
    const uint64_t *pace_ns = context;
    for (uint32_t i = 0, limit = threads_limit(); i < limit && !atomic_load(&handler_config.held); i++) {
        struct sampled_thread *t = &sampled_threads[i];
        if (!t->lot.restless || !may_draw(t) || clock_thread_cpu(t->tid) <= t->lot.cpu_at_draw) /* it has not run since */
            continue;
        struct lot_ticket ticket = {.chance = 1.0 / LOT_TURNS};
        ticket.drawn = lot_next_turn(&lot.random, &t->lot.turn, &t->lot.drawn_turn);
        apply(t, &ticket, *pace_ns);
    }
}

void lot_draw_restless(uint64_t pace_ns)
{
    threads_with_all(draw_restless, &pace_ns);
}

/* Leaves the thread as it is when it is armed without a clock. Returns false if it keeps its clock. */
static bool take_for_good(struct sampled_thread *t)
{
    bool has_clock = t->clock.fd >= 0 || t->clock.has_timer;
    if (has_clock && (atomic_load(&t->gate.held) || !end_expiries(t)))
        return false;
    clock_disarm(t);
    settle(t);
    t->lot.waits = false;
    t->lot.window = 0;
    t->lot.stands_for = 0;
    t->lot.restless = false;
    t->clock.own_pace_ns = 0;
    return true;
}

struct end_of_clocks {
    const struct clock *without;
    bool is_done;
};

/* With the lock held until new threads get no clock, either. */
static void take_all(void *context)
{
    struct end_of_clocks *end = context;
    end->is_done = !atomic_load(&handler_config.held);
    for (uint32_t i = 0, limit = threads_limit(); end->is_done && i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_LIVE)
            end->is_done &= take_for_good(&sampled_threads[i]);
    if (end->is_done)
        clock_start(end->without, NULL);
}

bool lot_take_all(const struct clock *without)
{
    struct end_of_clocks end = {.without = without};
    threads_with_all(take_all, &end);
    return end.is_done;
}
