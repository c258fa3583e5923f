#include "agent/collect/wall/wall.h"

#include "agent/collect/clock/thin.h"
#include "agent/collect/wall/unmounted.h"
#include "agent/collect/wall/wall_books.h"
#include "agent/hot/calls/unmounts.h"
#include "agent/hot/context.h"
#include "agent/hot/java/virtual.h"
#include "agent/hot/load.h"
#include "agent/hot/record.h"
#include "agent/hot/signal/handler.h"
#include "agent/hot/walk/walk.h"
#include "agent/trigger/clocks/clock.h"
#include "agent/trigger/signals/ask.h"
#include "agent/trigger/tasks/subset.h"
#include "agent/trigger/tasks/task_state.h"
#include "agent/trigger/threads.h"
#include "base/text/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_STEP_NS = 5000000, WAIT_STEPS = 100, TRIES = 3, LOOKS_REMEMBERED = 16 };

/* The place at which a thread sleeps. */
struct place {
    uint64_t sp, pc, fp, state, monitor;
};

/* A slot's thread at the last look. */
struct looked {
    uint32_t uid; /* of its thread; 0 = there is none */
    struct task_state task;
    uint32_t forgotten;           /* names.forgotten at that time; if it differs, the stack's id is no longer valid */
    bool slept;                   /* the thread slept, and its CPU clock has not changed since then */
    bool known;                   /* likewise, and the stack and what follows it are valid while its place does not change, either */
    uint64_t cpu_ns;              /* its CPU clock */
    int64_t credit_ns;            /* time that it ran and that no sample has reported yet; negative: reported in advance */
    uint32_t short_of_processors; /* processors were scarce for it; counts down with each look at which it runs */
    struct place place;
    uint32_t stack;
    enum outcome outcome;
    struct waiting waiting;
};

/* A sample before it is written. */
struct sample {
    uint32_t thread, carrier, stack, context;
    enum outcome outcome;
    struct waiting as;
    bool same_wait; /* the thread has not run since the look before this one */
};

/* The state of one recording. */
static struct wall_sink {
    struct jfr_writer *writer; /* NULL = there is none */
    struct wall_options options;
    bool alone; /* the recording has no samples of CPU time */
    struct thin thin;
    uint64_t every; /* for its samples: the time of threads that one stands for; 0 = it takes all samples */
    struct wall_taken taken;
} wall_sinks[JFR_TEE_MAX];

#define EACH_SINK(s)                                                                                                                       \
    for (struct wall_sink *s = wall_sinks; s < wall_sinks + JFR_TEE_MAX; s++)                                                              \
        if (s->writer)

static struct {
    struct wall_options options; /* the options of the most demanding recording */
    struct recording *recording;
    const uint32_t *outcome_symbols;
    uint32_t evidence_symbols[EVIDENCES];
    struct wall_books books;
    struct looked *looked;    /* by slot */
    struct wall_life *lives;  /* by slot */
    uint32_t *alive, *chosen; /* slots; places in `alive` */
    uint32_t most;            /* the most threads that a round chooses, for which `chosen` has room */
    uint64_t began_ns, due, random;
    uint64_t frames[RECORD_WORDS_MAX];
} wall;

/* Adopts an interval and a rate. Returns 0 or -ENOMEM. An error changes nothing. */
static int want(const struct wall_options *options)
{
    uint64_t most = options->rate * (options->interval_ns / 1000) / 1000000;
    most = most < WALL_LOOKS_LEAST ? WALL_LOOKS_LEAST : most < THREADS_MAX ? most : THREADS_MAX;
    uint32_t *chosen = realloc(wall.chosen, most * sizeof *chosen);
    if (!chosen)
        return -ENOMEM;
    wall.chosen = chosen;
    wall.most = (uint32_t)most;
    wall.options = *options;
    return 0;
}

static int reserve(const void *given, struct error *e)
{
    memset(&wall, 0, sizeof wall);
    memset(wall_sinks, 0, sizeof wall_sinks);
    if (!vm_layout.usable)
        return error_set(e, -ENOTSUP, "event=wall needs this JVM's tables, which cannot be read; use event=safepoint");
    wall.looked = calloc(THREADS_MAX, sizeof *wall.looked);
    wall.lives = calloc(THREADS_MAX, sizeof *wall.lives);
    wall.alive = calloc(THREADS_MAX, sizeof *wall.alive);
    if (want(given) || unmounted_reserve() || !wall.looked || !wall.lives || !wall.alive || wait_state_init())
        return error_set(e, -ENOMEM, "not enough memory for the event wall");
    return ask_open(e);
}

/* Starts the event. The first round comes after a random part of the interval. */
static int start(const struct part_of *of, struct error *e)
{
    uint64_t now = clock_monotonic_ns();
    wall.recording = of->recording;
    wall.outcome_symbols = of->outcome_symbols;
    wall.began_ns = now;
    wall.random = now | 1;
    wall.due = now + 1 + handler_random(&wall.random) % wall.options.interval_ns;
    for (int i = 0; i < EVIDENCES; i++)
        wall.evidence_symbols[i] = strtab_add_text(&wall.recording->names.strings, evidence_names[i]);
    wall_books_open(&wall.books, now);
    ask_forget();
    unmounted_start(now);
    return 0;
}

/* ---- recordings come and go ---- */

static void draw_due(void)
{
    uint64_t due = clock_monotonic_ns() + 1 + handler_random(&wall.random) % wall.options.interval_ns;
    wall.due = due < wall.due ? due : wall.due;
}

static int want_most(void)
{
    struct wall_options o = {.interval_ns = UINT64_MAX};
    EACH_SINK(s)
    {
        o.interval_ns = s->options.interval_ns < o.interval_ns ? s->options.interval_ns : o.interval_ns;
        o.rate = s->options.rate > o.rate ? s->options.rate : o.rate;
    }
    return o.rate ? want(&o) : 0;
}

static int join(const struct part_sink *sink, struct error *e)
{
    struct wall_sink *s = &wall_sinks[sink->number];
    const struct wall_options *options = sink->options;
    *s = (struct wall_sink){.writer = sink->writer, .options = *options, .alone = !sink->has_cpu};
    s->thin.random = handler_random(&wall.random) | 1;
    s->taken.collector_is_counted = sink->has_cpu;
    if (want_most()) {
        s->writer = NULL;
        return error_set(e, -ENOMEM, "not enough memory for the event wall");
    }
    draw_due();
    return 0;
}

/* Removes a recording. The most demanding of the others then determines the options; this cannot fail for lack of memory. */
static void leave(uint32_t sink)
{
    wall_sinks[sink].writer = NULL;
    want_most();
}

/* Returns the time of threads that a sample stands for if this many threads are alive. */
static uint64_t share_of(const struct wall_options *o, uint32_t alive)
{
    uint64_t by_rate = alive * UINT64_C(1000000000) / o->rate;
    return by_rate > o->interval_ns ? by_rate : o->interval_ns;
}

static void choose_shares(uint32_t alive)
{
    uint64_t of_round = share_of(&wall.options, alive);
    EACH_SINK(s)
    {
        uint64_t own = share_of(&s->options, alive);
        s->every = own > of_round ? own : 0;
    }
}

static void write_number(const char *name, uint64_t value, uint64_t now)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    jfr_write_setting(wall.recording->writer, now, name, text);
}

static void describe(uint32_t sink)
{
    const struct wall_sink *s = &wall_sinks[sink];
    uint64_t now = clock_monotonic_ns();
    char period[32];
    struct jfr_writer *w = wall.recording->writer;
    units_format_duration(period, sizeof period, s->options.interval_ns);
    if (s->alone) {
        jfr_write_active_setting(w, now, "jdk.ExecutionSample", "enabled", "true");
        jfr_write_active_setting(w, now, "jdk.ExecutionSample", "period", period);
    }
    jfr_write_active_setting(w, now, "candor.WallSample", "enabled", "true");
    jfr_write_active_setting(w, now, "candor.WallSample", "period", period);
    write_number("wall_interval_ns", s->options.interval_ns, now);
    write_number("wall_rate", s->options.rate, now);
    if (vm_layout.virtuals.usable || unmounted_is_seen())
        jfr_write_setting(w, now, "wall_virtual_threads", unmounted_is_seen() ? "seen" : "mounted");
}

static void forget(struct looked *k)
{
    if (k->uid)
        task_state_close(&k->task);
    k->uid = 0;
}

static void release(void)
{
    for (uint32_t i = 0, limit = wall.looked ? threads_limit() : 0; i < limit; i++)
        forget(&wall.looked[i]);
    free(wall.looked);
    free(wall.lives);
    free(wall.alive);
    free(wall.chosen);
    wait_state_deinit();
    unmounted_release();
    memset(&wall, 0, sizeof wall);
}

/* ---- samples ---- */

/* Writes jdk.ExecutionSample events, because other tools count events. A recording without CPU time has one per interval in which a thread
 * ran. */
static void write_execution_samples(const struct wall_sink *sink, const struct jfr_wall_sample *s)
{
    uint64_t interval = sink->options.interval_ns, n = s->weight_ns / interval;
    n += handler_random(&wall.random) % interval < s->weight_ns % interval;
    while (n--)
        jfr_write_execution_sample(sink->writer, s->ticks, s->thread, s->stack, s->state);
}

static void put_sample(struct wall_sink *sink, struct jfr_wall_sample event, const struct sample *s)
{
    event.weight_ns = thin_take(&sink->thin, sink->every, event.weight_ns);
    if (!event.weight_ns)
        return;
    if (sink->alone && jfr_state_runs(s->as.state))
        write_execution_samples(sink, &event);
    uint64_t dropped = jfr_writer_dropped(sink->writer);
    jfr_write_wall_sample(sink->writer, &event);
    if (jfr_writer_dropped(sink->writer) == dropped)
        wall_books_sample(&sink->taken, s->as.state, s->as.evidence, s->outcome, event.weight_ns);
    else
        wall_books_drop(&sink->taken, event.weight_ns);
}

static void write_sample(uint64_t ticks, const struct sample *s, uint64_t ns)
{
    struct jfr_wall_sample event = {.ticks = ticks,
                                    .thread = s->thread,
                                    .carrier = s->carrier,
                                    .stack = s->stack,
                                    .weight_ns = ns,
                                    .outcome = wall.outcome_symbols[s->outcome],
                                    .evidence = wall.evidence_symbols[s->as.evidence],
                                    .context = s->context,
                                    .state = s->as.state,
                                    .same_wait = s->same_wait};
    EACH_SINK(sink)
    put_sample(sink, event, s);
}

static void name_thread(struct sample *s, const struct sampled_thread *t, const uint64_t *virtual_words, size_t count)
{
    struct names *names = &wall.recording->names;
    names_thread(names, t);
    s->thread = names_thread_id(t);
    if (!count)
        return;
    s->carrier = s->thread;
    s->thread = names_virtual_thread(names, virtual_words, count);
}

/* Returns the state of a thread that runs. If the JVM's state says that the thread waits, it is inside the JVM, on its way into the wait or
 * out of it. */
static enum jfr_thread_state running_state(enum jfr_thread_state jvm)
{
    return jfr_state_runs(jvm) ? jvm : JFR_STATE_VM;
}

/* Takes a record that a handler has left. */
static bool take(const struct sampled_thread *t, uint64_t *record, size_t words)
{
    uint64_t last = record[words - 1], ready = record[3] >> RECORD_READY_SHIFT;
    if (!(last & RECORD_OF_WALL))
        return false;
    enum jfr_thread_state jvm = (enum jfr_thread_state)(record[3] & 0xff);
    struct sample s = {.outcome = (enum outcome)record_outcome(last)};
    struct names *names = &wall.recording->names;
    size_t virtual_words = record_virtual_words(last), context_words = record_context_words(last);
    size_t frames = words - RECORD_HEAD - 1 - virtual_words - context_words;
    const uint64_t *tail = record + RECORD_HEAD + frames;
    name_thread(&s, t, tail, virtual_words);
    s.context = names_context(names, tail + virtual_words, context_words);
    s.stack = outcome_has_stack(s.outcome) ? names_stack(names, record + RECORD_HEAD, frames, ROLE_OTHER, s.outcome == OUTCOME_TRUNCATED)
                                           : names_failed_stack(names, s.outcome, record[2]);
    s.as = (struct waiting){running_state(jvm), EVIDENCE_CLOCK};
    write_sample(record[0], &s, record[1] - ready);
    s.as.state = JFR_STATE_READY;
    write_sample(record[0], &s, ready);
    return true;
}

/* ---- threads that sleep ---- */

static bool read_place(uintptr_t java_thread, struct place *p)
{
    const struct vm_layout *l = &vm_layout;
    uintptr_t anchor = java_thread + l->thread_anchor.offset;
    p->monitor = 0;
    return load_field(java_thread, l->thread_state, &p->state) && load_u64(anchor + l->anchor_sp, &p->sp) &&
           load_u64(anchor + l->anchor_pc, &p->pc) && load_u64(anchor + l->anchor_fp, &p->fp) &&
           (!l->thread_pending_monitor.width || load_field(java_thread, l->thread_pending_monitor, &p->monitor));
}

static bool is_same_place(const struct place *a, const struct place *b)
{
    return a->sp == b->sp && a->pc == b->pc && a->fp == b->fp && a->state == b->state && a->monitor == b->monitor;
}

static size_t describe_virtual(const struct walk *w, int64_t carrier, uint64_t words[RECORD_VIRTUAL_MAX])
{
    bool mounted = walk_is_virtual(w) || (w->outcome != OUTCOME_COMPLETE && virtual_is_mounted(w->java_thread));
    return vm_layout.virtuals.usable && mounted ? virtual_describe(w->java_thread, w->state, w->virtuals.entry, carrier, words) : 0;
}

/* The result of a look at a sleeping thread, before it is known whether the thread kept sleeping. */
struct found {
    struct walk walk;
    size_t frames, virtual_words, context_words;
    uint64_t words[RECORD_VIRTUAL_MAX], context[CONTEXT_WORDS_MAX];
};

static void walk_thread(const struct sampled_thread *t, uintptr_t java_thread, struct found *f)
{
    f->frames = 0;
    walk_begin_still(&f->walk, java_thread);
    f->walk.virtuals.carrier_frames = handler_config.carrier_frames;
    while (f->frames < FRAMES_MAX && walk_next(&f->walk, &wall.frames[f->frames]))
        f->frames++;
    f->virtual_words = describe_virtual(&f->walk, t->java_id, f->words);
    f->context_words = context_copy(context_of_thread(t->tid, thread_pointer_of(t)), f->context);
}

/* Whether the thread still sleeps at the same place, and has slept without interruption. */
static bool slept_on(const struct sampled_thread *t, uintptr_t java_thread, const struct place *p, uint64_t cpu)
{
    struct place now;
    return read_place(java_thread, &now) && is_same_place(&now, p) && clock_thread_cpu(t->tid) == cpu &&
           atomic_load(&t->java_thread) == java_thread;
}

static void remember(struct looked *k, const struct sample *s, const struct place *p, uint32_t forgotten)
{
    k->known = true;
    k->place = *p;
    k->stack = s->stack;
    k->outcome = s->outcome;
    k->waiting = s->as;
    k->forgotten = forgotten;
}

static void take_found(struct looked *k, const struct sampled_thread *t, struct found *f, const struct place *p, uint64_t ns)
{
    struct names *names = &wall.recording->names;
    struct sample s = {.outcome = f->walk.outcome, .same_wait = k->slept};
    bool whole = outcome_has_stack(s.outcome);
    s.as = wait_state(f->walk.state, vm_layout.thread_pending_monitor.width, p->monitor, whole && f->frames ? wall.frames[0] : 0);
    name_thread(&s, t, f->words, f->virtual_words);
    s.context = names_context(names, f->context, f->context_words);
    s.stack = whole ? names_stack(names, wall.frames, f->frames, ROLE_OTHER, s.outcome == OUTCOME_TRUNCATED)
                    : names_failed_stack(names, s.outcome, 0);
    write_sample(clock_monotonic_ns(), &s, ns);
    k->slept = true;
    k->known = false;
    if (!f->virtual_words) /* because ids of virtual threads are valid in one chunk only */
        remember(k, &s, p, names->forgotten);
}

static void take_known(const struct looked *k, const struct sampled_thread *t, uint64_t ns, const uint64_t *context, size_t words)
{
    struct sample s = {.stack = k->stack,
                       .outcome = k->outcome,
                       .as = k->waiting,
                       .context = names_context(&wall.recording->names, context, words),
                       .same_wait = true};
    name_thread(&s, t, NULL, 0);
    write_sample(clock_monotonic_ns(), &s, ns);
}

/* Takes a sample of a sleeping thread. Returns false if the thread has moved. A thread that sleeps in Java code is inside the kernel, or in
 * a call without an anchor. Its stack cannot be read from another thread. */
static bool look_at_sleeper(struct looked *k, const struct sampled_thread *t, uintptr_t java_thread, uint64_t cpu, uint64_t ns)
{
    static struct found f; /* too large for this thread's stack */
    uint64_t context[CONTEXT_WORDS_MAX];
    struct place p;
    if (!read_place(java_thread, &p))
        return false;
    if (k->known && k->forgotten == wall.recording->names.forgotten && is_same_place(&k->place, &p)) {
        size_t words = context_copy(context_of_thread(t->tid, thread_pointer_of(t)), context);
        if (atomic_load(&t->java_thread) != java_thread || (words && clock_thread_cpu(t->tid) != cpu))
            return false;
        wall.books.looks[WALL_SAME]++;
        take_known(k, t, ns, context, words);
        return true;
    }
    walk_thread(t, java_thread, &f);
    if (!slept_on(t, java_thread, &p, cpu))
        return false;
    wall.books.looks[WALL_STILL]++;
    take_found(k, t, &f, &p, ns);
    return true;
}

/* ---- rounds ---- */

/* Returns, for a thread that could run, how much of the sample's time it ran. A thread whose CPU clock advances now is running. But the
 * agent's own thread, which takes the look, has taken a processor from another thread. So if processors are scarce, the result is the
 * thread's CPU time that no sample has reported yet; for a thread that runs now, a weight is added in advance. */
static uint64_t time_run(struct looked *k, bool runs_now, uint64_t ns)
{
    int64_t weight = (int64_t)ns, running = k->credit_ns;
    if (runs_now)
        running = k->short_of_processors ? running + weight : weight;
    running = running < 0 ? 0 : running > weight ? weight : running;
    k->credit_ns -= running;
    if (!runs_now)
        k->short_of_processors = LOOKS_REMEMBERED;
    else if (k->short_of_processors)
        k->short_of_processors--;
    return (uint64_t)running;
}

static void ask_runner(struct looked *k, struct sampled_thread *t, bool runs_now, uint64_t ns)
{
    uint64_t running = time_run(k, runs_now, ns);
    wall.books.looks[WALL_ASKED]++;
    k->slept = k->known = false;
    ask(t, running, ns - running);
}

static void note_cpu(struct looked *k, uint64_t cpu)
{
    k->slept = k->slept && cpu == k->cpu_ns;
    k->known = k->known && k->slept;
    k->credit_ns += (int64_t)(cpu - k->cpu_ns);
    k->cpu_ns = cpu;
}

/* Returns the CPU time of a thread up to which no credit is given: its CPU time when it was armed. If that was before this event began, it
 * is the least CPU time that the thread can have had when this event began. */
static uint64_t first_cpu(const struct sampled_thread *t)
{
    uint64_t cpu = clock_thread_cpu(t->tid), most = clock_monotonic_ns() - wall.began_ns;
    return cpu > most && cpu - most > t->clock.cpu_at_arming ? cpu - most : t->clock.cpu_at_arming;
}

/* The CPU clock is read before the state. If the thread sleeps then, and its clock is the same afterwards, it has slept all the time
 * in between. Otherwise it is looked at again, because it may sleep again. */
static void look_at(struct sampled_thread *t, uint64_t ns)
{
    struct looked *k = &wall.looked[t->index];
    uint64_t cpu = 0;
    if (k->uid != t->uid) {
        forget(k);
        *k = (struct looked){.uid = t->uid, .cpu_ns = first_cpu(t)};
        task_state_open(&k->task, t->tid);
    }
    for (int i = 0; i < TRIES; i++) {
        uintptr_t java_thread = atomic_load(&t->java_thread);
        cpu = clock_thread_cpu(t->tid);
        char state = task_state_read(&k->task);
        if (!java_thread || !cpu || !state) {
            wall_books_ended(&wall.books, ns);
            return;
        }
        note_cpu(k, cpu);
        if (state == 'R')
            break;
        if (look_at_sleeper(k, t, java_thread, cpu, ns))
            return;
        wall.books.looks[WALL_MOVED]++;
    }
    ask_runner(k, t, clock_thread_cpu(t->tid) > cpu, ns);
}

/* Takes a sample of a virtual thread without a carrier. Its frames are copied, because naming changes them. */
static void take_unmounted(const struct unmounted_thread *t, uint64_t ns)
{
    struct names *names = &wall.recording->names;
    const uint64_t *tail = t->words + t->frames;
    struct sample s = {.outcome = t->outcome, .as = {t->state, EVIDENCE_METHOD}};
    size_t of_report = names_of_report(t->words, t->frames), frames = t->frames - of_report;
    memcpy(wall.frames, t->words + of_report, frames * sizeof *wall.frames);
    s.thread = names_virtual_thread(names, tail, t->virtual_words);
    s.context = names_context(names, tail + t->virtual_words, t->context_words);
    s.stack = outcome_has_stack(s.outcome) ? names_stack(names, wall.frames, frames, ROLE_OTHER, s.outcome == OUTCOME_TRUNCATED)
                                           : names_failed_stack(names, s.outcome, 0);
    write_sample(clock_monotonic_ns(), &s, ns);
}

static uint32_t list_alive(uint64_t now, uint64_t before)
{
    uint32_t count = 0;
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++) {
        const struct sampled_thread *t = &sampled_threads[i];
        if (atomic_load(&t->slot) != SLOT_LIVE || !atomic_load(&t->java_thread))
            continue;
        wall.alive[count++] = i;
        wall_books_alive(&wall.books, &wall.lives[i], t, now, before);
    }
    return count;
}

static uint32_t go_round(uint64_t now)
{
    uint64_t before = wall.books.last_round;
    uint32_t alive = list_alive(now, before);
    choose_shares(alive);
    uint32_t chosen = subset_draw(&wall.random, alive, wall.most, wall.chosen);
    wall_books_round(&wall.books, now, alive, chosen);
    for (uint32_t i = 0; i < chosen; i++)
        look_at(&sampled_threads[wall.alive[wall.chosen[i]]], subset_weight(now - before, alive, chosen, i));
    chosen += unmounted_round(now, take_unmounted);
    wall.books.unmounted = unmounted_books();
    return chosen;
}

/* Returns the mean time between rounds, long enough that this many looks per round do not exceed the allowed rate. */
static uint64_t period_of(uint32_t looks)
{
    uint64_t allowed = looks * UINT64_C(1000000000) / wall.options.rate;
    return allowed > wall.options.interval_ns ? allowed : wall.options.interval_ns;
}

static void tick(uint64_t now)
{
    if (now < wall.due)
        return;
    uint64_t period = period_of(go_round(now)), at = clock_monotonic_ns(), took = at - now;
    wall.due += handler_draw_period(&wall.random, period);
    /* Between two rounds, a processor has at least as much time for the program's work as a round takes from it. */
    if (wall.due < at + took)
        wall.due = at + handler_draw_period(&wall.random, 2 * took);
}

static uint64_t due_ns(void)
{
    return wall.due;
}

/* ---- the books ---- */

static void close_thread(const struct sampled_thread *t)
{
    wall_books_close_thread(&wall.books, &wall.lives[t->index], t);
    unmounted_close_thread(t);
    forget(&wall.looked[t->index]);
}

static void write_books(uint32_t sink, jfr_write_book *write, uint64_t now)
{
    wall_books_write(&wall.books, &wall_sinks[sink].taken, wall.lives, threads_limit(), wall.recording->writer, write);
}

static void count(uint32_t sink, uint64_t *samples, uint64_t *lost)
{
    const struct wall_taken *taken = &wall_sinks[sink].taken;
    *samples = taken->samples;
    *lost = wall_books_lost(&wall.books, taken);
}

static uint64_t cost_ns(void)
{
    return wall_books_cost_ns(&wall.books, threads_limit());
}

static bool is_awaited(void)
{
    for (uint32_t i = 0, limit = threads_limit(); i < limit; i++)
        if (atomic_load(&sampled_threads[i].slot) == SLOT_LIVE && ask_pending(&sampled_threads[i]))
            return true;
    return false;
}

/* Does a last round, for the time since the previous one, and briefly waits for the threads that were asked. */
static void end(void (*drain)(void))
{
    struct timespec pause = {.tv_nsec = WAIT_STEP_NS};
    go_round(clock_monotonic_ns());
    unmounted_stop();
    wall.books.stopping = true;
    for (int i = 0; i < WAIT_STEPS && is_awaited(); i++) {
        nanosleep(&pause, NULL);
        drain();
    }
}

/* After a fault of the agent nobody calls the JVM any more. */
static void silence(void)
{
    atomic_store(&unmount_config.on, false);
}

const struct part wall_part = {.reserve = reserve,
                               .claim = ask_open,
                               .is_taken = ask_is_taken,
                               .start = start,
                               .join = join,
                               .leave = leave,
                               .describe = describe,
                               .take = take,
                               .drain = unmounted_drain,
                               .close_thread = close_thread,
                               .tick = tick,
                               .due_ns = due_ns,
                               .write_books = write_books,
                               .count = count,
                               .cost_ns = cost_ns,
                               .end = end,
                               .close = unmounted_stop,
                               .silence = silence,
                               .release = release};
