#include "agent/collect/sampling/sampling.h"

#include "agent/collect/books/books.h"
#include "agent/collect/books/event_books.h"
#include "agent/collect/clock/calibrate.h"
#include "agent/collect/clock/lots.h"
#include "agent/collect/heal/heal.h"
#include "agent/collect/sampling/accounts.h"
#include "agent/collect/sampling/describe.h"
#include "agent/collect/sampling/drain.h"
#include "agent/collect/sampling/join.h"
#include "agent/collect/sampling/parts.h"
#include "agent/collect/sampling/patience.h"
#include "agent/collect/sampling/sinks.h"
#include "agent/collect/sampling/snapshots.h"
#include "agent/collect/sampling/takers.h"
#include "agent/collect/sampling/triggers.h"
#include "agent/collect/session/warnings.h"
#include "agent/context/foreign.h"
#include "agent/hot/context.h"
#include "agent/hot/fault/fault.h"
#include "agent/hot/fault/traps.h"
#include "agent/hot/inject.h"
#include "agent/hot/java/method.h"
#include "agent/hot/layout.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/signal/room.h"
#include "agent/hot/walk/walk.h"
#include "agent/hotspot/counters.h"
#include "agent/record/machine.h"
#include "agent/record/names/reason.h"
#include "agent/symbolize/kallsyms.h"
#include "agent/symbolize/modules.h"
#include "agent/symbolize/native.h"
#include "agent/trigger/hooks/claims.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum {
    POOL_CHUNKS = 8192,
    POOL_CHUNK_WORDS = 512,
    NAMES_ARENA_BYTES = 64 << 20,
    SCAN_PERIOD_NS = 100 * NS_PER_MS,
    SCAN_PERIOD_WITHOUT_CLOCKS_NS = NS_PER_S, /* longer, because Java threads register themselves */
    CLOSE_PERIOD_NS = NS_PER_S
};

#define PERIOD_NS (COLLECT_PERIOD_MS * (uint64_t)NS_PER_MS)

/* The state that all recordings share. */
static struct {
    bool running, late;
    struct collect_options options; /* of the first recording; each part's own options are those of the recording that started the part */
    struct clock clock;
    struct recording whole;
    struct books books;
    struct event_books event_books; /* used in place of most of `books` if the clock does not count CPU time */
    struct candor_pool pool;
    void *pool_memory;
    size_t pool_bytes;
    uint64_t next_scan, next_drain, next_close;
    struct patience patience;
    uint32_t outcome_symbols[OUTCOME_COUNT];
} session;

bool sampling_running(void)
{
    return session.running;
}

struct recording *sampling_recording(uint32_t place)
{
    return &sinks[place].recording;
}

const struct collect_options *sampling_options(uint32_t place)
{
    return &sinks[place].options;
}

/* Whether the threads have clocks. */
static bool samples_cpu(void)
{
    return session.options.events & COLLECT_CPU;
}

/* Writes the values from which the books of the chunk count, and messages that would otherwise be lost. Call it at the beginning of a chunk
 * that is the first of the file, or may later become the first. */
static void write_bases(struct sink *s)
{
    uint64_t now = clock_monotonic_ns();
    accounts_write_bases(s);
    sinks_aim(s);
    drain_write_bases(now);
    warnings_write_base(now);
    sinks_aim(NULL);
}

static bool wants_chunk(void)
{
    bool wants = false;
    EACH_SINK(s)
    wants |= recording_wants_chunk(&s->recording);
    return wants;
}

static void begin_chunk(struct sink *s)
{
    snapshots_new_chunk(&s->snapshots);
    describe_recording(s, session.late);
    if (keep_is_limited(&s->options.keep))
        write_bases(s);
}

static void flush(void)
{
    bool rotate = wants_chunk();
    EACH_SINK(s)
    recording_flush_part(&s->recording, rotate);
    if (rotate)
        names_new_chunk(&session.whole.names);
    EACH_SINK(s)
    {
        if (rotate && !s->recording.failed)
            begin_chunk(s);
        accounts_flushed(s);
    }
}

static void write_accounts(void)
{
    EACH_SINK(s)
    accounts_write(s);
}

static void close_second(void)
{
    write_accounts();
    warnings_of_clocks(false);
    flush();
    native_rest();
}

/* Ends all sampling, after a fault in one of our handlers. */
static void disable(void)
{
    threads_stop();
    clock_mute_process();
    books_fault(&session.books, turn_first_fault().process_ns);
    warnings_write_fault(clock_monotonic_ns());
}

/* Drains the threads' queues. Not every turn needs this, because some turns come from other timers. */
static void drain(uint64_t now, bool shrink)
{
    drain_threads(shrink);
    if (threads_running())
        takers_look_for_debuggers(&session.options, &session.clock, drain_samples());
    patience_turn(&session.patience, sinks_are_tight());
    session.next_drain = now + (parts_are_polled() ? PERIOD_NS : session.patience.period_ns);
}

static bool wants_flush(void)
{
    bool wants = false;
    EACH_SINK(s)
    wants |= recording_wants_flush(&s->recording);
    return wants;
}

static void scan(uint64_t now)
{
    session.next_scan = now + (samples_cpu() ? SCAN_PERIOD_NS : SCAN_PERIOD_WITHOUT_CLOCKS_NS);
    modules_update();
    foreign_update();
    fault_install();
    claims_look();
    traps_look();
    threads_scan();
    if (threads_running())
        calibrate_round(&session.books.signal_cost_ns);
}

static void describe_clocks_of_all(void)
{
    EACH_SINK(s)
    if (sink_has_cpu(s))
        describe_clocks(&s->recording);
}

void sampling_tick(void)
{
    uint64_t now = clock_monotonic_ns();
    if (threads_running() && turn_has_faulted())
        disable();
    else if (threads_running())
        takers_look(&session.options, &session.clock);
    inject_crash(INJECT_IN_COLLECTOR);
    bool scans = now >= session.next_scan, close = now >= session.next_close || wants_flush();
    if (scans)
        scan(now);
    if (close || now >= session.next_drain)
        drain(now, close);
    parts_tick(now);
    if (threads_running())
        heal_tick(now);
    if (scans) {
        triggers_drop_clock();
        sinks_keep_pace(parts_cost_ns(), now);
    }
    if (threads_running() && lots_tick(now, sinks_pace_ns()))
        describe_clocks_of_all();
    if (close) {
        session.next_close = now + CLOSE_PERIOD_NS;
        close_second();
    }
}

static uint64_t end_of(const struct sink *s)
{
    return s->options.duration_ns ? s->recording.start_ticks + s->options.duration_ns : UINT64_MAX;
}

bool sampling_is_over(uint32_t place)
{
    return clock_monotonic_ns() >= end_of(&sinks[place]);
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t sampling_patience_ns(void)
{
    uint64_t now = clock_monotonic_ns(), due;
    due = earliest(session.next_drain, session.next_close);
    EACH_SINK(s)
    due = earliest(due, end_of(s));
    due = earliest(due, parts_due_ns());
    return due > now ? due - now : 0;
}

static int reserve_memory(struct error *e)
{
    session.pool_bytes = candor_pool_bytes(POOL_CHUNKS, POOL_CHUNK_WORDS);
    session.pool_memory = mmap(NULL, session.pool_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (session.pool_memory == MAP_FAILED || thread_table_init() || room_init() || method_table_init(NAMES_ARENA_BYTES) ||
        candor_pool_init(&session.pool, session.pool_memory, POOL_CHUNKS, POOL_CHUNK_WORDS))
        return error_set(e, -ENOMEM, "not enough address space for the sample queues (%zu MB)",
                         (session.pool_bytes + NAMES_ARENA_BYTES) >> 20);
    return 0;
}

static void release_memory(void)
{
    if (session.pool_memory && session.pool_memory != MAP_FAILED)
        munmap(session.pool_memory, session.pool_bytes);
    session.pool_memory = NULL;
    parts_release();
    method_table_deinit();
    thread_table_deinit();
    room_deinit();
    agct_deinit();
    native_deinit();
    kallsyms_close();
}

/* Finds what only the symbols of the JVM's library show, if it has them: the VM thread's current operation, the number of Errors that the
 * JVM threw and, in some JVMs, the performance counters. */
static void find_by_symbols(void)
{
    if (!vm_layout.vm_operation && walk_libjvm_low)
        vm_layout.vm_operation = native_data(walk_libjvm_low, "_ZN8VMThread17_cur_vm_operationE");
    if (!counters.found && walk_libjvm_low)
        counters_find_at(native_data(walk_libjvm_low, "_ZN10PerfMemory6_startE"));
    if (!counters.stack_overflows && walk_libjvm_low)
        counters_find_errors(native_data(walk_libjvm_low, "_ZN10Exceptions22_stack_overflow_errorsE"),
                             native_data(walk_libjvm_low, "_ZN10Exceptions37_out_of_memory_error_java_heap_errorsE"));
}

/* Passes the shared data to each file. */
static void begin_files(uint32_t place, void (*bind_threads)(void))
{
    warnings_begin(&session.whole);
    heal_begin(&session.whole, session.options.heal, session.late);
    parts_begin(&(struct parts_on){.options = &session.options, .recording = &session.whole, .outcome_symbols = session.outcome_symbols});
    sinks_begin(&(struct sinks_of){.whole = &session.whole, .clock = &session.clock, .books = &session.books});
    drain_begin(&(struct drain_to){.recording = &session.whole,
                                   .clock = &session.clock,
                                   .books = &session.books,
                                   .event_books = &session.event_books,
                                   .patience = &session.patience,
                                   .outcome_symbols = session.outcome_symbols});
    accounts_begin(&(struct accounts_of){
        .whole = &session.whole, .clock = &session.clock, .books = &session.books, .event_books = &session.event_books});
    triggers_begin(&(struct triggers_on){.options = &session.options,
                                         .first = &sinks[place],
                                         .clock = &session.clock,
                                         .pool = &session.pool,
                                         .books = &session.books,
                                         .bind_threads = bind_threads});
}

static void begin_books(void)
{
    uint64_t now = clock_monotonic_ns();
    session.next_scan = session.next_drain = now;
    session.next_close = now + CLOSE_PERIOD_NS;
    patience_begin(&session.patience, PERIOD_NS);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        session.outcome_symbols[i] = strtab_add_text(&session.whole.names.strings, reason_outcome[i]);
    for (int i = 0; i < CONTEXT_LOSS_COUNT; i++)
        atomic_store(&context_lost[i], 0);
}

/* Prepares what a recording needs before it can begin. The file is opened last. */
static int open_first(uint32_t place, const struct collect_options *options, struct error *e)
{
    int rc = parts_reserve(e);
    if (!rc)
        rc = triggers_choose(e);
    if (!rc)
        rc = reserve_memory(e);
    return rc ? rc : sinks_open(place, options, e);
}

static int begin_code(struct sink *s, struct error *e)
{
    int rc = s->options.code ? snapshots_begin(&s->snapshots, &s->recording, e) : 0;
    handler_config.compilations = sinks_want_code();
    return rc;
}

static int begin_first(struct sink *s, struct error *e)
{
    int rc = begin_code(s, e);
    if (rc)
        return rc;
    begin_books();
    describe_recording(s, session.late);
    rc = triggers_start(e);
    if (rc)
        return rc;
    describe_clocks_of_all();
    sinks_begin_pace(s);
    sinks_keep_pace(parts_cost_ns(), clock_monotonic_ns());
    sinks_aim(s);
    parts_describe(s);
    sinks_aim(NULL);
    return 0;
}

static void abandon(struct sink *s)
{
    recording_abandon(&s->recording);
    snapshots_end(&s->snapshots);
    sinks_close(s);
    handler_config.compilations = sinks_want_code();
}

static int start_first(uint32_t place, const struct collect_options *options, void (*bind_threads)(void), struct error *e)
{
    begin_files(place, bind_threads);
    find_by_symbols(); /* before the recording begins, because it may take a tenth of a second */
    int rc = open_first(place, options, e);
    if (!rc)
        rc = begin_first(&sinks[place], e);
    session.running = !rc;
    if (!rc)
        return 0;
    clock_stop();
    if (sinks[place].runs)
        abandon(&sinks[place]);
    release_memory();
    return rc;
}

int sampling_start(uint32_t place, const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e)
{
    memset(&session, 0, sizeof session);
    session.options = *options;
    session.late = late;
    int rc = recording_open_whole(&session.whole, e);
    if (rc)
        return rc;
    rc = start_first(place, options, bind_threads, e);
    if (rc)
        recording_close_whole(&session.whole);
    return rc;
}

static uint64_t lost_by(const struct books_balance *b)
{
    uint64_t lost = 0;
    for (int i = 0; i < LOSS_COUNT; i++)
        lost += b->lost[i].count;
    return lost;
}

static void drain_now(void)
{
    drain_threads(false);
}

/* Notes totals from before the sink began, which its status leaves out. */
static void note_before(struct sink *s)
{
    struct books_balance b;
    const struct clock clock = sink_clock(s);
    parts_count(s, &s->samples_before, &s->lost_before);
    if (!sink_has_cpu(s))
        return;
    books_balance(&session.books, &s->taken, &clock, &b);
    s->lost_before += lost_by(&b);
    s->cpu_before = b.cpu_ns;
}

/* Starts what this recording wants and no earlier recording has wanted. */
static int begin_beside(struct sink *s, struct error *e)
{
    int rc = begin_code(s, e);
    rc = rc ? rc : heal_change(sinks_heal_mode(), session.late, e);
    if (!rc && sink_has_cpu(s) && (!samples_cpu() || triggers_have_leftovers()))
        rc = triggers_add_clock(&s->options, e);
    return rc ? rc : parts_join(s, e);
}

/* Adds a recording. Samples from before its beginning go only to the others. */
int sampling_join(uint32_t place, const struct collect_options *options, struct error *e)
{
    struct sink *s = &sinks[place];
    int rc = join_check(options, &session.options, &session.clock, e);
    if (rc)
        return rc;
    drain_now();
    rc = sinks_open(place, options, e);
    if (rc)
        return rc;
    rc = begin_beside(s, e);
    if (rc) {
        struct error ignored;
        abandon(s);
        heal_change(sinks_heal_mode(), session.late, &ignored);
        return rc;
    }
    note_before(s);
    describe_recording(s, session.late);
    write_bases(s);
    sinks_begin_pace(s);
    sinks_keep_pace(parts_cost_ns(), clock_monotonic_ns());
    return 0;
}

int sampling_dump(uint32_t place, const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e)
{
    struct sink *s = &sinks[place];
    drain_now();
    sinks_aim(s);
    parts_sum_up(s, paths_ns);
    sinks_aim(NULL);
    if (paths_ns)
        drain_now(); /* threads ran between the walks of the heap, and left records */
    accounts_write(s);
    flush();
    return recording_dump(&s->recording, file, passed, bytes, e);
}

/* Writes the last events and books of a recording. */
static void sum_up(struct sink *s)
{
    sinks_aim(s);
    parts_sum_up(s, s->options.live.paths_ns);
    sinks_aim(NULL);
    accounts_write(s);
    describe_comparison(&s->recording);
    sinks_aim(s);
    warnings_of_clocks(true);
    if (sink_has_cpu(s) && !session.books.signal_cost_ns)
        warnings_of_unknown_cost();
    warnings_of_virtual_threads();
    sinks_aim(NULL);
}

static uint64_t samples_of(const struct sink *s)
{
    uint64_t samples, lost;
    parts_count(s, &samples, &lost);
    return samples - s->samples_before + s->taken.samples;
}

static int close_sink(struct sink *s, uint64_t *bytes, struct error *e)
{
    int rc = recording_close(&s->recording, bytes, e);
    snapshots_end(&s->snapshots);
    sinks_close(s);
    return rc;
}

/* Ends a recording while others go on. */
static int stop_one(struct sink *s, uint64_t *bytes, uint64_t *samples, struct error *e)
{
    parts_end_for(s, drain_now);
    drain_now();
    sum_up(s);
    sinks_aim(s);
    drain_write_threads(clock_monotonic_ns());
    sinks_aim(NULL);
    *samples = samples_of(s); /* before its parts leave, which then count nothing */
    parts_leave(s);
    int rc = close_sink(s, bytes, e);
    struct error ignored;
    heal_change(sinks_heal_mode(), session.late, &ignored);
    handler_config.compilations = sinks_want_code();
    triggers_drop_clock();
    sinks_keep_pace(parts_cost_ns(), clock_monotonic_ns());
    return rc;
}

static int stop_last(struct sink *s, uint64_t *bytes, uint64_t *samples, struct error *e)
{
    parts_end(drain_now);
    books_end(&session.books); /* what the program uses from here on is not sampled, and on a slow machine the rest takes long */
    threads_stop();
    while (calibrate_round(&session.books.signal_cost_ns)) /* the calibration is not finished if the recording ends soon */
        ;
    drain_now();
    parts_finish();
    sum_up(s);
    triggers_stop();
    *samples = samples_of(s);
    int rc = close_sink(s, bytes, e);
    release_memory();
    recording_close_whole(&session.whole);
    session.running = false;
    return rc;
}

int sampling_stop(uint32_t place, uint64_t *bytes, uint64_t *samples, struct error *e)
{
    return sinks_count() == 1 ? stop_last(&sinks[place], bytes, samples, e) : stop_one(&sinks[place], bytes, samples, e);
}

static void silence(void *unused)
{
    native_abandon();
    parts_silence();
    threads_abandon();
    clock_mute_process();
}

void sampling_abandon(struct turn *turn)
{
    bool was_running = session.running;
    session.running = false;
    turn_take(turn, silence, NULL);
    /* A fault in the C library may have left its locks taken: a thread that then allocates would hang. */
    if (was_running && !turn_first_fault().elsewhere)
        turn_take(turn, accounts_write_last_words, NULL);
}

static void status_of_cpu(const struct sink *s, struct collect_status *out)
{
    struct books_balance b;
    books_balance(&session.books, &s->taken, &out->clock, &b);
    out->pace_ns = s->pace.budget.pace_ns;
    out->clocks = lots_word();
    out->resolution_ns = machine_clock_resolution_ns(&session.clock);
    out->lost += lost_by(&b);
    out->cpu_ns = b.cpu_ns - s->cpu_before;
}

void sampling_status(uint32_t place, struct collect_status *out)
{
    const struct sink *s = &sinks[place];
    uint64_t samples, lost;
    out->jfr = s->options.jfr;
    out->keep = s->options.keep;
    out->kept_ns = recording_kept_ns(&s->recording);
    snprintf(out->file, sizeof out->file, "%s", s->options.file);
    snprintf(out->warning, sizeof out->warning, "%s", warnings_latest());
    if (s->recording.failed)
        snprintf(out->error, sizeof out->error, "%s", s->recording.error.text);
    out->events = s->options.events;
    out->wall_interval_ns = s->options.wall.interval_ns;
    out->paths_ns = s->options.live.paths_ns;
    out->clock = sink_clock(s);
    out->interval_ns = s->options.interval_ns;
    out->elapsed_ns = clock_monotonic_ns() - s->recording.start_ticks;
    out->samples = samples_of(s);
    parts_count(s, &samples, &lost);
    out->lost = lost;
    if (sink_has_cpu(s))
        status_of_cpu(s, out);
    out->lost -= s->lost_before;
    out->bytes = recording_size(&s->recording);
    out->threads = threads_armed();
}
