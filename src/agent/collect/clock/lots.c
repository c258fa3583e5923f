#include "agent/collect/clock/lots.h"

#include "agent/hot/signal/handler.h"
#include "agent/trigger/clocks/clock.h"
#include "agent/trigger/lot.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <string.h>
#include <sys/resource.h>

const char *const lots_mode_names[LOTS_MODES] = {[LOTS_ALL] = "all", [LOTS_AUTO] = "auto", [LOTS_LOT] = "lot"};

enum { DEAR_TIMES = 2, EVERYBODY = 1 << 30 };

static const uint64_t SHORTEST_NS = 250 * NS_PER_MS, LONGEST_NS = 2 * NS_PER_S, RESTLESS_NS = 50 * NS_PER_MS;

static const double DEAR = 0.01, GOAL = 0.0025, PART_BY_LOT = 0.25, DEAR_ALONE = 0.005, WORTH = 0.002;

static struct {
    struct lots lots;
    uint64_t random, due_ns, restless_due_ns;
} session;

void lots_measure(struct lots *l, const struct lots_usage *now)
{
    double cpu = (double)(now->cpu_ns - l->last.cpu_ns), cost = (double)(now->switches - l->last.switches) * LOTS_SWITCH_NS;
    double worth = WORTH * (double)(now->wall_ns - l->last.wall_ns);
    double share = cpu > 0 && cost > worth ? cost / cpu : 0;
    l->share = l->share > 0 ? l->share + (share - l->share) / 4 : share;
    l->dear = share > DEAR ? l->dear + 1 : 0;
    l->draws = l->draws || l->mode == LOTS_LOT || (l->mode == LOTS_AUTO && l->dear >= DEAR_TIMES);
    l->restless = (DEAR_ALONE * cpu > worth / 2 ? DEAR_ALONE * cpu : worth / 2) / LOTS_SWITCH_NS;
    l->last = *now;
}

double lots_part(const struct lots *l)
{
    if (l->mode == LOTS_LOT)
        return PART_BY_LOT;
    return l->share > GOAL ? GOAL / l->share : 1;
}

double lots_least(const struct lots *l)
{
    return l->mode == LOTS_LOT ? 1 : lots_part(l) < 1 ? LOTS_LEAST : EVERYBODY;
}

static struct lots_usage usage(uint64_t now)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (struct lots_usage){now, clock_process_cpu(), (uint64_t)used.ru_nvcsw + (uint64_t)used.ru_nivcsw};
}

uint64_t lots_pause_ns(uint32_t windows)
{
    uint64_t pause = windows * NS_PER_S / LOTS_WINDOWS;
    return pause < SHORTEST_NS ? SHORTEST_NS : pause > LONGEST_NS ? LONGEST_NS : pause;
}

static void set_due(uint64_t now, uint32_t windows)
{
    session.due_ns = now + handler_draw_period(&session.random, lots_pause_ns(windows));
}

void lots_begin(enum lots_mode mode)
{
    uint64_t now = clock_monotonic_ns();
    memset(&session, 0, sizeof session);
    session.lots = (struct lots){.mode = mode, .last = usage(now)};
    session.random = now | 1;
    lot_begin();
    set_due(now, 0);
}

static void draw_restless(uint64_t now, uint64_t pace_ns)
{
    if (!session.lots.draws || now < session.restless_due_ns)
        return;
    session.restless_due_ns = now + handler_draw_period(&session.random, RESTLESS_NS);
    lot_draw_restless(pace_ns);
}

static uint32_t draw(uint64_t pace_ns)
{
    const struct lots *l = &session.lots;
    return lot_draw(&(struct lot_wish){lots_part(l), lots_least(l), l->restless, pace_ns});
}

bool lots_tick(uint64_t now_ns, uint64_t pace_ns)
{
    struct lots *l = &session.lots;
    bool drew = l->draws;
    if (l->mode == LOTS_ALL || !clock_may_be_drawn())
        return false;
    draw_restless(now_ns, pace_ns);
    if (now_ns < session.due_ns)
        return false;
    struct lots_usage used = usage(now_ns);
    lots_measure(l, &used);
    set_due(now_ns, l->draws ? draw(pace_ns) : 0);
    return l->draws && !drew;
}

const char *lots_word(void)
{
    return lots_mode_names[session.lots.draws && clock_may_be_drawn() ? LOTS_LOT : LOTS_ALL];
}

const char *lots_reason(void)
{
    return session.lots.mode == LOTS_LOT && !clock_may_be_drawn()
               ? "it needs the clock sigtrap, permission to sample kernel time, and a Linux before 6.11 or from 6.15 on"
               : "";
}
