#include "cli/analyze/recorder_need.h"

#include "analysis/stack.h"
#include "base/time_units.h"
#include "profile/owner.h"

#include <string.h>

#define WAITERS_LEAST   0.1             /* mean number of threads; half of the smallest number that makes a finding */
#define STOPPED_LEAST   0.005           /* share of the time in which safepoints other than pauses stopped all threads */
#define COLLECTED_LEAST 0.05            /* share of the time in pauses for garbage collection */
#define COMPILED_LEAST  0.1             /* share of the CPU time in the JVM's compilers */
#define LOADED_LEAST    0.02            /* share of the CPU time in the loading of classes */
#define STARTS_NS       (60 * NS_PER_S) /* while a program starts, compilers and class loaders work anyway */

enum { ERRORS_LEAST = 2, PINNED_LEAST = 3 }; /* samples; fewer may be chance */

/* The evidence, and the marks of its stacks. */
struct clues {
    const struct evidence *e;
    struct stack_marks cpu, wall, alloc; /* only if there are such samples */
    struct findings *cache;              /* of the marks, and for texts */
};

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool has_started(const struct evidence *e)
{
    return e->jvm_start_ns && e->start_ns - e->jvm_start_ns > (int64_t)STARTS_NS;
}

/* ---- threads that wait ---- */

static const struct profile_method *method_of(const struct profile *p, uint32_t stack)
{
    return &p->methods[p->frames[p->nodes[stack].frame].method];
}

static bool waits(const struct profile_sample *s)
{
    return jfr_state_waits((enum jfr_thread_state)s->state) && s->state != JFR_STATE_READY;
}

/* Whether the method reads or writes a socket or a file. Threads that accept connections or select from them do not count: they wait for
 * work. */
static bool transfers(const char *class_name, const char *method)
{
    static const char *const classes[] = {"java.net.", "java.io.", "sun.nio.", "sun.net.", "jdk.net."};
    static const char *const methods[] = {"read", "write", "force", "transfer", "implRead", "implWrite", "socketRead", "socketWrite"};
    bool class_does = false, method_does = false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        class_does = class_does || begins(class_name, classes[i]);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        method_does = method_does || begins(method, methods[i]);
    return class_does && method_does;
}

/* Looks at the innermost frames, up to the first one outside of the JDK. */
static bool is_in_transfer(const struct profile *p, uint32_t stack)
{
    for (; stack; stack = p->nodes[stack].parent) {
        const struct profile_method *m = method_of(p, stack);
        if (transfers(profile_text(p, m->class_name), profile_text(p, m->name)))
            return true;
        if (owner_of_frame(p, &p->frames[p->nodes[stack].frame]) < CODE_OF_JDK)
            return false;
    }
    return false;
}

static bool waits_in_transfers(const struct clues *c)
{
    const struct profile *p = c->e->wall;
    double ns = 0;
    for (uint32_t i = 0; p && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        ns += waits(s) && is_in_transfer(p, s->stack) ? (double)s->weight : 0;
    }
    return ns > WAITERS_LEAST * (double)c->e->duration_ns;
}

/* Whether a virtual thread waits in a way that keeps its carrier: parked on it, or in Object.wait, which keeps it before JDK 24. */
static bool is_pinned(const struct profile *p, const struct profile_sample *s)
{
    if (!p->threads[s->thread].virtual_threads || !waits(s))
        return false;
    if (stack_work(p, s->stack) == STACK_WAITS && begins(profile_text(p, method_of(p, s->stack)->class_name), "java.lang.Object"))
        return true;
    for (uint32_t stack = s->stack; stack; stack = p->nodes[stack].parent)
        if (!strcmp(profile_text(p, method_of(p, stack)->name), "parkOnCarrierThread"))
            return true;
    return false;
}

static bool keeps_carriers(const struct clues *c)
{
    const struct profile *p = c->e->wall;
    uint64_t samples = 0;
    for (uint32_t i = 0; p && i < p->sample_count; i++)
        samples += is_pinned(p, &p->samples[i]) ? p->samples[i].count : 0;
    return samples >= PINNED_LEAST;
}

static bool starts_processes(const struct clues *c)
{
    const struct profile *p = c->e->wall;
    for (uint32_t i = 0; p && i < p->sample_count; i++)
        if (stack_has(&c->wall, p->samples[i].stack, STACK_COST_PROCESSES))
            return true;
    return false;
}

/* ---- halts of all threads ---- */

/* The time also counts in which some threads had stopped, and waited for the others. */
static double halted_ns(const struct evidence *e, enum halt_kind kind)
{
    double ns = 0;
    for (uint32_t i = 0; e->halts && i < e->halts->count; i++)
        ns += e->halts->list[i].kind == kind ? (double)e->halts->list[i].ns + (double)e->halts->list[i].sync_ns : 0;
    return ns;
}

static bool stops_at_safepoints(const struct clues *c)
{
    double ns = halted_ns(c->e, HALT_SAFEPOINTS_COUNTED) - halted_ns(c->e, HALT_GC);
    return ns > STOPPED_LEAST * (double)c->e->duration_ns;
}

/* Whether the collector has much to do, or collects for want of memory for classes, or is one that lets threads wait for memory. */
static bool collects_much(const struct clues *c)
{
    const struct halts *h = c->e->halts;
    for (uint32_t i = 0; h && i < h->count; i++) {
        const char *what = halts_text(h, h->list[i].what);
        if (h->list[i].kind == HALT_GC && (begins(what, "ZGC") || strstr(what, "Metadata")))
            return true;
    }
    return halted_ns(c->e, HALT_GC) > COLLECTED_LEAST * (double)c->e->duration_ns;
}

/* ---- CPU time ---- */

/* Whether the stack is that of a constructor of an Error. Other exceptions need no event: samples show which they are, and where. */
static bool makes_error(const struct clues *c, const struct stack_marks *marks, uint32_t stack)
{
    uint32_t class_name = 0;
    if (!stack_has(marks, stack, STACK_FILLS_TRACE))
        return false;
    stack_throw(c->cache, marks->profile, stack, &class_name);
    const char *name = findings_text(c->cache, class_name);
    size_t n = strlen(name);
    return n > 5 && !strcmp(name + n - 5, "Error");
}

/* The stack trace of an Error is memory that is allocated. A few hundred in a second hardly use CPU time. */
static bool throws_errors(const struct clues *c)
{
    const struct stack_marks *const all[] = {&c->cpu, &c->alloc};
    uint64_t samples = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (uint32_t i = 0; all[k]->profile && i < all[k]->profile->sample_count; i++)
            samples += makes_error(c, all[k], all[k]->profile->samples[i].stack) ? all[k]->profile->samples[i].count : 0;
    return samples >= ERRORS_LEAST;
}

/* Whether the stack is that of one of the JVM's compilers, whose root is a frame for their task (docs/formats/recording.md). */
static bool is_compiler(const struct profile *p, uint32_t stack)
{
    while (stack && p->nodes[stack].parent)
        stack = p->nodes[stack].parent;
    return stack && begins(profile_text(p, method_of(p, stack)->name), "[JIT]");
}

/* Whether the JVM's compilers use much of the CPU time long after the start: it may be discarding compiled code. */
static bool compiles_much(const struct clues *c)
{
    const struct profile *p = c->e->cpu;
    double ns = 0;
    if (!p || !has_started(c->e))
        return false;
    for (uint32_t i = 0; i < p->sample_count; i++)
        ns += is_compiler(p, p->samples[i].stack) ? (double)p->samples[i].weight : 0;
    return ns > COMPILED_LEAST * (double)p->weight;
}

static bool loads_classes(const struct clues *c)
{
    const struct profile *p = c->e->cpu;
    double ns = 0;
    if (!p || !has_started(c->e))
        return false;
    for (uint32_t i = 0; i < p->sample_count; i++)
        ns += stack_has(&c->cpu, p->samples[i].stack, STACK_COST_CLASSES) ? (double)p->samples[i].weight : 0;
    return ns > LOADED_LEAST * (double)p->weight;
}

/* ---- the answer ---- */

static const struct {
    bool (*is_seen)(const struct clues *c);
    const char *words;
} needs[] = {
    {waits_in_transfers, "threads wait for sockets or files"},
    {keeps_carriers, "virtual threads wait without releasing their carrier threads"},
    {starts_processes, "the program starts processes"},
    {stops_at_safepoints, "the JVM stops all threads, and not to collect garbage"},
    {collects_much, "the garbage collector has much to do"},
    {throws_errors, "Errors are thrown"},
    {compiles_much, "the JVM compiles much code"},
    {loads_classes, "classes are loaded"},
};

const char *recorder_need(const struct evidence *e)
{
    struct findings cache;
    struct clues c = {.e = e, .cache = &cache};
    const char *words = NULL;
    bool failed = findings_init(&cache) != 0;
    failed = failed || (e->cpu && stack_marks_of(&c.cpu, &cache, e->cpu)) || (e->wall && stack_marks_of(&c.wall, &cache, e->wall)) ||
             (e->alloc && stack_marks_of(&c.alloc, &cache, e->alloc));
    for (size_t i = 0; !failed && !words && i < sizeof needs / sizeof *needs; i++)
        words = needs[i].is_seen(&c) ? needs[i].words : NULL;
    findings_deinit(&cache);
    return words;
}
