#include "agent/collect/halt/pauses.h"

#include "agent/collect/books/books.h"
#include "agent/hotspot/counters.h"
#include "agent/record/names/reason.h"
#include "agent/trigger/jvm/gc_pauses.h"
#include "base/agreed/reasons.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <string.h>

enum { NAME_BYTES = 64 };

/* The JVM's counters at a certain time. They only rise. */
struct reading {
    uint64_t ns;
    uint64_t safepoints, stopped_ticks, synchronizing_ticks;
};

static struct {
    struct recording *recording;
    uint32_t pauses; /* the number of the last pause; it includes pauses lost for lack of memory, so that no number is used twice */
    struct account taken, dropped;
    int64_t longest_ns; /* the longest of the taken pauses */
    struct account safepoints, synchronizing;
    struct reading last;
    uint64_t collections_before;
    uint32_t errors_before[JVM_ERROR_COUNT];
    uint64_t statistics_due_ns;
} session;

static uint64_t collections(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < COUNTERS_COLLECTORS; i++)
        sum += counters_value(counters.collectors[i].collections);
    return sum;
}

static struct reading read_counters(uint64_t now)
{
    return (struct reading){now, counters_value(counters.safepoints), counters_value(counters.safepoint_ticks),
                            counters_value(counters.synchronizing_ticks)};
}

/* ---- Errors that the JVM threw ---- */

static const volatile int32_t *errors_counter(enum jvm_error error)
{
    return error == JVM_ERROR_STACK_OVERFLOW ? counters.stack_overflows : counters.out_of_memory;
}

/* Returns the number since the JVM's start. It may wrap around, as its difference does. */
static uint32_t errors(enum jvm_error error)
{
    const volatile int32_t *counter = errors_counter(error);
    return counter ? (uint32_t)*counter : 0;
}

/* ---- pauses ---- */

static uint32_t symbol(const char *text)
{
    return *text ? strtab_add_text(&session.recording->names.strings, text) : 0;
}

/* Returns the symbol of the collector's name. If no collector counted the pause, returns the symbol of the operation's name. */
static uint32_t name_symbol(const struct gc_pause *p)
{
    char name[NAME_BYTES] = "";
    if (p->collector != GC_NO_COLLECTOR)
        counters_copy(&counters.collectors[p->collector].name, name, sizeof name);
    else if (p->operation && !names_operation(p->operation, name, sizeof name))
        name[0] = 0;
    return symbol(name);
}

static void count(struct account *a, uint64_t ns)
{
    a->ns += (int64_t)ns;
    a->count++;
}

static void take_pause(const struct gc_pause *p)
{
    struct jfr_writer *w = session.recording->writer;
    struct jfr_garbage_collection c = {.start_ticks = p->start_ns,
                                       .end_ticks = p->end_ns,
                                       .pause_ns = p->end_ns - p->start_ns,
                                       .id = ++session.pauses,
                                       .name = name_symbol(p),
                                       .cause = symbol(p->cause)};
    uint64_t dropped = jfr_writer_dropped(w);
    jfr_write_garbage_collection(w, &c);
    if ((int64_t)c.pause_ns > session.longest_ns)
        session.longest_ns = (int64_t)c.pause_ns;
    count(jfr_writer_dropped(w) == dropped ? &session.taken : &session.dropped, c.pause_ns);
}

/* ---- safepoints ---- */

/* Takes the safepoints since the last reading. The JVM counts a safepoint when it begins, and adds its time when it ends. If only the
 * number has risen, the safepoint has not ended, and is reported later. */
static void take_safepoints(uint64_t now, bool at_end)
{
    struct reading next = read_counters(now);
    uint64_t number = next.safepoints - session.last.safepoints;
    bool under_way = next.stopped_ticks == session.last.stopped_ticks && !at_end;
    if (!number || under_way || !counters_find_clock())
        return;
    struct jfr_safepoint_count c = {.start_ticks = session.last.ns,
                                    .end_ticks = now,
                                    .count = number,
                                    .stopped_ns = counters_ns(next.stopped_ticks - session.last.stopped_ticks),
                                    .synchronizing_ns = counters_ns(next.synchronizing_ticks - session.last.synchronizing_ticks)};
    jfr_write_safepoint_count(session.recording->writer, &c);
    session.safepoints.ns += (int64_t)c.stopped_ns;
    session.safepoints.count += number;
    session.synchronizing.ns += (int64_t)c.synchronizing_ns;
    session.synchronizing.count += number;
    session.last = next;
}

/* ---- classes and threads ---- */

/* Writes their numbers once a second, as the JDK's recorder does. */
static void take_statistics(uint64_t now)
{
    struct jfr_writer *w = session.recording->writer;
    if (now < session.statistics_due_ns || !counters.classes_loaded || !counters.threads_live)
        return;
    session.statistics_due_ns = now + NS_PER_S;
    jfr_write_class_statistics(w, &(struct jfr_class_statistics){
                                      .ticks = now,
                                      .loaded = counters_value(counters.classes_loaded) + counters_value(counters.classes_shared),
                                      .unloaded = counters_value(counters.classes_unloaded) + counters_value(counters.shared_unloaded)});
    jfr_write_thread_statistics(w, &(struct jfr_thread_statistics){.ticks = now,
                                                                   .active = counters_value(counters.threads_live),
                                                                   .daemon = counters_value(counters.threads_daemon),
                                                                   .accumulated = counters_value(counters.threads_started),
                                                                   .peak = counters_value(counters.threads_peak)});
}

/* ---- the collector's turns ---- */

static void drain(uint64_t now, bool at_end)
{
    struct gc_pause p;
    while (gc_pauses_take(&p))
        take_pause(&p);
    take_safepoints(now, at_end);
    take_statistics(now);
    if (session.last.safepoints == counters_value(counters.safepoints))
        session.last.ns = now;
}

static void tick(uint64_t now_ns)
{
    drain(now_ns, false);
}

/* Takes the remaining pauses after JVMTI's reports have ended. */
static void finish(void)
{
    drain(clock_monotonic_ns(), true);
}

static void put(jfr_write_book *write, uint64_t now, enum account_id account, const char *reason, struct account a)
{
    write(session.recording->writer, now, account_name[account], reason, a.ns, a.count);
}

static void write_books(uint32_t sink, jfr_write_book *write, uint64_t now_ns)
{
    uint64_t number, ns;
    gc_pauses_lost(&number, &ns);
    const struct account full = {.ns = (int64_t)ns, .count = number};
    put(write, now_ns, ACCOUNT_HALT_GC, "", session.taken);
    put(write, now_ns, ACCOUNT_HALT_LONGEST, "", (struct account){.ns = session.longest_ns});
    if (full.count)
        put(write, now_ns, ACCOUNT_HALT_LOST, reason_pause_loss[PAUSE_LOSS_QUEUE_FULL], full);
    if (session.dropped.count)
        put(write, now_ns, ACCOUNT_HALT_LOST, reason_pause_loss[PAUSE_LOSS_MEMORY], session.dropped);
    for (enum jvm_error i = 0; i < JVM_ERROR_COUNT; i++)
        if (errors_counter(i))
            put(write, now_ns, ACCOUNT_HALT_ERRORS, reason_jvm_error[i], (struct account){.count = errors(i) - session.errors_before[i]});
    if (!counters.found)
        return;
    put(write, now_ns, ACCOUNT_HALT_GC_COUNTED, "", (struct account){.count = collections() - session.collections_before});
    if (!counters.safepoints || !counters_find_clock())
        return;
    put(write, now_ns, ACCOUNT_HALT_SAFEPOINTS, "", session.safepoints);
    put(write, now_ns, ACCOUNT_HALT_SYNCHRONIZING, "", session.synchronizing);
}

static void count_all(uint32_t sink, uint64_t *taken, uint64_t *lost)
{
    uint64_t ns;
    gc_pauses_lost(lost, &ns);
    *taken = session.taken.count;
    *lost += session.dropped.count;
}

/* ---- life ---- */

static void describe(uint32_t sink)
{
    jfr_write_setting(session.recording->writer, clock_monotonic_ns(), "halt_counters", counters.found ? "jvm" : "none");
}

static int start(const struct part_of *of, struct error *e)
{
    if (!gc_events.open)
        return error_set(e, -ENOTSUP, "event=halt: there is no JVM here");
    memset(&session, 0, sizeof session);
    session.recording = of->recording;
    gc_pauses_reset();
    session.collections_before = collections();
    for (enum jvm_error i = 0; i < JVM_ERROR_COUNT; i++)
        session.errors_before[i] = errors(i);
    session.last = read_counters(clock_monotonic_ns());
    return gc_events.open(e);
}

static void close_events(void)
{
    if (gc_events.close)
        gc_events.close();
}

const struct part halt_part = {.start = start,
                               .describe = describe,
                               .tick = tick,
                               .is_polled = true,
                               .write_books = write_books,
                               .count = count_all,
                               .close = close_events,
                               .finish = finish};
