#include "agent/collect/sampling/sampling.h"

#include "agent/collect/books/books.h"
#include "agent/collect/books/event_books.h"
#include "agent/collect/clock/calibrate.h"
#include "agent/collect/heal/heal.h"
#include "agent/collect/sampling/accounts.h"
#include "agent/collect/sampling/clock_pace.h"
#include "agent/collect/sampling/describe.h"
#include "agent/collect/sampling/drain.h"
#include "agent/collect/sampling/parts.h"
#include "agent/collect/sampling/patience.h"
#include "agent/collect/sampling/snapshots.h"
#include "agent/collect/sampling/takers.h"
#include "agent/collect/sampling/triggers.h"
#include "agent/collect/session/warnings.h"
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
    SCAN_PERIOD_WITHOUT_CLOCKS_NS = NS_PER_S, /* Java threads announce themselves */
    CLOSE_PERIOD_NS = NS_PER_S
};

#define PERIOD_NS (COLLECT_PERIOD_MS * (uint64_t)NS_PER_MS)

static struct {
    bool running, late;
    struct collect_options options;
    struct clock clock;
    struct recording recording;
    struct snapshots snapshots;
    struct books books;
    struct event_books event_books; /* in place of most of them, where the clock counts something else */
    struct candor_pool pool;
    void *pool_memory;
    size_t pool_bytes;
    uint64_t started, next_scan, next_drain, next_close;
    struct patience patience;
    uint32_t outcome_symbols[OUTCOME_COUNT];
} session;

bool sampling_running(void)
{
    return session.running;
}

unsigned sampling_events(void)
{
    return session.options.events;
}

const char *sampling_file(void)
{
    return session.options.file;
}

struct recording *sampling_recording(void)
{
    return &session.recording;
}

uint64_t sampling_paths_ns(void)
{
    return session.options.live.paths_ns;
}

/* Whether the recording samples CPU time, and so has books of it. */
static bool samples_cpu(void)
{
    return session.options.events & COLLECT_CPU;
}

/* Call it at the beginning of a chunk that may later become the first of the file: writes the values from which its books count, and
 * messages that would otherwise be lost. */
static void write_bases(void)
{
    uint64_t now = clock_monotonic_ns();
    accounts_write_bases(now);
    drain_write_bases(now);
    warnings_write_base(now);
}

static void flush(void)
{
    if (recording_flush(&session.recording)) {
        snapshots_new_chunk(&session.snapshots);
        describe_recording(&session.recording, &session.options, &session.clock, session.late);
        if (keep_is_limited(&session.options.keep))
            write_bases();
    }
    accounts_flushed();
}

static void close_second(void)
{
    accounts_write();
    warnings_of_clocks(false);
    flush();
}

/* Ends all sampling, after a fault in one of our handlers. */
static void disable(void)
{
    threads_stop();
    clock_mute_process();
    books_fault(&session.books, turn_first_fault().process_ns);
    warnings_write_fault(clock_monotonic_ns());
}

static void look_around(void)
{
    takers_look(&session.options, &session.clock, &session.recording);
    calibrate_round(&session.books.signal_cost_ns);
}

/* Not in every turn: some turns come from timers of their own. */
static void drain(uint64_t now, bool shrink)
{
    drain_threads(shrink);
    if (threads_running())
        takers_look_for_debuggers(&session.options, &session.clock, drain_samples(), &session.recording);
    patience_turn(&session.patience, clock_pace_is_tight());
    session.next_drain = now + (parts_are_polled() ? PERIOD_NS : session.patience.period_ns);
}

bool sampling_tick(void)
{
    uint64_t now = clock_monotonic_ns();
    if (threads_running() && turn_has_faulted())
        disable();
    else if (threads_running())
        look_around();
    inject_crash(INJECT_IN_COLLECTOR);
    bool scan = now >= session.next_scan, close = now >= session.next_close || recording_wants_flush(&session.recording);
    if (scan) {
        session.next_scan = now + (samples_cpu() ? SCAN_PERIOD_NS : SCAN_PERIOD_WITHOUT_CLOCKS_NS);
        modules_update();
        fault_install();
        claims_look();
        traps_look();
        threads_scan();
    }
    if (close || now >= session.next_drain)
        drain(now, close);
    parts_tick(now);
    if (threads_running())
        heal_tick(now);
    if (scan)
        clock_pace_keep(now);
    if (close) {
        session.next_close = now + CLOSE_PERIOD_NS;
        close_second();
    }
    return !session.options.duration_ns || now - session.started < session.options.duration_ns;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t sampling_patience_ns(void)
{
    uint64_t now = clock_monotonic_ns(), due;
    due = earliest(session.next_drain, session.next_close);
    if (session.options.duration_ns)
        due = earliest(due, session.started + session.options.duration_ns);
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
    snapshots_end(&session.snapshots);
    method_table_deinit();
    thread_table_deinit();
    room_deinit();
    agct_deinit();
    native_deinit();
    kallsyms_close();
}

/* Finds what only the symbols of the JVM's library lead to, if it has them: the VM thread's current operation and, in some JVMs, the
 * counters. */
static void find_by_symbols(void)
{
    if (!vm_layout.vm_operation && walk_libjvm_low)
        vm_layout.vm_operation = native_data(walk_libjvm_low, "_ZN8VMThread17_cur_vm_operationE");
    if (!counters.found && walk_libjvm_low)
        counters_find_at(native_data(walk_libjvm_low, "_ZN10PerfMemory6_startE"));
}

/* Tells each file what it works on. */
static void begin_files(void (*bind_threads)(void))
{
    warnings_begin(&session.recording);
    heal_begin(&session.recording, session.options.heal, session.late);
    parts_begin(
        &(struct parts_on){.options = &session.options, .recording = &session.recording, .outcome_symbols = session.outcome_symbols});
    drain_begin(&(struct drain_to){.recording = &session.recording,
                                   .clock = &session.clock,
                                   .books = &session.books,
                                   .event_books = &session.event_books,
                                   .snapshots = &session.snapshots,
                                   .patience = &session.patience,
                                   .outcome_symbols = session.outcome_symbols});
    accounts_begin(&(struct accounts_of){.recording = &session.recording,
                                         .cpu = samples_cpu(),
                                         .clock = &session.clock,
                                         .books = &session.books,
                                         .event_books = &session.event_books,
                                         .snapshots = &session.snapshots});
    triggers_begin(&(struct triggers_on){.options = &session.options,
                                         .clock = &session.clock,
                                         .pool = &session.pool,
                                         .books = &session.books,
                                         .bind_threads = bind_threads});
}

static void begin_books(void)
{
    uint64_t now = clock_monotonic_ns();
    session.started = session.recording.start_ticks;
    session.next_scan = session.next_drain = now;
    session.next_close = now + CLOSE_PERIOD_NS;
    patience_begin(&session.patience, PERIOD_NS);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        session.outcome_symbols[i] = strtab_add_text(&session.recording.names.strings, reason_outcome[i]);
    for (int i = 0; i < CONTEXT_LOSS_COUNT; i++)
        atomic_store(&context_lost[i], 0);
}

/* Prepares what a recording needs before it can begin. The file is opened last. */
static int open_recording(const struct collect_options *options, struct error *e)
{
    int rc = parts_reserve(e);
    if (!rc)
        rc = triggers_choose(e);
    if (!rc)
        rc = reserve_memory(e);
    if (!rc)
        rc = recording_open(&session.recording, options->file, options->passed ? options->descriptor : -1, options->duration_ns,
                            &options->keep, collect_without(options), e);
    return rc;
}

static int begin_recording(const struct collect_options *options, struct error *e)
{
    session.recording.jfr = options->jfr;
    int rc = options->code ? snapshots_begin(&session.snapshots, &session.recording, e) : 0;
    handler_config.compilations = options->code;
    if (rc)
        return rc;
    begin_books();
    describe_recording(&session.recording, &session.options, &session.clock, session.late);
    rc = triggers_start(e);
    if (!rc)
        parts_describe();
    return rc;
}

int sampling_start(const struct collect_options *options, bool late, void (*bind_threads)(void), struct error *e)
{
    memset(&session, 0, sizeof session);
    session.options = *options;
    session.late = late;
    begin_files(bind_threads);
    find_by_symbols(); /* which may take a tenth of a second: before the recording begins */
    int rc = open_recording(options, e);
    bool is_open = !rc;
    if (!rc)
        rc = begin_recording(options, e);
    session.running = !rc;
    if (!rc)
        return 0;
    clock_stop();
    if (is_open)
        recording_abandon(&session.recording);
    release_memory();
    return rc;
}

int sampling_dump(const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e)
{
    drain_threads(false);
    parts_sum_up(paths_ns);
    if (paths_ns)
        drain_threads(false); /* threads ran between walks */
    accounts_write();
    flush();
    return recording_dump(&session.recording, file, passed, bytes, e);
}

static void drain_now(void)
{
    drain_threads(false);
}

int sampling_stop(uint64_t *bytes, uint64_t *samples, struct error *e)
{
    uint64_t lost;
    parts_end(drain_now);
    threads_stop();
    while (calibrate_round(&session.books.signal_cost_ns)) /* of a recording that ends soon */
        ;
    drain_threads(false);
    books_end(&session.books);
    parts_finish();
    parts_sum_up(session.options.live.paths_ns);
    accounts_write();
    describe_comparison(&session.recording);
    warnings_of_clocks(true);
    if (samples_cpu() && !session.books.signal_cost_ns)
        warnings_of_unknown_cost();
    warnings_of_virtual_threads();
    triggers_stop();
    int rc = recording_close(&session.recording, bytes, e);
    parts_count(samples, &lost);
    *samples += session.books.samples;
    release_memory();
    session.running = false;
    return rc;
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
    /* A fault in the C library may have left its locks taken: whoever then allocates, hangs. */
    if (was_running && !turn_first_fault().elsewhere)
        turn_take(turn, accounts_write_last_words, NULL);
}

void sampling_status(struct collect_status *out)
{
    struct books_balance b;
    out->jfr = session.options.jfr;
    out->keep = session.options.keep;
    out->kept_ns = recording_kept_ns(&session.recording);
    books_balance(&session.books, &session.clock, &b);
    snprintf(out->file, sizeof out->file, "%s", session.options.file);
    snprintf(out->warning, sizeof out->warning, "%s", warnings_latest());
    if (session.recording.failed)
        snprintf(out->error, sizeof out->error, "%s", session.recording.error.text);
    out->events = session.options.events;
    out->wall_interval_ns = session.options.wall.interval_ns;
    out->paths_ns = session.options.live.paths_ns;
    out->clock = session.clock;
    out->interval_ns = session.clock.interval_ns;
    out->pace_ns = clock_pace_ns();
    out->resolution_ns = samples_cpu() ? machine_clock_resolution_ns(&session.clock) : 0;
    out->elapsed_ns = clock_monotonic_ns() - session.started;
    parts_count(&out->samples, &out->lost);
    out->samples += session.books.samples;
    for (int i = 0; i < LOSS_COUNT; i++)
        out->lost += b.lost[i].count;
    out->bytes = recording_size(&session.recording);
    out->cpu_ns = b.cpu_ns;
    out->threads = threads_armed();
}
