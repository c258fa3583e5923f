#include "agent/collect/collect.h"

#include "agent/collect/allocations.h"
#include "agent/collect/books.h"
#include "agent/collect/calibrate.h"
#include "agent/collect/dumps.h"
#include "agent/collect/event_books.h"
#include "agent/collect/live.h"
#include "agent/collect/locks.h"
#include "agent/collect/patience.h"
#include "agent/collect/pauses.h"
#include "agent/collect/safepoint.h"
#include "agent/collect/snapshots.h"
#include "agent/collect/wall.h"
#include "agent/hot/code.h"
#include "agent/hot/context.h"
#include "agent/hot/fault.h"
#include "agent/hot/handler.h"
#include "agent/hot/inject.h"
#include "agent/hot/layout.h"
#include "agent/hot/record.h"
#include "agent/hot/traps.h"
#include "agent/hot/turn.h"
#include "agent/hot/walk.h"
#include "agent/record/reason.h"
#include "agent/hotspot/compilations.h"
#include "agent/hotspot/counters.h"
#include "agent/record/jvm.h"
#include "agent/record/machine.h"
#include "agent/symbolize/kallsyms.h"
#include "agent/symbolize/modules.h"
#include "agent/symbolize/native.h"
#include "agent/trigger/tasks.h"
#include "agent/trigger/threads.h"
#include "base/units.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    POOL_CHUNKS = 8192,
    POOL_CHUNK_WORDS = 512,
    NAMES_ARENA_BYTES = 64 << 20,
    SCAN_PERIOD_NS = 100000000,
    CLOSE_PERIOD_NS = 1000000000,
    STOP_WAIT_STEPS = 200,
    STOP_WAIT_NS = 5000000
};

#define PERIOD_NS (COLLECT_PERIOD_MS * UINT64_C(1000000))

static struct {
    bool running, late;
    struct collect_options options;
    struct clock clock;
    struct recording recording;
    struct snapshots snapshots;
    struct books books;
    struct event_books event_books; /* in place of most of them, where the clock counts something else */
    struct budget budget;
    struct candor_pool pool;
    void *pool_memory;
    size_t pool_bytes;
    uint64_t started, next_scan, next_close;
    struct patience patience;
    uint64_t random, execution_samples;
    void (*bind_threads)(void);
    uint32_t outcome_symbols[OUTCOME_COUNT];
    char warning[COLLECT_WARNING_MAX]; /* the latest; empty = none */
    uint32_t told_with_timer, told_without_clock, told_without_kernel;
    bool told_hopeless;
    uint32_t told_unseen; /* a bit for each account that was written: it is written again when it falls to nothing */
    int64_t written_cpu_ns, flushed_cpu_ns; /* the process's CPU time in the last books, and in the last that were flushed */
    uint64_t record[RECORD_WORDS_MAX];
} session;

static struct dumps dumps; /* of either event */

const char *const collect_event_names[COLLECT_EVENTS] = {"cpu", "wall", "alloc", "safepoint", "halt", "lock", "live"};

char *collect_events_text(char out[COLLECT_EVENTS_BYTES], unsigned events)
{
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < COLLECT_EVENTS; i++)
        if (events >> i & 1)
            n += (size_t)snprintf(out + n, COLLECT_EVENTS_BYTES - n, "%s%s", n ? "," : "", collect_event_names[i]);
    return out;
}

uint32_t collect_without(const struct collect_options *options)
{
    uint32_t without = 0;
    without |= options->events & COLLECT_HALT ? 0 : JFR_WITHOUT_COLLECTIONS;
    without |= options->events & COLLECT_LOCK ? 0 : JFR_WITHOUT_WAITS;
    without |= options->events & COLLECT_ALLOC ? 0 : JFR_WITHOUT_ALLOCATIONS;
    without |= options->events & COLLECT_LIVE ? 0 : JFR_WITHOUT_OLD_OBJECTS;
    return options->jfr ? without : 0;
}

bool collect_running(void)
{
    return session.running || safepoint_running();
}

unsigned collect_events(void)
{
    return safepoint_running() ? COLLECT_SAFEPOINT : session.options.events;
}

static struct recording *recording_now(void)
{
    return safepoint_running() ? safepoint_recording() : &session.recording;
}

static bool records(enum collect_event event)
{
    return session.options.events & event;
}

/* And so there are books of the CPU time. */
static bool samples_cpu(void)
{
    return records(COLLECT_CPU);
}

/* Other tools count events: one jdk.ExecutionSample per interval of weight, the rest by chance. */
static void write_execution_samples(const struct jfr_cpu_sample *s)
{
    uint64_t interval = session.clock.interval_ns, n = s->weight_ns / interval;
    n += handler_random(&session.random) % interval < s->weight_ns % interval;
    session.execution_samples += n;
    while (n--)
        jfr_write_execution_sample(session.recording.writer, s->ticks, s->thread, s->stack, s->state);
}

static void take_record(const struct sampled_thread *t, uint64_t *record, size_t words)
{
    uint64_t last = record[words - 1];
    enum outcome outcome = (enum outcome)record_outcome(last);
    size_t virtual_words = record_virtual_words(last), context_words = record_context_words(last);
    size_t frames = words - RECORD_HEAD - 1 - virtual_words - context_words;
    const uint64_t *tail = record + RECORD_HEAD + frames;
    struct names *names = &session.recording.names;
    struct jfr_cpu_sample s = {.ticks = record[0],
                               .thread = names_thread_id(t),
                               .weight_ns = record[1],
                               .pc = record[2],
                               .state = (enum jfr_thread_state)(record[3] & 0xff),
                               .outcome = session.outcome_symbols[outcome],
                               .context = names_context(names, tail + virtual_words, context_words)};
    if (virtual_words) {
        s.carrier = s.thread;
        s.thread = names_virtual_thread(names, tail, virtual_words);
    }
    if (outcome == OUTCOME_COMPLETE || outcome == OUTCOME_TRUNCATED)
        s.stack = names_stack(names, record + RECORD_HEAD, frames, (enum thread_role)atomic_load(&t->role),
                              outcome == OUTCOME_TRUNCATED);
    else
        s.stack = names_failed_stack(names, outcome, s.pc);
    uint64_t dropped = jfr_writer_dropped(session.recording.writer);
    if (clock_counts(&session.clock))
        jfr_write_event_sample(session.recording.writer, &s);
    else
        jfr_write_cpu_sample(session.recording.writer, &s);
    if (jfr_writer_dropped(session.recording.writer) != dropped) {
        books_lose(&session.books, LOSS_MEMORY, s.weight_ns);
        return;
    }
    books_sample(&session.books, outcome, s.weight_ns);
    write_execution_samples(&s);
    snapshots_sample(&session.snapshots, &s, (uint32_t)(record[3] >> RECORD_COMPILATION_SHIFT));
}

static void drain_thread(struct sampled_thread *t)
{
    size_t words;
    bool named = false;
    while ((words = candor_queue_read(&t->queue, session.record, RECORD_WORDS_MAX)) > 0) {
        if (!named) {
            threads_settle_name(t);
            names_thread(&session.recording.names, t);
        }
        named = true;
        if (wall_is_record(session.record[words - 1]))
            wall_take(t, session.record, words);
        else
            take_record(t, session.record, words);
        session.patience.news++;
    }
    allocations_drain(t, false);
    locks_drain(t, false);
}

static uint64_t cpu_of(const struct sampled_thread *t)
{
    return threads_cpu(t) + t->cpu_at_arming - t->cpu_at_start;
}

static void close_thread(struct sampled_thread *t)
{
    drain_thread(t);
    names_thread(&session.recording.names, t);
    jfr_write_thread_cpu(session.recording.writer, clock_monotonic_ns(), names_thread_id(t),
                         cpu_of(t), counter_get(&t->samples));
    books_close_thread(&session.books, &session.clock, t);
    if (clock_counts(&session.clock))
        event_books_close_thread(&session.event_books, t);
    wall_close_thread(t);
    locks_close_thread(t);
    threads_release(t);
    session.patience.news++;
}

static void drain(bool shrink)
{
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++) {
        struct sampled_thread *t = &sampled_threads[i];
        uint32_t slot = atomic_load(&t->slot);
        if (slot == SLOT_ENDED)
            close_thread(t);
        else if (slot == SLOT_LIVE) {
            drain_thread(t);
            if (shrink) {
                candor_queue_shrink(&t->queue);
                allocations_drain(t, true);
                locks_drain(t, true);
            }
        }
    }
}

static void drain_now(void)
{
    drain(false);
}

static void write_account(jfr_write_book *write, uint64_t now, const char *account, const char *reason, struct account a)
{
    if (a.ns || a.count || !*reason)
        write(session.recording.writer, now, account, reason, a.ns, a.count);
}

static void write_cpu_accounts(jfr_write_book *write, uint64_t now, const struct books_balance *balance)
{
    struct books_balance b = *balance;
    write_account(write, now, "cpu", "", (struct account){b.cpu_ns, 0});
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        bool has_stack = i == OUTCOME_COMPLETE || i == OUTCOME_TRUNCATED;
        write_account(write, now, has_stack ? reason_outcome[i] : "failed", has_stack ? "" : reason_outcome[i],
                      session.books.outcomes[i]);
    }
    for (int i = 0; i < LOSS_COUNT; i++)
        write_account(write, now, "lost", reason_loss[i], b.lost[i]);
    for (int i = 0; i < UNSEEN_COUNT; i++) {
        session.told_unseen |= (b.unseen_ns[i] != 0) << i;
        if (session.told_unseen >> i & 1)
            write(session.recording.writer, now, "unseen", reason_unseen[i], b.unseen_ns[i], 0);
    }
    write_account(write, now, "residual", "", (struct account){b.residual_ns, 0});
    for (int i = 0; i < SUPPRESSION_COUNT; i++)
        write_account(write, now, "suppressed", reason_suppression[i], b.suppressed[i]);
}

/* Returns the process's CPU time in them. */
static int64_t write_accounts(jfr_write_book *write)
{
    struct books_balance b;
    uint64_t now = clock_monotonic_ns();
    books_balance(&session.books, &session.clock, &b);
    if (clock_counts(&session.clock))
        event_books_write(&session.event_books, &session.books, b.lost, session.recording.writer, write, now);
    else
        write_cpu_accounts(write, now, &b);
    for (int i = CAPTURE_GONE; i < CAPTURES; i++)
        write_account(write, now, "uncaptured", capture_names[i], session.snapshots.uncaptured[i]);
    write_account(write, now, "own_cost", "", (struct account){b.own_cost_ns, session.books.samples});
    return b.cpu_ns;
}

/* Beside the other accounts: how many samples have less of a context than their threads had. */
static void write_context_books(jfr_write_book *write)
{
    uint64_t now = clock_monotonic_ns();
    for (int i = 0; i < CONTEXT_LOSS_COUNT; i++) {
        struct account lost = {.count = atomic_load(&context_lost[i])};
        write_account(write, now, "context_lost", reason_context_loss[i], lost);
    }
}

static void write_books(void)
{
    write_context_books(jfr_write_book_line);
    if (samples_cpu())
        session.written_cpu_ns = write_accounts(jfr_write_book_line);
    wall_write(jfr_write_book_line);
    allocations_write(jfr_write_book_line, clock_monotonic_ns());
    live_write(jfr_write_book_line, clock_monotonic_ns());
    pauses_write(jfr_write_book_line, clock_monotonic_ns());
    locks_write(jfr_write_book_line, clock_monotonic_ns());
}

/* Where a chunk begins that may come to be the file's first: what its books are to be counted from, and what would else be gone. */
static void write_bases(void)
{
    char text[INTERNAL_FAULT_TEXT_MAX];
    struct jfr_writer *w = session.recording.writer;
    uint64_t now = clock_monotonic_ns();
    write_context_books(jfr_write_book_base);
    if (samples_cpu())
        write_accounts(jfr_write_book_base);
    wall_write(jfr_write_book_base);
    allocations_write(jfr_write_book_base, now);
    pauses_write(jfr_write_book_base, now);
    locks_write(jfr_write_book_base, now);
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++) {
        struct sampled_thread *t = &sampled_threads[i];
        if (atomic_load(&t->slot) != SLOT_LIVE)
            continue;
        names_thread(&session.recording.names, t);
        jfr_write_thread_base(w, now, names_thread_id(t), cpu_of(t), counter_get(&t->samples));
    }
    if (session.warning[0])
        jfr_write_log(w, now, "warning", session.warning);
    if (internal_fault_describe(text, sizeof text))
        jfr_write_log(w, now, "error", text);
}

/* Tells of `count` threads when they have become twice as many as those told of, or at the end. */
static void warn_of_threads(const char *what, uint32_t count, int error, const char *limits, uint32_t *told, bool at_end)
{
    char *text = session.warning;
    if (count == *told || (!at_end && count < 2 * *told))
        return;
    *told = count;
    snprintf(text, sizeof session.warning, "%u threads %s (%s); raise %s", count, what, strerror(-error), limits);
    jfr_write_log(session.recording.writer, clock_monotonic_ns(), "warning", text);
}

static void warn_of_clocks(bool at_end)
{
    static const char limits[] = "RLIMIT_NOFILE and RLIMIT_SIGPENDING";
    int error;
    uint32_t n = threads_with_timer(&error);
    warn_of_threads("have a timer in place of a perf event, and samples at the scheduler's ticks only", n, error,
                    limits, &session.told_with_timer, at_end);
    n = threads_without_kernel_stacks(&error);
    warn_of_threads("have stacks without the kernel's part", n, error, "kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK",
                    &session.told_without_kernel, at_end);
    n = threads_without_clock(&error);
    warn_of_threads("could not be given a clock", n, error, limits, &session.told_without_clock, at_end);
}

static void tell_of_unknown_cost(void)
{
    if (samples_cpu() && !session.books.signal_cost_ns)
        jfr_write_log(session.recording.writer, clock_monotonic_ns(), "info",
                      "what a sample costs beside its handler could not be measured: own_cost lacks it");
}

static struct budget_usage usage(uint64_t now)
{
    return (struct budget_usage){.wall_ns = now,
                                 .cpu_ns = clock_process_cpu(),
                                 .own_ns = books_own_cpu(),
                                 .samples = session.books.samples,
                                 .samples_ns = books_samples_ns(&session.books)};
}

static void keep_budget(uint64_t now)
{
    const struct budget_limits *limits = &session.options.limits;
    if (!limits->max_rate && !limits->max_overhead)
        return;
    struct budget_usage used = usage(now);
    clock_set_pace(budget_pace(&session.budget, &used));
    if (!budget_is_hopeless(&session.budget) || session.told_hopeless)
        return;
    session.told_hopeless = true;
    snprintf(session.warning, sizeof session.warning, "max-overhead cannot be kept: the agent's own thread alone takes more; raise it");
    jfr_write_log(session.recording.writer, now, "warning", session.warning);
}

static void tell_of_virtual_threads(void)
{
    char text[128];
    uint64_t beyond = session.recording.names.virtuals.beyond;
    if (!beyond)
        return;
    snprintf(text, sizeof text,
             "%llu samples are of virtual threads beyond the %d that a chunk names; they have no names",
             (unsigned long long)beyond, VIRTUALS_MAX);
    jfr_write_log(session.recording.writer, clock_monotonic_ns(), "info", text);
}

static void write_comparison(void)
{
    char name[64], value[32];
    if (handler_config.walker != WALKER_COMPARE)
        return;
    for (int i = 0; i < AGCT_VERDICTS; i++) {
        snprintf(name, sizeof name, "walker_%s", agct_verdict_names[i]);
        snprintf(value, sizeof value, "%llu", (unsigned long long)counter_get(&agct_verdicts[i]));
        jfr_write_setting(session.recording.writer, clock_monotonic_ns(), name, value);
    }
}

/* Of the events that the JVM tells of. */
static void describe_jvm_events(void)
{
    if (allocations_running())
        allocations_describe();
    if (live_running())
        live_describe();
    pauses_describe();
    if (locks_running())
        locks_describe();
}

static void describe(void)
{
    struct recording *r = &session.recording;
    char events[COLLECT_EVENTS_BYTES];
    if (samples_cpu())
        recording_describe(r, &session.clock, session.late);
    else
        recording_describe_without_clock(r, session.clock.interval_ns, session.late);
    if (records(COLLECT_WALL))
        recording_describe_wall(r, session.options.wall.interval_ns, session.options.wall.rate, !samples_cpu());
    describe_jvm_events();
    collect_events_text(events, session.options.events);
    recording_describe_events(r, clock_counts(&session.clock) ? session.clock.counter.name : events);
}

static void flush(void)
{
    if (recording_flush(&session.recording)) {
        snapshots_new_chunk(&session.snapshots);
        describe();
        if (keep_is_limited(&session.options.keep))
            write_bases();
    }
    session.flushed_cpu_ns = session.written_cpu_ns;
}

static void close_second(void)
{
    write_books();
    warn_of_clocks(false);
    flush();
}

static int choose_clock(enum clock_kind wanted, uint64_t interval_ns, struct error *e)
{
    const struct event_counter *counter = &session.options.counter;
    return counter->name[0] ? clock_choose_counting(&session.clock, wanted, counter, interval_ns, e)
                            : clock_choose(&session.clock, wanted, interval_ns, e);
}

/* Goes on with the best clock that works now. What the threads use meanwhile has no clock. */
static int change_clock(struct error *e)
{
    uint64_t own = books_own_cpu();
    threads_stop();
    uint64_t cpu = clock_process_cpu();
    drain(false);
    clock_stop();
    int rc = records(COLLECT_WALL) ? wall_reopen(e) : 0;
    if (!rc)
        rc = choose_clock(CLOCK_AUTO, session.clock.interval_ns, e);
    if (!rc)
        rc = clock_start(&session.clock, e);
    if (rc)
        return rc;
    rc = threads_resume();
    session.books.closed_unseen[UNSEEN_BEFORE_ARMING] += (int64_t)(clock_process_cpu() - cpu - (books_own_cpu() - own));
    session.bind_threads();
    return rc < 0 ? error_set(e, rc, "cannot list this process's threads: %s", strerror(-rc)) : 0;
}

/* The JVM takes SIGTRAP when it dies of something else than a fault (hot/traps.h): its report shall have no traps of ours. */
static void end_traps(const char *why)
{
    traps_hold_all();
    threads_stop();
    snprintf(session.warning, sizeof session.warning, "sampling ended: %s", why);
    jfr_write_log(session.recording.writer, clock_monotonic_ns(), "warning", session.warning);
}

/* Whoever else takes it goes on undisturbed, and so do we. */
static void leave_traps(const char *why)
{
    struct error e;
    bool was_forced = session.options.clock != CLOCK_AUTO;
    if (change_clock(&e)) {
        end_traps(e.text);
        return;
    }
    snprintf(session.warning, sizeof session.warning, "%s: clock=%s from here on%s", why, clock_names[session.clock.kind],
             was_forced ? ", not the one that was asked for" : "");
    jfr_write_log(session.recording.writer, clock_monotonic_ns(), "warning", session.warning);
    recording_describe_clock(&session.recording, &session.clock);
}

/* Often: a debugger takes every trap until it is seen, and the samples are lost. */
static void look_for_takers(void)
{
    uintptr_t taker = clock_taker();
    if (taker >= walk_libjvm_low && taker < walk_libjvm_high)
        end_traps("the JVM has taken SIGTRAP");
    else if (taker)
        leave_traps("something in the process has taken SIGTRAP");
    else if (session.clock.kind == CLOCK_SIGTRAP && tasks_are_traced())
        leave_traps("a debugger was attached, which catches SIGTRAP");
}

/* A handler of ours has faulted. */
static void disable(void)
{
    char text[INTERNAL_FAULT_TEXT_MAX];
    threads_stop();
    clock_mute_process();
    books_fault(&session.books, turn_first_fault().process_ns);
    internal_fault_describe(text, sizeof text);
    jfr_write_log(session.recording.writer, clock_monotonic_ns(), "error", text);
}

/* Nobody waits for it but this thread. */
static void dump_when_due(void)
{
    uint64_t now = clock_monotonic_ns(), bytes;
    struct recording *r = recording_now();
    struct error e;
    if (!dumps_want_look(&dumps, now) || !dumps_due(&dumps, now, clock_process_cpu()))
        return;
    recording_note(r, dumps.why);
    int rc = collect_dump(dumps.file, -1, 0, &bytes, &e);
    dumps_done(&dumps, now, rc ? &e : NULL);
    if (rc)
        jfr_write_log(r->writer, now, "warning", dumps.error);
}

static bool tick(void)
{
    uint64_t now = clock_monotonic_ns();
    if (threads_running() && turn_has_faulted())
        disable();
    else if (threads_running())
        look_for_takers();
    inject_crash(INJECT_IN_COLLECTOR);
    bool scan = now >= session.next_scan, close = now >= session.next_close || recording_wants_flush(&session.recording);
    if (scan) {
        session.next_scan = now + SCAN_PERIOD_NS;
        modules_update();
        threads_scan();
    }
    drain(close);
    allocations_tick(now);
    live_tick(now);
    pauses_tick(now);
    locks_tick(now);
    wall_tick(now);
    if (scan)
        keep_budget(now);
    if (close) {
        session.next_close = now + CLOSE_PERIOD_NS;
        close_second();
    }
    patience_turn(&session.patience);
    return !session.options.duration_ns || now - session.started < session.options.duration_ns;
}

bool collect_tick(void)
{
    bool goes_on = safepoint_running() ? safepoint_tick() : tick();
    dump_when_due();
    return goes_on;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t collect_patience_ns(void)
{
    if (safepoint_running())
        return safepoint_patience_ns();
    uint64_t now = clock_monotonic_ns(), due;
    /* The other events look at what changes meanwhile. */
    due = now + (session.options.events == COLLECT_CPU ? session.patience.period_ns : PERIOD_NS);
    due = earliest(due, session.next_close);
    if (session.options.duration_ns)
        due = earliest(due, session.started + session.options.duration_ns);
    if (wall_on())
        due = earliest(due, wall_due_ns());
    return due > now ? due - now : 0;
}

static int reserve_memory(struct error *e)
{
    session.pool_bytes = candor_pool_bytes(POOL_CHUNKS, POOL_CHUNK_WORDS);
    session.pool_memory = mmap(NULL, session.pool_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (session.pool_memory == MAP_FAILED || thread_table_init() || method_table_init(NAMES_ARENA_BYTES) ||
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
    allocations_stop();
    live_stop();
    pauses_stop();
    locks_stop();
    wall_close();
    snapshots_end(&session.snapshots);
    method_table_deinit();
    thread_table_deinit();
    agct_deinit();
    native_deinit();
    kallsyms_close();
}

/* A signal may be pending in a thread that blocks it; taking the handler away would then let its default action kill the
 * process. Such a handler stays until the next stop. */
static void remove_handlers(void)
{
    struct timespec pause = {.tv_nsec = STOP_WAIT_NS};
    bool removed = clock_stop();
    for (int i = 0; i < STOP_WAIT_STEPS && !removed; i++) {
        nanosleep(&pause, NULL);
        removed = clock_stop();
    }
    fault_remove();
}

static int choose_walker(enum walker wanted, bool carrier_frames, struct error *e)
{
    if (wanted == WALKER_AUTO)
        wanted = vm_layout.usable || !agct.function ? WALKER_VMSTRUCTS : WALKER_AGCT;
    if (wanted != WALKER_VMSTRUCTS && !agct.function)
        return error_set(e, -ENOTSUP, "this JVM has no AsyncGetCallTrace");
    handler_config.walker = wanted;
    handler_config.carrier_frames = carrier_frames || wanted == WALKER_COMPARE; /* AsyncGetCallTrace has them */
    if (wanted == WALKER_VMSTRUCTS)
        return 0;
    agct.prepare();
    return agct_init() ? error_set(e, -ENOMEM, "not enough address space") : 0;
}

/* What no table of the JVM leads to, only the library's symbols do, where they were left in: the operation it is at, and, of some JVMs, its
 * counters. */
static void find_by_symbols(void)
{
    if (!vm_layout.vm_operation && walk_libjvm_low)
        vm_layout.vm_operation = native_data(walk_libjvm_low, "_ZN8VMThread17_cur_vm_operationE");
    if (!counters.found && walk_libjvm_low)
        counters_find_at(native_data(walk_libjvm_low, "_ZN10PerfMemory6_startE"));
}

/* What the JVM tells of. The event lock comes last: it is undone by its end alone. */
static int start_events(struct error *e)
{
    int rc = records(COLLECT_HALT) ? pauses_start(&session.recording, e) : 0;
    if (!rc && records(COLLECT_LIVE))
        rc = live_start(&session.options.live, &session.recording, e);
    if (!rc && records(COLLECT_ALLOC))
        rc = allocations_start(&session.options.alloc, &session.recording, e);
    if (!rc && records(COLLECT_LOCK))
        rc = locks_start(&session.options.lock, &session.recording, session.outcome_symbols, e);
    return rc;
}

static int start_sampling(bool (*recompile)(void), void (*bind_threads)(void), struct error *e)
{
    int rc = fault_install();
    if (rc)
        return error_set(e, rc, "cannot install the fault handler: %s", strerror(-rc));
    if (jvm_facts.debug_info_is_late && !code_sparse_until)
        code_sparse_until = compilations_newest();
    if (recompile && !recompile()) {
        fault_remove();
        return error_set(e, -ENOTSUP, "this JVM does not let go of its compiled code; record without recompile");
    }
    uint64_t signal_cost = samples_cpu() ? calibrate_signal_cost(&session.clock, &session.pool) : 0;
    /* The calibration has set all signals back. */
    rc = records(COLLECT_WALL) ? wall_reopen(e) : 0;
    rc = rc ? rc : clock_start(&session.clock, e);
    if (rc) {
        fault_remove();
        return rc;
    }
    books_open(&session.books, signal_cost);
    struct budget_usage none = usage(clock_monotonic_ns());
    budget_begin(&session.budget, &session.options.limits, session.clock.interval_ns, &none);
    modules_update();
    rc = threads_start(&session.pool, (int)syscall(SYS_gettid));
    if (rc < 0) {
        threads_stop();
        remove_handlers();
        return error_set(e, rc, "cannot list this process's threads: %s", strerror(-rc));
    }
    session.bind_threads = bind_threads;
    bind_threads();
    rc = start_events(e);
    if (rc) {
        allocations_silence();
        threads_stop();
        drain(false); /* the event live gives back the references that have come meanwhile */
        remove_handlers();
        return rc;
    }
    if (records(COLLECT_WALL))
        wall_begin(&session.recording, session.outcome_symbols);
    return 0;
}

static void begin_books(void)
{
    uint64_t now = clock_monotonic_ns();
    session.started = now;
    session.next_scan = now;
    session.next_close = now + CLOSE_PERIOD_NS;
    patience_begin(&session.patience, PERIOD_NS);
    session.random = now | 1;
    session.execution_samples = 0;
    for (int i = 0; i < OUTCOME_COUNT; i++)
        session.outcome_symbols[i] = strtab_add_text(&session.recording.names.strings, reason_outcome[i]);
    for (int i = 0; i < CONTEXT_LOSS_COUNT; i++)
        atomic_store(&context_lost[i], 0);
}

/* What a recording samples with: a clock for each thread, unless none has samples of CPU time; a signal for the event wall. */
static int choose_triggers(const struct collect_options *options, struct error *e)
{
    int rc = records(COLLECT_WALL) ? wall_open(&options->wall, e) : 0;
    session.clock = (struct clock){.kind = CLOCK_NONE, .kernel = true, .interval_ns = options->interval_ns};
    return rc || !samples_cpu() ? rc : choose_clock(options->clock, options->interval_ns, e);
}

static int start(const struct collect_options *options, bool late, bool (*recompile)(void), void (*bind_threads)(void),
                 struct error *e)
{
    memset(&session, 0, sizeof session);
    session.options = *options;
    session.late = late;
    find_by_symbols(); /* which may take a tenth of a second: before the recording begins */
    int rc = choose_triggers(options, e);
    if (!rc)
        rc = choose_walker(options->walker, options->carrier_frames, e);
    if (!rc)
        rc = reserve_memory(e);
    if (!rc && records(COLLECT_ALLOC))
        rc = allocations_reserve(e);
    if (!rc && records(COLLECT_LOCK))
        rc = locks_reserve(e);
    if (!rc)
        rc = recording_open(&session.recording, options->file, options->passed ? options->descriptor : -1,
                            options->duration_ns, &options->keep, collect_without(options), e);
    if (rc) {
        clock_stop();
        release_memory();
        return rc;
    }
    session.recording.jfr = options->jfr;
    rc = options->code ? snapshots_begin(&session.snapshots, &session.recording, e) : 0;
    handler_config.compilations = options->code;
    if (rc) {
        clock_stop();
        recording_abandon(&session.recording);
        release_memory();
        return rc;
    }
    begin_books();
    describe();
    rc = start_sampling(recompile, bind_threads, e);
    if (rc) {
        clock_stop();
        recording_abandon(&session.recording);
        release_memory();
        return rc;
    }
    describe_jvm_events();
    session.running = true;
    return 0;
}

/* Relaxed: it is a bound of patience, and leads to nothing else. */
static _Atomic uint64_t walks_ns;

static void allow_walks(uint64_t of_dump)
{
    uint64_t of_end = session.running ? session.options.live.paths_ns : 0;
    atomic_store_explicit(&walks_ns, 2 * (of_end + of_dump), memory_order_relaxed);
}

uint64_t collect_walks_ns(void)
{
    return atomic_load_explicit(&walks_ns, memory_order_relaxed);
}

/* A recording that cannot do what it was asked to does not begin: here it has, and is undone. */
static int begin_dumps(const struct dumps_options *options, struct error *e)
{
    struct recording *r = recording_now();
    uint64_t bytes, samples;
    struct error ignored;
    int rc = dumps_begin(&dumps, options, r, e);
    if (rc)
        collect_stop(&bytes, &samples, &ignored);
    if (rc && !r->passed)
        unlink(r->path);
    return rc;
}

int collect_start(const struct collect_options *options, bool late, bool (*recompile)(void), void (*bind_threads)(void),
                  struct error *e)
{
    char fault[INTERNAL_FAULT_TEXT_MAX];
    if (collect_running())
        return error_set(e, -EBUSY, "already recording to %s; stop that first",
                         safepoint_running() ? safepoint_file() : session.options.file);
    if (internal_fault_describe(fault, sizeof fault))
        return error_set(e, -EFAULT, "%s; this JVM can be recorded again when it has been restarted", fault);
    int rc = options->events == COLLECT_SAFEPOINT ? safepoint_start(options, late, e)
                                                 : start(options, late, recompile, bind_threads, e);
    allow_walks(0);
    return rc ? rc : begin_dumps(&options->dumps, e);
}

static int dump(const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e)
{
    drain(false);
    live_write_survivors(paths_ns);
    if (paths_ns)
        drain(false); /* threads ran between walks */
    write_books();
    flush();
    return recording_dump(&session.recording, file, passed, bytes, e);
}

int collect_dump(const char *file, int passed, uint64_t paths_ns, uint64_t *bytes, struct error *e)
{
    if (collect_running() && paths_ns && !live_running())
        return error_set(e, -EINVAL, "paths are of the event live, which this recording does not have; record with event=live");
    if (safepoint_running())
        return safepoint_dump(file, passed, bytes, e);
    if (!session.running)
        return error_set(e, -ENOENT, "no recording is running");
    allow_walks(paths_ns);
    int rc = dump(file, passed, paths_ns, bytes, e);
    allow_walks(0);
    return rc;
}

/* Of events that the JVM tells of. */
static uint64_t samples_of_callbacks(void)
{
    return (records(COLLECT_ALLOC) ? allocations_samples() : 0) + (records(COLLECT_LOCK) ? locks_samples() : 0);
}

int collect_stop(uint64_t *bytes, uint64_t *samples, struct error *e)
{
    uint64_t wall_lost, pauses, pauses_lost;
    if (safepoint_running())
        return safepoint_stop(bytes, samples, e);
    if (!session.running)
        return error_set(e, -ENOENT, "no recording is running");
    wall_end(drain_now);
    locks_end();
    allocations_silence();
    threads_stop();
    drain(false);
    books_end(&session.books);
    pauses_end();
    live_write_survivors(session.options.live.paths_ns);
    write_books();
    write_comparison();
    warn_of_clocks(true);
    tell_of_unknown_cost();
    tell_of_virtual_threads();
    remove_handlers();
    int rc = recording_close(&session.recording, bytes, e);
    wall_counts(samples, &wall_lost);
    pauses_counts(&pauses, &pauses_lost);
    *samples += pauses;
    *samples += session.books.samples + samples_of_callbacks();
    release_memory();
    session.running = false;
    allow_walks(0);
    return rc;
}

static void silence(void *unused)
{
    native_abandon();
    allocations_silence();
    locks_silence();
    threads_abandon();
    clock_mute_process();
}

/* The books of the last flush stand in the file. What was used since, nobody will see. */
static void write_last_words(void *unused)
{
    char text[INTERNAL_FAULT_TEXT_MAX];
    int64_t cpu = (int64_t)(clock_process_cpu() - session.books.cpu_at_start);
    uint64_t now = clock_monotonic_ns(), bytes;
    struct error e;
    internal_fault_describe(text, sizeof text);
    if (recording_reopen(&session.recording, &e))
        return;
    jfr_write_log(session.recording.writer, now, "error", text);
    write_account(jfr_write_book_line, now, "cpu", "", (struct account){cpu, 0});
    write_account(jfr_write_book_line, now, "unseen", reason_unseen[UNSEEN_INTERNAL_FAULT],
                  (struct account){cpu - session.flushed_cpu_ns, 0});
    recording_close(&session.recording, &bytes, &e);
}

void collect_abandon(struct turn *turn)
{
    bool was_running = session.running;
    session.running = false;
    turn_take(turn, silence, NULL);
    /* A fault in the C library may have left its locks taken: whoever then allocates, hangs. */
    if (was_running && !turn_first_fault().elsewhere)
        turn_take(turn, write_last_words, NULL);
}

void collect_status(struct collect_status *out)
{
    struct books_balance b;
    uint64_t wall_samples, wall_lost, pauses, pauses_lost;
    memset(out, 0, sizeof *out);
    internal_fault_describe(out->fault, sizeof out->fault);
    out->dumps = &dumps;
    if (safepoint_running())
        safepoint_status(out);
    if (!session.running)
        return;
    out->jfr = session.options.jfr;
    out->keep = session.options.keep;
    out->kept_ns = recording_kept_ns(&session.recording);
    books_balance(&session.books, &session.clock, &b);
    snprintf(out->file, sizeof out->file, "%s", session.options.file);
    snprintf(out->warning, sizeof out->warning, "%s", session.warning);
    if (session.recording.failed)
        snprintf(out->error, sizeof out->error, "%s", session.recording.error.text);
    out->events = session.options.events;
    out->wall_interval_ns = session.options.wall.interval_ns;
    out->paths_ns = session.options.live.paths_ns;
    out->clock = session.clock;
    out->interval_ns = session.clock.interval_ns;
    out->pace_ns = session.budget.pace_ns;
    out->resolution_ns = samples_cpu() ? machine_clock_resolution_ns(&session.clock) : 0;
    out->elapsed_ns = clock_monotonic_ns() - session.started;
    out->samples = session.books.samples + samples_of_callbacks();
    out->lost = allocations_lost() + locks_lost();
    for (int i = 0; i < LOSS_COUNT; i++)
        out->lost += b.lost[i].count;
    wall_counts(&wall_samples, &wall_lost);
    pauses_counts(&pauses, &pauses_lost);
    out->samples += wall_samples + pauses;
    out->lost += wall_lost + pauses_lost;
    out->bytes = recording_size(&session.recording);
    out->cpu_ns = b.cpu_ns;
    out->threads = threads_armed();
}
