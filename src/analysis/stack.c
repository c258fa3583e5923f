#include "analysis/stack.h"

#include "analysis/tally.h"
#include "base/buffer.h"
#include "profile/owner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SITE_FRAMES = 2, SITE_BYTES_MAX = 1024 };

/* ---- marks ---- */

static struct findings_stacks *stacks_of(struct findings *f, const struct profile *p)
{
    for (int i = 0; i < FINDINGS_PROFILES; i++) {
        if (f->stacks[i].nodes == p->nodes)
            return &f->stacks[i];
        if (!f->stacks[i].nodes) {
            f->stacks[i].nodes = p->nodes;
            return &f->stacks[i];
        }
    }
    return NULL;
}

static void compute_marks(struct findings_stacks *stacks, const struct profile *p)
{
    stacks->of_method = stacks->of_method ? stacks->of_method : marks_of_methods(p);
    stacks->marks = stacks->marks ? stacks->marks : marks_of_nodes(p, stacks->of_method);
    stacks->own = stacks->own ? stacks->own : owner_own_labels(p);
}

int stack_marks_of(struct stack_marks *m, struct findings *f, const struct profile *p)
{
    struct findings_stacks *stacks = stacks_of(f, p);
    *m = (struct stack_marks){.profile = p};
    if (!stacks)
        return -ENOMEM;
    compute_marks(stacks, p);
    *m = (struct stack_marks){p, stacks->marks, stacks->of_method, stacks->own};
    return m->of_node && m->own ? 0 : -ENOMEM;
}

/* ---- frames ---- */

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static const struct profile_frame *frame_of(const struct profile *p, uint32_t stack)
{
    return &p->frames[p->nodes[stack].frame];
}

static const char *class_of(const struct profile *p, uint32_t stack)
{
    return profile_text(p, p->methods[frame_of(p, stack)->method].class_name);
}

static const char *method_of(const struct profile *p, uint32_t stack)
{
    return profile_text(p, p->methods[frame_of(p, stack)->method].name);
}

static enum code_owner owner_of(const struct profile *p, uint32_t stack)
{
    return owner_of_frame(p, frame_of(p, stack));
}

/* Whether the frame is a native method. HotSpot reports native methods as interpreted or compiled Java frames without a line. */
static bool is_native_method(const struct profile *p, uint32_t stack)
{
    return frame_of(p, stack)->type == JFR_FRAME_NATIVE || (owner_is_java(frame_of(p, stack)) && frame_of(p, stack)->line <= 0);
}

/* Whether a method of Object or Unsafe waits: wait, wait0, park. */
static bool waits(const char *method)
{
    return begins(method, "wait") || !strcmp(method, "park");
}

/* Judges a park by what called it. A virtual thread that cannot leave its carrier parks to sleep, and to wait for a socket, where other
 * threads call native methods that serve a single purpose. */
static enum stack_work why_parked(const struct profile *p, uint32_t stack)
{
    static const char *const ways[] = {"java.lang.VirtualThread", "java.lang.System$", "jdk.internal.misc.VirtualThreads",
                                       "java.util.concurrent.locks.LockSupport"};
    bool on_the_way = true;
    while (on_the_way && (stack = p->nodes[stack].parent)) {
        const char *class_name = class_of(p, stack);
        if (!strcmp(class_name, "java.lang.VirtualThread") && begins(method_of(p, stack), "sleep"))
            return STACK_SLEEPS;
        if (begins(class_name, "sun.nio.ch."))
            return STACK_IS_IN_IO;
        on_the_way = false;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            on_the_way = on_the_way || begins(class_name, ways[i]);
    }
    return STACK_WAITS;
}

/* Judges by the classes of the native methods in which threads wait. The names of these methods differ between JDKs, but their classes
 * do not. */
enum stack_work stack_work(const struct profile *p, uint32_t stack)
{
    static const char *const io[] = {"java.net.",
                                     "java.io.",
                                     "sun.nio.",
                                     "sun.net.",
                                     "jdk.net.",
                                     "java.lang.ProcessImpl",
                                     "java.lang.UNIXProcess",
                                     "java.lang.ProcessHandleImpl"};
    if (!stack)
        return STACK_IS_ELSE;
    const char *class_name = class_of(p, stack);
    if (!strcmp(class_name, "java.lang.Thread") && begins(method_of(p, stack), "sleep"))
        return STACK_SLEEPS;
    if (code_owner(class_name, method_of(p, stack)) == CODE_OF_PLUMBING && waits(method_of(p, stack)))
        return why_parked(p, stack);
    for (size_t i = 0; i < sizeof io / sizeof *io; i++)
        if (begins(class_name, io[i]) && is_native_method(p, stack))
            return STACK_IS_IN_IO;
    return STACK_IS_ELSE;
}

enum stack_work stack_unmounted_work(const struct profile *p, uint32_t stack)
{
    bool is_unmounted = stack && !strcmp(class_of(p, stack), "java.lang.VirtualThread") && begins(method_of(p, stack), "yieldContinuation");
    return is_unmounted ? why_parked(p, stack) : STACK_IS_ELSE;
}

enum stack_work stack_java_work(const struct profile *p, uint32_t stack)
{
    while (stack && !owner_is_java(frame_of(p, stack)))
        stack = p->nodes[stack].parent;
    return stack_work(p, stack);
}

bool stack_calls(const struct profile *p, uint32_t stack, const char *label)
{
    while (stack && strcmp(profile_text(p, frame_of(p, stack)->label), label))
        stack = p->nodes[stack].parent;
    return stack;
}

/* ---- places ---- */

static void put_frame(struct buffer *b, const struct profile *p, uint32_t stack)
{
    buffer_text(b, b->len ? " < " : "");
    buffer_text(b, profile_text(p, frame_of(p, stack)->label));
    if (frame_of(p, stack)->line > 0)
        buffer_printf(b, ":%d", (int)frame_of(p, stack)->line);
}

/* Appends the frames of code that is at most as far from the program as the owner `most`. */
static void put_frames(struct buffer *b, const struct profile *p, uint32_t stack, enum code_owner most)
{
    for (int n = 0; stack && n < SITE_FRAMES; stack = p->nodes[stack].parent)
        if (owner_of(p, stack) <= most) {
            put_frame(b, p, stack);
            n++;
        }
}

uint32_t stack_site(struct findings *f, const struct profile *p, uint32_t stack)
{
    struct buffer b;
    buffer_init(&b, SITE_BYTES_MAX);
    for (int owner = CODE_OF_PROGRAM; !b.len && owner <= CODE_OF_PLUMBING; owner++)
        put_frames(&b, p, stack, (enum code_owner)owner);
    buffer_u8(&b, 0); /* beyond SITE_BYTES_MAX the byte does not fit, and there is no site */
    uint32_t site = b.failed ? 0 : findings_string(f, (const char *)b.data);
    buffer_deinit(&b);
    return site;
}

uint32_t stack_marked(const struct stack_marks *m, uint32_t stack, enum stack_mark mark)
{
    const struct profile *p = m->profile;
    if (!stack_has(m, stack, mark))
        return 0;
    while (stack && !marks_have(m->of_method[frame_of(p, stack)->method], mark))
        stack = p->nodes[stack].parent;
    return stack ? frame_of(p, stack)->label : 0;
}

/* Whether the frame is a part of the JDK's way to wait: from JDK 17 on Condition.await calls ForkJoinPool.managedBlock. */
static bool is_of_wait(const struct profile *p, uint32_t stack)
{
    const char *method = method_of(p, stack);
    return !owner_is_java(frame_of(p, stack)) || owner_of(p, stack) == CODE_OF_PLUMBING || !strcmp(method, "managedBlock") ||
           !strcmp(method, "unmanagedBlock");
}

uint32_t stack_waiter(const struct profile *p, uint32_t stack)
{
    while (stack && is_of_wait(p, stack))
        stack = p->nodes[stack].parent;
    return stack ? frame_of(p, stack)->label : 0;
}

static uint32_t line_text(struct findings *f, const struct profile *p, const struct profile_frame *frame)
{
    const char *label = profile_text(p, frame->label);
    return frame->line > 0 ? findings_say(f, "%.900s:%d", label, (int)frame->line) : findings_say(f, "%.900s", label);
}

static uint32_t *make_lines(struct findings *f, const struct profile *p)
{
    uint32_t *of_frame = calloc((size_t)p->frame_count + 1, sizeof *of_frame);
    uint32_t *of_node = calloc((size_t)p->node_count + 1, sizeof *of_node);
    for (uint32_t i = 1; of_frame && of_node && i < p->node_count; i++) {
        uint32_t frame = p->nodes[i].frame;
        bool is_own = owner_of(p, i) == CODE_OF_PROGRAM;
        if (is_own && !of_frame[frame])
            of_frame[frame] = line_text(f, p, &p->frames[frame]);
        of_node[i] = is_own ? of_frame[frame] : of_node[p->nodes[i].parent];
    }
    if (!of_frame || f->failed) {
        free(of_node);
        of_node = NULL;
    }
    free(of_frame);
    return of_node;
}

int stack_lines_of(struct stack_lines *l, struct findings *f, const struct profile *p)
{
    struct findings_stacks *stacks = stacks_of(f, p);
    if (stacks && !stacks->lines)
        stacks->lines = make_lines(f, p);
    *l = (struct stack_lines){stacks ? stacks->lines : NULL};
    return l->of_node ? 0 : -ENOMEM;
}

uint32_t stack_line_most(struct findings *f, const struct profile *p, const struct stack_marks *marks, enum stack_mark mark, double *share)
{
    struct stack_lines lines;
    struct tally sums;
    double all = 0;
    tally_init(&sums);
    if (stack_lines_of(&lines, f, p))
        f->failed = true;
    for (uint32_t i = 0; !f->failed && i < p->sample_count; i++) {
        uint32_t stack = p->samples[i].stack;
        if (marks && !stack_has(marks, stack, mark))
            continue;
        all += (double)p->samples[i].weight;
        if (lines.of_node[stack])
            tally_add(&sums, 0, lines.of_node[stack], p->samples[i].weight);
    }
    const struct tally_row *row = tally_largest(&sums, 0);
    uint32_t line = row ? row->key : 0;
    if (share)
        *share = row && all > 0 ? (double)row->weight / all : 0;
    f->failed = f->failed || sums.failed;
    tally_deinit(&sums);
    return line;
}

static bool is_named_throwable(const char *class_name)
{
    static const char *const ends[] = {"Exception", "Error", "Throwable"};
    size_t n = strlen(class_name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n >= strlen(ends[i]) && !strcmp(class_name + n - strlen(ends[i]), ends[i]))
            return true;
    return false;
}

/* Whether the class is one of those from which all exceptions are derived. */
static bool is_base(const char *class_name)
{
    static const char *const bases[] = {"java.lang.Throwable", "java.lang.Exception", "java.lang.RuntimeException", "java.lang.Error"};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (!strcmp(class_name, bases[i]))
            return true;
    return false;
}

/* Whether a constructor below an exception's constructor belongs to the throw: it is another constructor of the same exception, or of a
 * derived class. A constructor of an object that throws the exception does not belong to it. */
static bool is_of_throw(const char *class_name, const char *made_from)
{
    return is_named_throwable(class_name) || is_base(made_from) || !strcmp(class_name, made_from);
}

/* The frames from fillInStackTrace towards the root are the constructors: Throwable's is the first, and the exception's own is the last. */
uint32_t stack_throw(struct findings *f, const struct profile *p, uint32_t stack, uint32_t *class_name)
{
    uint32_t at = stack, constructor = 0;
    *class_name = 0;
    while (at && (strcmp(class_of(p, at), "java.lang.Throwable") || strcmp(method_of(p, at), "fillInStackTrace")))
        at = p->nodes[at].parent;
    if (!at) /* the JVM itself throws: a null reference, an index, no more stack */
        return stack_site(f, p, stack);
    while (at && !strcmp(method_of(p, at), "fillInStackTrace"))
        at = p->nodes[at].parent;
    for (; at && !strcmp(method_of(p, at), "<init>"); at = p->nodes[at].parent) {
        if (constructor && !is_of_throw(class_of(p, at), class_of(p, constructor)))
            break;
        constructor = at;
    }
    if (constructor)
        *class_name = findings_string(f, class_of(p, constructor));
    return at ? stack_site(f, p, at) : 0;
}
