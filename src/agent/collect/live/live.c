#include "agent/collect/live/live.h"

#include "agent/collect/books/books.h"
#include "agent/collect/live/paths.h"
#include "agent/collect/live/survivors.h"
#include "agent/hot/calls/alloc.h"
#include "agent/hot/signal/handler.h"
#include "agent/hotspot/collections.h"
#include "agent/record/jvm.h"
#include "agent/record/names/reason.h"
#include "agent/record/names/site.h"
#include "agent/trigger/jvm/live_objects.h"
#include "base/map.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK_PERIOD_NS = NS_PER_S,
    JAVA_OF_SAMPLING = 11,
    WORDS_MAX = 4 << 20, /* words of all stacks together; beyond this number, stacks are cut */
    CUT_DEPTH = 64
};

/* A watched object. Its stack is kept here, because the recording may forget its stacks (record/names/names.h). */
struct watched {
    uintptr_t reference;
    uint64_t born_ns, span;
    uint32_t thread, class_name, outcome;
    uint32_t collections; /* number of collections that the JVM had begun when the object was allocated */
    uint32_t survived;    /* number of later collections that the object has survived, as of the last look */
    uint16_t frames, virtual_words, context_words;
    bool is_truncated;
    uint64_t words[]; /* the frames, leaf first, followed by the words of the virtual thread and of the context */
};

static struct {
    bool running;
    uint32_t max;
    struct recording *recording;
    struct survivors set;
    bool *is_alive;
    uintptr_t *references; /* room for as many as may be watched */
    uintptr_t *done;       /* references to be given back; room for as many as may be watched */
    uint32_t done_count;
    uint64_t random, next_look;
    uint64_t pauses;          /* number of pauses as of the last look */
    uint32_t begun;           /* number of collections that had begun, as of the last look */
    uint64_t old, old_before; /* number of collections of old objects, as of the last look and of the look before */
    bool has_late;            /* objects have arrived that an already noted collection has examined */
    uint64_t collected_ns;    /* the end of the last collection before the last look */
    uint64_t heap_used;
    size_t words; /* words of all watched objects */
    struct account watched, dead, displaced, unreferenced;
    uint64_t made, given_back; /* numbers of references */
} session;

/* ---- references ---- */

static void give_back(void)
{
    if (!session.done_count || !live_objects.forget(session.done, session.done_count))
        return;
    session.given_back += session.done_count;
    session.done_count = 0;
}

/* Puts a reference on the list of those to be given back. If the JVM refuses to take references back and the list is full, this reference
 * is leaked, so that the list does not grow without limit. */
static void be_done_with(uintptr_t reference)
{
    if (session.done_count == session.max)
        give_back();
    if (session.done_count < session.max)
        session.done[session.done_count++] = reference;
}

static void add(struct account *a, uint64_t bytes)
{
    a->ns += (int64_t)bytes;
    a->count++;
}

static void subtract(struct account *a, uint64_t bytes)
{
    a->ns -= (int64_t)bytes;
    a->count--;
}

/* ---- objects come ---- */

static size_t depth_of(const struct stacks *s, uint32_t stack)
{
    size_t depth = 0;
    for (uint32_t at = stack >> 1; at; at = s->nodes[at].parent)
        depth++;
    return depth;
}

static struct watched *watch(const struct jfr_allocation_sample *s, const struct live_words *more)
{
    const struct stacks *stacks = &session.recording->names.stacks;
    size_t depth = depth_of(stacks, s->stack), i = 0, count = more->of_virtual + more->of_context;
    bool is_cut = session.words + depth > WORDS_MAX && depth > CUT_DEPTH;
    if (is_cut)
        depth = CUT_DEPTH;
    struct watched *w = malloc(sizeof *w + (depth + count) * sizeof w->words[0]);
    if (!w)
        return NULL;
    session.words += depth + count;
    *w = (struct watched){.born_ns = s->ticks,
                          .span = s->weight,
                          .thread = s->thread,
                          .class_name = s->class_name,
                          .outcome = s->outcome,
                          .frames = (uint16_t)depth,
                          .virtual_words = (uint16_t)more->of_virtual,
                          .context_words = (uint16_t)more->of_context,
                          .is_truncated = is_cut || s->stack & 1};
    for (uint32_t at = s->stack >> 1; at && i < depth; at = stacks->nodes[at].parent)
        w->words[i++] = stacks->nodes[at].frame;
    memcpy(w->words + depth, more->words, count * sizeof *more->words);
    if (!w->virtual_words)
        names_hold_thread(&session.recording->names, w->thread);
    return w;
}

static void free_watched(struct watched *w)
{
    if (!w->virtual_words)
        names_let_thread_go(&session.recording->names, w->thread);
    free(w);
}

/* Stops watching an object that has been counted already. */
static void unwatch(struct watched *w)
{
    be_done_with(w->reference);
    session.words -= (size_t)w->frames + w->virtual_words + w->context_words;
    free_watched(w);
}

void live_take(const struct jfr_allocation_sample *s, uintptr_t reference, uint32_t collections, const struct live_words *more)
{
    void *gone;
    if (!session.running)
        return;
    session.made += reference != 0;
    struct watched *w = reference ? watch(s, more) : NULL;
    if (!w) {
        add(&session.unreferenced, s->weight);
        if (reference)
            be_done_with(reference);
        return;
    }
    w->reference = reference;
    w->collections = collections;
    session.has_late |= collections < session.begun;
    add(&session.watched, s->weight);
    if (!survivors_add(&session.set, s->weight, s->size, w, handler_random(&session.random), &gone))
        return;
    uint64_t span = ((struct watched *)gone)->span;
    subtract(&session.watched, span);
    add(&session.displaced, span);
    unwatch(gone);
}

/* ---- and go ---- */

static uint32_t stack_of(const struct watched *w)
{
    return stacks_add(&session.recording->names.stacks, w->words, w->frames) << 1 | w->is_truncated;
}

static struct jfr_old_object describe(const struct survivor *one, uint64_t ticks)
{
    const struct watched *w = one->object;
    struct names *names = &session.recording->names;
    return (struct jfr_old_object){.ticks = ticks,
                                   .thread =
                                       w->virtual_words ? names_virtual_thread(names, w->words + w->frames, w->virtual_words) : w->thread,
                                   .stack = stack_of(w),
                                   .class_name = w->class_name,
                                   .born_ticks = w->born_ns,
                                   .size = one->size,
                                   .weight = survivors_bytes(&session.set, one),
                                   .collections = w->survived,
                                   .heap_used = session.heap_used,
                                   .outcome = w->outcome,
                                   .context = names_context(names, w->words + w->frames + w->virtual_words, w->context_words)};
}

/* Whether a collection has examined the object and left it alive. A concurrent collection does not examine objects that are allocated
 * meanwhile. */
static bool has_survived(const struct watched *w)
{
    return w->survived >= (collections_are_concurrent() ? 2u : 1u);
}

static void bury(const struct survivor *one)
{
    struct watched *w = one->object;
    if (has_survived(w)) {
        struct jfr_old_object o = describe(one, session.collected_ns);
        jfr_write_object_end(session.recording->writer, &o);
    }
    subtract(&session.watched, one->span);
    add(&session.dead, one->span);
    unwatch(w);
}

static void bury_dead(uint32_t begun)
{
    struct survivors *set = &session.set;
    uint32_t dead = survivors_part(set, session.is_alive);
    for (uint32_t i = set->count; i < set->count + dead; i++)
        bury(&set->held[i]);
    for (uint32_t i = 0; i < set->count; i++) {
        struct watched *w = set->held[i].object;
        w->survived = begun - w->collections;
    }
}

/* Returns the square root as a whole number, because the agent links no mathematical library. */
static uint64_t root(double x)
{
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 200 && r * r > x * 1.0000001; i++)
        r = (r + x / r) / 2;
    return (uint64_t)(r + 0.5);
}

static void write_live_set(void)
{
    const struct survivors *set = &session.set;
    struct jfr_live_set s = {.ticks = session.collected_ns,
                             .collections = session.begun,
                             .old_collections = session.old,
                             .old_before = session.old_before,
                             .heap_used = session.heap_used};
    double variance = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        if (!has_survived(set->held[i].object))
            continue;
        uint64_t bytes = survivors_bytes(set, &set->held[i]);
        s.objects++;
        s.bytes += bytes;
        variance += survivors_variance(bytes, set->held[i].size);
    }
    s.error = variance > 0 ? root(variance) : 0;
    jfr_write_live_set(session.recording->writer, &s);
}

static void note_collections(uint64_t pauses, uint64_t ended_ns)
{
    uint64_t used = atomic_exchange(&live_pauses.used, UINT64_MAX);
    session.heap_used = used == UINT64_MAX ? session.heap_used : used;
    session.pauses = pauses;
    session.collected_ns = ended_ns;
    session.old_before = session.old;
    collections_of_old(&session.old);
}

/* Checks which objects the JVM has found dead since the last look. */
static void look(void)
{
    struct survivors *set = &session.set;
    /* Acquire: pairs with the release of the JVM's thread. The time is then that of this pause, or of a later one. */
    uint64_t pauses = atomic_load_explicit(&live_pauses.count, memory_order_acquire);
    uint64_t collected_ns = atomic_load(&live_pauses.ended_ns);
    uint32_t begun = live_collections(); /* before the look: a collection that begins later may not have ended when a reference is
                                          * checked */
    if (pauses == session.pauses && !session.has_late)
        return;
    for (uint32_t i = 0; i < set->count; i++)
        session.references[i] = ((struct watched *)set->held[i].object)->reference;
    if (!live_objects.look(session.references, session.is_alive, set->count))
        return;
    if (pauses != session.pauses)
        note_collections(pauses, collected_ns);
    session.begun = begun;
    session.has_late = false;
    bury_dead(begun);
    write_live_set();
}

static void tick(uint64_t now)
{
    if (now < session.next_look)
        return;
    session.next_look = now + LOOK_PERIOD_NS;
    look();
    give_back();
}

/* Returns the number of the object's group, by class and site, as in reports. */
static uint64_t group_of(const struct watched *w)
{
    return hash_mix(hash_mix(site_of(&session.recording->names, w->words, w->frames)) ^ w->class_name);
}

static void find_paths(uint64_t budget_ns)
{
    struct paths_object *list = calloc(session.set.count ? session.set.count : 1, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; list && i < session.set.count; i++) {
        const struct survivor *one = &session.set.held[i];
        const struct watched *w = one->object;
        if (has_survived(w))
            list[count++] = (struct paths_object){w->reference, group_of(w), w->born_ns, survivors_bytes(&session.set, one)};
    }
    paths_search(session.recording, list, count, budget_ns, session.heap_used);
    free(list);
}

/* Writes all live objects with the same time. Readers use this time to find the last of several sets. */
static void sum_up(uint64_t paths_ns)
{
    uint32_t count = 0;
    look();
    if (paths_ns)
        find_paths(paths_ns);
    uint64_t now = clock_monotonic_ns();
    for (uint32_t i = 0; i < session.set.count; i++) {
        if (!has_survived(session.set.held[i].object))
            continue;
        struct jfr_old_object o = describe(&session.set.held[i], now);
        if (paths_ns)
            paths_describe(count++, &o);
        jfr_write_old_object(session.recording->writer, &o);
    }
}

/* ---- books ---- */

static void write_books(uint32_t sink, jfr_write_book *write, uint64_t now)
{
    struct jfr_writer *w = session.recording->writer;
    if (write == jfr_write_book_base) /* these lines describe the whole recording, even if its old data is dropped, so they need no base */
        return;
    write(w, now, account_name[ACCOUNT_LIVE_WATCHED], "", session.watched.ns, session.watched.count);
    write(w, now, account_name[ACCOUNT_LIVE_DEAD], "", session.dead.ns, session.dead.count);
    write(w, now, account_name[ACCOUNT_LIVE_DISPLACED], "", session.displaced.ns, session.displaced.count);
    write(w, now, account_name[ACCOUNT_LIVE_UNREFERENCED], "", session.unreferenced.ns, session.unreferenced.count);
    write(w, now, account_name[ACCOUNT_LIVE_REFERENCES_MADE], "", 0, session.made);
    write(w, now, account_name[ACCOUNT_LIVE_REFERENCES_BACK], "", 0, session.given_back);
    paths_write(w, write, now);
}

/* ---- life ---- */

static void describe_settings(uint32_t sink)
{
    char text[32];
    uint64_t old, now = clock_monotonic_ns();
    struct jfr_writer *w = session.recording->writer;
    snprintf(text, sizeof text, "%u", session.max);
    jfr_write_setting(w, now, "live_max", text);
    jfr_write_setting(w, now, "live_collections", collections_are_concurrent() ? "concurrent" : "pauses");
    jfr_write_setting(w, now, "live_old_collections", collections_of_old(&old) ? "counted" : "unknown");
    jfr_write_active_setting(w, now, "jdk.OldObjectSample", "enabled", "true");
    jfr_write_active_setting(w, now, "jdk.OldObjectSample", "cutoff", "0 ns");
}

static void free_all(void)
{
    for (uint32_t i = 0; i < session.set.count; i++)
        free_watched(session.set.held[i].object);
    survivors_deinit(&session.set);
    free(session.is_alive);
    free(session.references);
    free(session.done);
    memset(&session, 0, sizeof session);
}

static int allocate(uint32_t max)
{
    session.max = max;
    session.is_alive = calloc(max, sizeof *session.is_alive);
    session.references = calloc(max, sizeof *session.references);
    session.done = calloc(max, sizeof *session.done);
    return survivors_init(&session.set, max) || !session.is_alive || !session.references || !session.done ? -ENOMEM : 0;
}

static int start(const struct part_of *of, struct error *e)
{
    const struct live_options *options = of->options;
    if (!live_objects.open)
        return error_set(e, -ENOTSUP, "event=live: there is no JVM here");
    if (jvm_facts.java_version && jvm_facts.java_version < JAVA_OF_SAMPLING)
        return error_set(e, -ENOTSUP,
                         "event=live needs JVMTI's SampledObjectAlloc, which Java has from version 11 on, and this is Java %d; two runs of "
                         "'jcmd PID GC.class_histogram' show which classes grow",
                         jvm_facts.java_version);
    memset(&session, 0, sizeof session);
    int rc = allocate(options->max ? options->max : LIVE_MAX_DEFAULT);
    rc = rc ? error_set(e, rc, "not enough memory to watch %u objects", session.max) : live_objects.open(e);
    if (rc) {
        free_all();
        return rc;
    }
    session.recording = of->recording;
    session.random = clock_monotonic_ns() | 1;
    session.pauses = atomic_load(&live_pauses.count);
    collections_of_old(&session.old);
    session.running = true;
    atomic_store(&live_pauses.used, UINT64_MAX);
    atomic_store(&alloc_config.with_references, true);
    return 0;
}

static void release(void)
{
    if (!session.running)
        return;
    session.running = false;
    atomic_store(&alloc_config.with_references, false);
    give_back();
    for (uint32_t i = 0; i < session.set.count; i++)
        be_done_with(((struct watched *)session.set.held[i].object)->reference);
    give_back();
    live_objects.close();
    paths_stop();
    free_all();
}

const struct part live_part = {.start = start,
                               .describe = describe_settings,
                               .tick = tick,
                               .is_polled = true,
                               .write_books = write_books,
                               .sum_up = sum_up,
                               .release = release};
