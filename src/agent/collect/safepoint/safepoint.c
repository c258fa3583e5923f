#include "agent/collect/safepoint/safepoint.h"

#include "agent/collect/safepoint/thread_time.h"
#include "agent/hot/context.h"
#include "agent/hot/record.h"
#include "agent/hot/signal/handler.h"
#include "agent/record/names/reason.h"
#include "agent/trigger/jvm/java_stacks.h"
#include "agent/trigger/tasks/subset.h"
#include "base/array.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOSE_PERIOD_NS = NS_PER_S, NAME_PERIOD_NS = NS_PER_S };

/* A thread that a round has looked at. */
struct seen_thread {
    uint32_t id;       /* its id in events */
    uint64_t named_ns; /* when its name was read */
};

/* One look at some threads. */
struct round {
    uint64_t at, elapsed_ns;
    uint32_t alive, chosen;
};

static struct {
    bool running, late;
    struct collect_options options;
    struct recording recording;
    struct thread_time books;
    struct map thread_places; /* from a Java thread id to an index in threads */
    struct seen_thread *threads;
    uint32_t thread_count, thread_cap;
    uint64_t started, due, next_close;
    uint64_t last_round; /* time up to here is accounted for */
    uint32_t alive;
    uint64_t random;
    uint32_t outcome_symbols[OUTCOME_COUNT];
    struct jfr_method reference_wait, continuation; /* Reference.waitForReferencePendingList, Continuation.run */
    uint64_t frames[JAVA_STACK_FRAMES_MAX];
} session;

bool safepoint_running(void)
{
    return session.running;
}

const struct collect_options *safepoint_options(void)
{
    return &session.options;
}

/* Returns the thread's id in events. Its name is read again once a second, because threads get their names late, and may change them. */
static uint32_t thread_id(uint32_t index, int64_t java_id, uint64_t now)
{
    bool added;
    char name[THREAD_NAME_MAX];
    if (ARRAY_GROW(session.threads, session.thread_cap, session.thread_count))
        return 0;
    uint32_t *place = map_add(&session.thread_places, (uint64_t)java_id, &added);
    if (!place)
        return 0;
    if (added) {
        *place = session.thread_count++;
        session.threads[*place] = (struct seen_thread){0};
    }
    struct seen_thread *t = &session.threads[*place];
    if (added || now - t->named_ns >= NAME_PERIOD_NS) {
        java_stacks.thread_name(index, name, sizeof name);
        t->id = names_java_thread(&session.recording.names, *place + 1, name, java_id);
        t->named_ns = now;
    }
    return t->id;
}

static uint32_t add_stack(const struct java_stack *stack)
{
    struct names *n = &session.recording.names;
    for (uint32_t i = 0; i < stack->count; i++)
        session.frames[i] = names_told_frame(n, stack->frames[i]);
    return stacks_add(&n->stacks, session.frames, stack->count) << 1 | stack->truncated;
}

/* Returns a stack of one pseudo frame, with the reason why there is no stack. */
static uint32_t add_no_stack(enum outcome outcome)
{
    struct names *n = &session.recording.names;
    uint64_t frame = frame_java(JFR_FRAME_FAILED, names_pseudo(n, reason_outcome[outcome], ""), 0);
    return stacks_add(&n->stacks, &frame, 1) << 1;
}

static bool is_in(const struct jfr_method *leaf, const struct jfr_method *method)
{
    return leaf->name == method->name && leaf->class_name == method->class_name;
}

/* Returns the true state. The JVM's state is wrong in two cases. From JDK 9 on, the reference handler waits inside the JVM, in a method
 * that does nothing else, but the JVM reports it as runnable. A carrier is reported as waiting while its virtual thread runs. (A virtual
 * thread that waits is unmounted, unless it is pinned; that case cannot be recognized.) */
static enum jfr_thread_state true_state(const struct java_stack *stack)
{
    const struct jmethods *known = &session.recording.names.jmethods;
    const struct jfr_method *leaf = jmethods_names(known, jmethods_find(known, stack->frames[0].method));
    if (leaf && jfr_state_runs(stack->state) && is_in(leaf, &session.reference_wait))
        return JFR_STATE_BLOCKED;
    if (leaf && stack->state == JFR_STATE_BLOCKED && is_in(leaf, &session.continuation))
        return JFR_STATE_JAVA;
    return stack->state;
}

static void take_stack(const struct round *round, uint32_t index)
{
    struct java_stack stack;
    uint64_t weight = subset_weight(round->elapsed_ns, round->alive, round->chosen, index);
    java_stacks.stack(index, &stack);
    if (stack.has_ended) {
        thread_time_miss(&session.books, MISS_ENDED, weight);
        return;
    }
    enum outcome outcome = !stack.count ? OUTCOME_NO_JAVA_STACK : stack.truncated ? OUTCOME_TRUNCATED : OUTCOME_COMPLETE;
    struct jfr_safepoint_sample s = {.ticks = round->at,
                                     .thread = thread_id(index, stack.thread, round->at),
                                     .stack = stack.count ? add_stack(&stack) : add_no_stack(outcome),
                                     .weight_ns = weight,
                                     .outcome = session.outcome_symbols[outcome],
                                     .context = names_context(&session.recording.names, stack.context, stack.context_words)};
    s.state = stack.count ? true_state(&stack) : JFR_STATE_UNKNOWN; /* needs the leaf's name, which is known by now */
    uint64_t dropped = jfr_writer_dropped(session.recording.writer);
    jfr_write_safepoint_sample(session.recording.writer, &s);
    if (jfr_writer_dropped(session.recording.writer) != dropped) {
        thread_time_drop(&session.books, weight);
        return;
    }
    thread_time_sample(&session.books, s.state, outcome, weight);
    if (jfr_state_runs(s.state))
        jfr_write_execution_sample(session.recording.writer, s.ticks, s.thread, s.stack, s.state);
}

/* Does one round. It stands for the time since the previous one, which is an interval, or longer if the JVM delayed it. So the weights add
 * up to the elapsed time, and each moment is equally likely to be near a round. */
static void look(void)
{
    uint32_t alive, chosen;
    uint64_t before = clock_monotonic_ns();
    int rc = java_stacks.take(&session.random, &alive);
    uint64_t at = clock_monotonic_ns(), took = at - before;
    session.due += handler_draw_period(&session.random, session.options.interval_ns);
    /* Between two rounds, threads have at least as much time for their own work as a round takes from them. */
    if (session.due < at + took)
        session.due = at + handler_draw_period(&session.random, 2 * took);
    if (rc < 0) {
        thread_time_miss(&session.books, MISS_REFUSED, 0);
        return;
    }
    chosen = (uint32_t)rc;
    struct round round = {.at = at, .elapsed_ns = at - session.last_round, .alive = alive, .chosen = chosen};
    session.last_round = at;
    session.alive = alive;
    thread_time_round(&session.books, round.elapsed_ns, alive, chosen, took);
    for (uint32_t i = 0; i < chosen; i++)
        take_stack(&round, i);
    java_stacks.release();
}

/* Forgets the threads when a chunk has ended, as their names do (record/names/thread_names.h). */
static void forget_threads(void)
{
    map_clear(&session.thread_places);
    session.thread_count = 0;
}

static void flush(void)
{
    struct recording *r = &session.recording;
    thread_time_write(&session.books, r->writer, clock_monotonic_ns(), jfr_write_book_line);
    if (!recording_flush(r))
        return;
    forget_threads();
    recording_describe_safepoint(r, session.options.interval_ns, session.late);
    if (keep_is_limited(&r->keep))
        thread_time_write(&session.books, r->writer, clock_monotonic_ns(), jfr_write_book_base);
}

bool safepoint_is_over(void)
{
    return session.options.duration_ns && clock_monotonic_ns() - session.started >= session.options.duration_ns;
}

void safepoint_tick(void)
{
    uint64_t now = clock_monotonic_ns();
    if (now >= session.due)
        look();
    if (now >= session.next_close || recording_wants_flush(&session.recording)) {
        session.next_close = now + CLOSE_PERIOD_NS;
        flush();
    }
}

uint64_t safepoint_patience_ns(void)
{
    uint64_t now = clock_monotonic_ns(), until = session.due < session.next_close ? session.due : session.next_close;
    if (session.options.duration_ns && session.started + session.options.duration_ns < until)
        until = session.started + session.options.duration_ns;
    return until > now ? until - now : 0;
}

static void begin(void)
{
    uint64_t now = clock_monotonic_ns();
    struct strtab *strings = &session.recording.names.strings;
    session.started = session.recording.start_ticks;
    session.last_round = now;
    session.next_close = now + CLOSE_PERIOD_NS;
    session.random = now | 1;
    session.due = now + 1 + handler_random(&session.random) % session.options.interval_ns;
    for (int i = 0; i < OUTCOME_COUNT; i++)
        session.outcome_symbols[i] = strtab_add_text(strings, reason_outcome[i]);
    for (int i = 0; i < CONTEXT_LOSS_COUNT; i++)
        atomic_store(&context_lost[i], 0);
    session.reference_wait = (struct jfr_method){.class_name = strtab_add_text(strings, "java.lang.ref.Reference"),
                                                 .name = strtab_add_text(strings, "waitForReferencePendingList")};
    session.continuation = (struct jfr_method){.class_name = strtab_add_text(strings, "jdk.internal.vm.Continuation"),
                                               .name = strtab_add_text(strings, "run")};
    thread_time_open(&session.books);
}

int safepoint_start(const struct collect_options *options, bool late, struct error *e)
{
    if (!java_stacks.open)
        return error_set(e, -ENOTSUP, "this JVM does not report its threads' ids, which the event safepoint needs; use event=cpu");
    memset(&session, 0, sizeof session);
    session.options = *options;
    session.late = late;
    map_init(&session.thread_places);
    int rc = recording_open(&session.recording, options->file, options->passed ? options->descriptor : -1, options->duration_ns,
                            &options->keep, collect_without(options), e);
    if (rc)
        return rc;
    session.recording.jfr = options->jfr;
    rc = java_stacks.open(e);
    if (rc) {
        recording_abandon(&session.recording);
        return rc;
    }
    begin();
    recording_describe_safepoint(&session.recording, options->interval_ns, late);
    session.running = true;
    return 0;
}

int safepoint_dump(const char *file, int passed, uint64_t *bytes, struct error *e)
{
    flush();
    return recording_dump(&session.recording, file, passed, bytes, e);
}

struct recording *safepoint_recording(void)
{
    return &session.recording;
}

int safepoint_stop(uint64_t *bytes, uint64_t *samples, struct error *e)
{
    session.running = false;
    java_stacks.close();
    thread_time_write(&session.books, session.recording.writer, clock_monotonic_ns(), jfr_write_book_line);
    *samples = session.books.samples;
    map_deinit(&session.thread_places);
    free(session.threads);
    return recording_close(&session.recording, bytes, e);
}

void safepoint_status(struct collect_status *out)
{
    out->events = COLLECT_SAFEPOINT;
    snprintf(out->file, sizeof out->file, "%s", session.options.file);
    if (session.recording.failed)
        snprintf(out->error, sizeof out->error, "%s", session.recording.error.text);
    out->interval_ns = session.options.interval_ns;
    out->elapsed_ns = clock_monotonic_ns() - session.started;
    out->samples = session.books.samples;
    out->lost = thread_time_lost(&session.books);
    out->bytes = recording_size(&session.recording);
    out->jfr = session.options.jfr;
    out->keep = session.options.keep;
    out->kept_ns = recording_kept_ns(&session.recording);
    out->threads = session.alive;
}
