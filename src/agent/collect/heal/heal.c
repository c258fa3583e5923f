#include "agent/collect/heal/heal.h"

#include "agent/collect/heal/heal_cost.h"
#include "agent/collect/heal/met.h"
#include "agent/hot/java/code.h"
#include "agent/record/jvm.h"
#include "agent/record/names/reason.h"
#include "base/agreed/reasons.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    PICKS_MAX = HEAL_METHODS_MAX,
    LOOK_PACED = 1,            /* least length of a window in seconds */
    LOOK_LONGEST = 5,          /* a window without a step ends after so many seconds */
    SAMPLES_PACED = 100,       /* least number of samples in a window */
    APPROXIMATE_PACED = 10,    /* least number of approximate samples in a window, for a step */
    STOPS_SINGLE_THREADS = 17, /* from this JDK on, the JVM stops one thread after the other */
    SAMPLES_NOW = 10,
    APPROXIMATE_NOW = 3
};
#define LOOK_NOW_NS  (NS_PER_S / 4)
#define IN_FLIGHT_NS (NS_PER_S / 10) /* samples up to this long after a step may still show code that was discarded */

const char *const heal_mode_names[HEAL_MODES] = {[HEAL_OFF] = "off", [HEAL_PACED] = "paced", [HEAL_NOW] = "now"};

#define HEAL_KEEP_SYMBOL(symbol, name, meaning, remedy) KEPT_##symbol,
#define HEAL_KEEP_NAME(symbol, name, meaning, remedy)   name,
enum { HEAL_KEEPS(HEAL_KEEP_SYMBOL) KEPT_REASONS };
static const char *const kept_names[KEPT_REASONS] = {HEAL_KEEPS(HEAL_KEEP_NAME)};
static const enum old_method_fate kept_fates[KEPT_REASONS] = {[KEPT_GONE] = OLD_METHOD_GONE, [KEPT_RETURNED] = OLD_METHOD_RETURNED};

struct window {
    uint64_t began_ns;
    uint64_t weight, approximate, sparse; /* weight of all samples, of approximate samples, and of samples whose code can be discarded */
    uint32_t samples, sparse_samples;
};

/* A fact about the process: all code that was compiled before the agent was loaded is gone, and does not come back. */
static bool all_has_gone;
/* All zero at first. From one recording to the next it keeps which methods' code returned. */
static struct met met;

static struct {
    struct recording *recording;
    enum heal_mode mode;
    bool left_said;      /* the log has the message that the code stays as it is */
    uint64_t settled_ns; /* earlier samples do not show the present state */
    struct window window, last;
    struct heal_cost cost;
} session;

static enum heal_mode mode_of(enum heal_mode mode, bool late)
{
    return late ? mode : HEAL_OFF;
}

void heal_begin(struct recording *recording, enum heal_mode mode, bool late)
{
    memset(&session, 0, sizeof session);
    met_restart(&met);
    session.recording = recording;
    session.mode = mode_of(mode, late);
}

void heal_describe(void)
{
    jfr_write_setting(session.recording->writer, clock_monotonic_ns(), "heal", heal_mode_names[session.mode]);
}

static bool is_on(void)
{
    return session.mode != HEAL_OFF && code_sparse_until && old_code.discard;
}

static bool is_paced(void)
{
    return session.mode == HEAL_PACED;
}

void heal_sample(const uint64_t *frames, size_t count, uint64_t taken_ns, uint64_t weight)
{
    uint32_t method;
    if (!is_on() || taken_ns < session.settled_ns)
        return;
    session.window.weight += weight;
    session.window.samples++;
    if (!met_is_approximate(frames, count, &method))
        return;
    session.window.approximate += weight;
    if (met_sample(&met, method, weight)) {
        session.window.sparse += weight;
        session.window.sparse_samples++;
    }
}

static void begin_window(uint64_t now)
{
    session.window = (struct window){.began_ns = now};
}

/* ---- steps ---- */

static void say(uint64_t now, const char *what, size_t methods, uint64_t paused_ns)
{
    char text[320], before[96] = "";
    const struct window *w = &session.window;
    if (w->weight)
        snprintf(before, sizeof before, ": %zu of the methods that were sampled, and up to then %.1f %% of the time", methods,
                 100.0 * (double)w->approximate / (double)w->weight);
    snprintf(text, sizeof text, "%s was discarded, to be compiled again with exact lines%s; all threads were stopped for %.1f ms", what,
             before, (double)paused_ns / 1e6);
    jfr_write_log(session.recording->writer, now, "info", text);
}

static void end_step(const char *what, size_t methods)
{
    uint64_t paused = heal_cost_end_step(&session.cost, jvm_facts.java_version < STOPS_SINGLE_THREADS), now = clock_monotonic_ns();
    session.settled_ns = now + IN_FLIGHT_NS;
    say(now, what, methods, paused);
}

/* Writes a message that the code stays as it is, once in a recording. */
static void say_left(const char *why)
{
    char text[256];
    if (session.left_said)
        return;
    snprintf(text, sizeof text, "code compiled before the agent was loaded stays as it is, with approximate lines: %s", why);
    jfr_write_log(session.recording->writer, clock_monotonic_ns(), "info", text);
    session.left_said = true;
}

static bool discard_all(void)
{
    if (!old_code.can_discard())
        return false;
    heal_cost_begin_step(&session.cost, HEAL_ALL_METHODS);
    bool done = old_code.discard_all();
    all_has_gone = all_has_gone || done;
    end_step("all code that was compiled before the agent was loaded", done ? met_settle_all(&met) : 0);
    return done;
}

static void discard_hottest(void)
{
    static struct old_method picked[PICKS_MAX];
    char what[64];
    size_t count = met_pick(&met, picked, is_paced() ? session.cost.methods : PICKS_MAX);
    heal_cost_begin_step(&session.cost, count);
    heal_cost_add_code(&session.cost, old_code.discard(picked, count), count);
    size_t gone = met_settle(&met);
    snprintf(what, sizeof what, "the code of %zu of %zu methods", gone, count);
    end_step(what, gone);
}

static void step(void)
{
    if (old_code.can_discard())
        discard_hottest();
    else
        say_left("this JVM has no function that discards it");
}

/* ---- when ---- */

static bool has_seen_enough(uint64_t now)
{
    const struct window *w = &session.window;
    uint64_t least_ns = is_paced() ? LOOK_PACED * NS_PER_S : LOOK_NOW_NS;
    return now - w->began_ns >= least_ns && w->samples >= (is_paced() ? SAMPLES_PACED : SAMPLES_NOW);
}

static bool is_due(void)
{
    const struct window *w = &session.window;
    return (double)w->sparse >= HEAL_ENOUGH * (double)w->weight && w->sparse_samples >= (is_paced() ? APPROXIMATE_PACED : APPROXIMATE_NOW);
}

static bool may_step(uint64_t now)
{
    return !is_paced() || heal_cost_allows(&session.cost, now, HEAL_PAUSE_SHARE, HEAL_CPU_SHARE);
}

void heal_tick(uint64_t now_ns)
{
    if (!is_on())
        return;
    if (!session.window.began_ns)
        begin_window(now_ns);
    if (now_ns - session.cost.looked_ns >= NS_PER_S)
        heal_cost_look(&session.cost, now_ns);
    if (!has_seen_enough(now_ns))
        return;
    bool steps = is_due() && may_step(now_ns);
    if (!steps && now_ns - session.window.began_ns < LOOK_LONGEST * NS_PER_S)
        return;
    if (steps)
        step();
    session.last = steps ? (struct window){0} : session.window; /* a window from before a step does not show the present state */
    begin_window(clock_monotonic_ns());
    met_fade(&met);
}

static int discard_first(struct error *e)
{
    if (session.mode != HEAL_NOW || !jvm_facts.debug_info_is_late || !old_code.discard_all || all_has_gone || discard_all())
        return 0;
    return error_set(e, -ENOTSUP, "this JVM does not discard its compiled code; record with heal=off");
}

int heal_start(struct error *e)
{
    heal_cost_begin(&session.cost, clock_monotonic_ns());
    return discard_first(e);
}

int heal_change(enum heal_mode mode, bool late, struct error *e)
{
    enum heal_mode before = session.mode;
    session.mode = mode_of(mode, late);
    if (session.mode == before)
        return 0;
    begin_window(clock_monotonic_ns());
    int rc = discard_first(e);
    if (rc)
        session.mode = before;
    return rc;
}

/* ---- books ---- */

static void put(jfr_write_book *write, uint64_t now, enum account_id account, const char *reason, uint64_t ns, uint64_t count)
{
    if (count || ns || !*reason)
        write(session.recording->writer, now, account_name[account], reason, (int64_t)ns, count);
}

void heal_write_books(jfr_write_book *write, uint64_t now_ns)
{
    const struct window *w = session.last.samples ? &session.last : &session.window;
    if (!is_on())
        return;
    struct met_sum healed = met_sum_discarded(&met);
    put(write, now_ns, ACCOUNT_HEAL_METHODS, "", healed.weight, healed.count);
    for (int i = 0; i < KEPT_REASONS; i++) {
        struct met_sum kept = met_sum_kept(&met, kept_fates[i]);
        put(write, now_ns, ACCOUNT_HEAL_KEPT, kept_names[i], kept.weight, kept.count);
    }
    put(write, now_ns, ACCOUNT_HEAL_PAUSES, "", session.cost.paused_ns, session.cost.steps);
    put(write, now_ns, ACCOUNT_HEAL_CPU, "", session.cost.cpu_ns, 0);
    put(write, now_ns, ACCOUNT_HEAL_LEFT, "", w->approximate, 0);
    put(write, now_ns, ACCOUNT_HEAL_LEFT_OF, "", w->weight, 0);
}
