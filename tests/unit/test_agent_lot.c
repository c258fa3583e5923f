/* Clocks by lot: each thread is drawn as often as its chance says, so that on average the drawn threads stand for the CPU time of all;
 * and when lots are drawn at all.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "agent/collect/clock/lots.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/thread/thread.h"
#include "agent/trigger/lot.h"
#include "base/time_units.h"

#include <math.h>
#include <string.h>

enum { THREADS = 120, METHODS = 3, DRAWS = 20000 };

/* Each figure may be off by this many standard errors: 5e-7 for one, 1e-4 for the 135 together. The seed is fixed, so a test that passes
 * always passes. */
static const double FAR = 5;

static uint64_t seed = 88172645463325252u;

static double unit(void)
{
    return (double)(handler_random(&seed) >> 11) / (double)(UINT64_C(1) << 53);
}

static void set_uses(struct lot_ticket *tickets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tickets[i] = (struct lot_ticket){.use = i < 2 ? 3e8 : i % 5 == 0 ? 2e4 : 1e6 * (1 + i % 7)};
}

static void test_chances(void)
{
    struct lot_ticket tickets[THREADS];
    double sum = 0, low = 1, high = 0;
    bool in_proportion = true;
    set_uses(tickets, THREADS);
    lot_chances(tickets, THREADS, 24);
    for (int i = 0; i < THREADS; i++) {
        double c = tickets[i].chance;
        sum += c;
        low = fmin(low, c);
        high = c < 1 ? fmax(high, c) : high;
        bool is_bound = c == LOT_CHANCE_MIN || c == 1;
        in_proportion = in_proportion && (is_bound || fabs(c / tickets[i].use - tickets[6].chance / tickets[6].use) < 1e-12);
    }
    tap_ok(tickets[0].chance == 1 && tickets[1].chance == 1, "those that use most have a clock for certain");
    tap_ok(low == LOT_CHANCE_MIN && high <= 0.5, "no chance is below the least, none between a half and 1");
    tap_ok(in_proportion, "the others have chances in proportion to their use");
    tap_ok(sum >= 24 && sum < 24 + THREADS * LOT_CHANCE_MIN, "as many are drawn as are wanted, or a few more: %.2f", sum);
    lot_chances(tickets, THREADS, THREADS * 10.0);
    bool all = true;
    for (int i = 0; i < THREADS; i++)
        all = all && (tickets[i].chance == 1 || tickets[i].use < 1e5);
    tap_ok(all, "if more are wanted than there are, all that use something have a clock");
    lot_chances(tickets, 0, 8);
    lot_draw_tickets(&seed, tickets, 0, NULL);
    tap_ok(lot_effective(tickets, 0) == 0, "no threads, no draw");
    for (int i = 0; i < 10; i++)
        tickets[i].use = 7;
    tap_ok(fabs(lot_effective(tickets, 10) - 10) < 1e-9, "ten threads of equal use are ten");
}

/* For one figure: the estimates, summed over all draws, and the sum of their squares. */
struct estimate {
    double sum, squares, truth;
};

static void add(struct estimate *e, double estimated, double truth)
{
    double error = estimated - truth;
    e->sum += error;
    e->squares += error * error;
    e->truth += truth;
}

static double off(const struct estimate *e)
{
    return fabs(e->sum) / sqrt(e->squares);
}

/* What a thread does in this window, by method: bursts, phases in which all threads do the same, and threads that work in every second
 * window. It does not depend on the draw; the chances rest on the CPU time of the previous window. */
static void work(int thread, int window, double cpu[METHODS])
{
    double much = thread < 2 ? 3e8 : thread % 3 == 0 ? (window % 2 ? 4e6 : 1e3) : 1e6 * unit();
    if (unit() < 0.02)
        much *= 40;
    double first = window % 50 < 10 ? 0.9 : 0.2 + 0.3 * unit();
    cpu[0] = much * first;
    cpu[1] = much * (1 - first) * (thread % 4) / 4;
    cpu[2] = much - cpu[0] - cpu[1];
}

static double sum_of(const double cpu[METHODS])
{
    return cpu[0] + cpu[1] + cpu[2];
}

/* bias: the factor by which each chance is wrong in the weights, as if by mistake. */
static double simulate(double bias, double *worst_thread, bool *steady)
{
    static struct estimate of_thread[THREADS], of_method[METHODS];
    struct lot_ticket tickets[THREADS];
    uint32_t order[THREADS];
    double cpu[METHODS], worst = 0;
    memset(of_thread, 0, sizeof of_thread);
    memset(of_method, 0, sizeof of_method);
    set_uses(tickets, THREADS);
    *steady = true;
    for (int draw = 0; draw < DRAWS; draw++) {
        double estimated[METHODS] = {0}, truth[METHODS] = {0}, chances = 0, drawn = 0;
        lot_chances(tickets, THREADS, 16);
        lot_draw_tickets(&seed, tickets, THREADS, order);
        for (int i = 0; i < THREADS; i++) {
            work(i, draw, cpu);
            double stands_for = tickets[i].drawn ? 1 / tickets[i].chance + (tickets[i].chance < 1 ? bias : 0) : 0;
            chances += tickets[i].chance;
            drawn += tickets[i].drawn;
            add(&of_thread[i], sum_of(cpu) * stands_for, sum_of(cpu));
            for (int m = 0; m < METHODS; m++) {
                estimated[m] += cpu[m] * stands_for;
                truth[m] += cpu[m];
            }
            tickets[i].use = (tickets[i].use + sum_of(cpu)) / 2;
        }
        *steady = *steady && fabs(chances - drawn) < 1;
        for (int m = 0; m < METHODS; m++)
            add(&of_method[m], estimated[m], truth[m]);
    }
    *worst_thread = 0;
    for (int i = 0; i < THREADS; i++)
        *worst_thread = of_thread[i].squares > 0 ? fmax(*worst_thread, off(&of_thread[i])) : *worst_thread;
    for (int m = 0; m < METHODS; m++)
        worst = fmax(worst, off(&of_method[m]));
    return worst;
}

static void test_unbiased(void)
{
    double of_thread;
    bool steady;
    double of_method = simulate(0, &of_thread, &steady);
    tap_ok(of_thread < FAR, "each thread's expected weight is its CPU time: at most %.1f standard errors off", of_thread);
    tap_ok(of_method < FAR, "and each method's: at most %.1f", of_method);
    tap_ok(steady, "the number of those that are drawn is less than one off its mean");
    of_method = simulate(0.5, &of_thread, &steady);
    tap_ok(of_method > FAR, "weights that are a little too large would have been found: %.1f", of_method);
}

/* A second in which a processor is in use, with this many switches. */
static void measure(struct lots *l, double switches)
{
    lots_measure(l, &(struct lots_usage){l->last.wall_ns + NS_PER_S, l->last.cpu_ns + NS_PER_S, l->last.switches + (uint64_t)switches});
}

static void test_decision(void)
{
    struct lots automatic = {.mode = LOTS_AUTO}, all = {.mode = LOTS_ALL}, lot = {.mode = LOTS_LOT};
    double dear = 0.01 * NS_PER_S / LOTS_SWITCH_NS;
    for (int i = 0; i < 5; i++)
        measure(&automatic, 0.9 * dear);
    tap_ok(!automatic.draws, "auto: clocks for all where switches are rare");
    measure(&automatic, 4 * dear);
    tap_ok(!automatic.draws, "and after one burst of them");
    measure(&automatic, 4 * dear);
    tap_ok(automatic.draws, "by lot when they continue");
    for (int i = 0; i < 50; i++)
        measure(&automatic, 4 * dear);
    tap_ok(fabs(lots_part(&automatic) - 1.0 / 16) < 0.001, "a sixteenth has clocks where they would cost 4 %%: then they cost a quarter");
    tap_ok(lots_least(&automatic) == LOTS_LEAST, "but not fewer than %d", LOTS_LEAST);
    tap_ok(fabs(automatic.restless - 0.005 * NS_PER_S / LOTS_SWITCH_NS) < 1,
           "a thread is restless if its switches alone cost half a hundredth");
    for (int i = 0; i < 50; i++)
        measure(&automatic, 0.1 * dear);
    tap_ok(lots_part(&automatic) == 1 && lots_least(&automatic) >= THREADS, "all of them again when it is calm");
    struct lots idle = {.mode = LOTS_AUTO};
    for (int i = 0; i < 5; i++)
        lots_measure(&idle, &(struct lots_usage){idle.last.wall_ns + NS_PER_S, idle.last.cpu_ns + NS_PER_MS, idle.last.switches + 500});
    tap_ok(!idle.draws && idle.restless > 500, "a process that does nothing but wake up keeps its clocks");
    measure(&all, 100 * dear);
    measure(&all, 100 * dear);
    tap_ok(!all.draws, "all: never by lot");
    measure(&lot, 0);
    tap_ok(lot.draws && lots_part(&lot) == 0.25 && lots_least(&lot) == 1, "lot: from the beginning, a quarter");
    tap_ok(lots_pause_ns(0) == 250 * NS_PER_MS && lots_pause_ns(LOTS_WINDOWS) == NS_PER_S && lots_pause_ns(1000) == 2 * NS_PER_S,
           "the more windows a draw begins, the later is the next one");
    measure(&automatic, 0);
    lots_measure(&automatic, &automatic.last);
    tap_ok(isfinite(lots_part(&automatic)), "no time has passed: the part is a number");
}

/* A thread that is restless beyond 1,000 switches from one draw to the next. */
static void test_restless(void)
{
    struct thread_lot l = {0};
    const double limit = 1000;
    lot_take_switches(&l, 50000, limit);
    tap_ok(!l.restless && !l.unread, "one number of switches says nothing");
    lot_take_switches(&l, 50100, limit);
    tap_ok(!l.restless && l.unread == 3, "a calm thread is not read at the next three draws");
    lot_take_switches(&l, 53900, limit);
    tap_ok(!l.restless && !l.unread, "at the fourth one, its switches count for all four");
    lot_take_switches(&l, 55000, limit);
    tap_ok(l.restless && !l.unread, "too many switches since one draw");
    lot_take_switches(&l, 55600, limit);
    tap_ok(l.restless, "a restless thread stays so until there are half as many");
    lot_take_switches(&l, 55800, limit);
    tap_ok(!l.restless && l.unread == 3, "and is calm again");
    lot_take_switches(&l, 0, limit);
    tap_ok(!l.restless && !l.unread, "a thread that used too little to be read is read as soon as it uses more");
    lot_take_switches(&l, 56900, limit);
    lot_take_switches(&l, 58200, limit);
    tap_ok(l.restless, "and is restless at the draw after that");
}

int main(void)
{
    test_chances();
    test_unbiased();
    test_decision();
    test_restless();
    return tap_done();
}
