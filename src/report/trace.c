#include "report/trace.h"

#include "base/array.h"
#include "profile/allocated.h"
#include "profile/filter.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const enum profile_kind trace_kinds[TRACE_KINDS] = {PROFILE_RUNNING, PROFILE_WALL, PROFILE_ALLOC, PROFILE_LOCK, PROFILE_HOLDER};

static const char *label_of(const struct profile *p, uint32_t labels, const char *key)
{
    for (; labels; labels = p->labels[labels].parent)
        if (!strcmp(profile_text(p, p->labels[labels].key), key))
            return profile_text(p, p->labels[labels].value);
    return "";
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool is_of_the_jdk(const struct profile *p, const struct profile_frame *f)
{
    const char *name = profile_text(p, p->methods[f->method].class_name);
    bool is_java = f->type <= JFR_FRAME_INLINED || (f->type >= JFR_FRAME_C1_APPROXIMATE && f->type <= JFR_FRAME_JAVA);
    return !is_java || begins(name, "java.") || begins(name, "javax.") || begins(name, "jdk.") || begins(name, "sun.") ||
           begins(name, "com.sun.");
}

static const char *innermost_of_program(const struct profile *p, uint32_t stack)
{
    for (; stack; stack = p->nodes[stack].parent) {
        const struct profile_frame *f = &p->frames[p->nodes[stack].frame];
        if (!is_of_the_jdk(p, f))
            return profile_text(p, f->label);
    }
    return "";
}

/* Returns the innermost frame of code. The class of an allocated object may be a frame of the stack (allocated.h); it is skipped. */
static const char *leaf_of(const struct profile *p, uint32_t stack)
{
    if (stack && p->frames[p->nodes[stack].frame].type == JFR_FRAME_PSEUDO && allocated_has_classes(p))
        stack = p->nodes[stack].parent;
    return stack ? profile_text(p, p->frames[p->nodes[stack].frame].label) : "";
}

int trace_keep(struct profile *p, const char *id)
{
    char wanted[64];
    struct error e;
    struct filter f = {0};
    snprintf(wanted, sizeof wanted, "trace_id=^%.32s$", id);
    int rc = filter_compile_label(&f.label, wanted, &e);
    rc = rc ? rc : filter_apply(&f, p);
    filter_deinit(&f);
    return rc;
}

static struct trace_lock lock_of(const struct profile *p, uint32_t labels)
{
    bool is_lock = p->kind == PROFILE_LOCK || p->kind == PROFILE_HOLDER;
    if (!is_lock)
        return (struct trace_lock){"", "", "", "", ""};
    return (struct trace_lock){.class_name = label_of(p, labels, "class"),
                               .owner = label_of(p, labels, "owner"),
                               .owner_trace = label_of(p, labels, "owner_trace_id"),
                               .owner_span = label_of(p, labels, "owner_span_id"),
                               .owner_endpoint = label_of(p, labels, "owner_endpoint")};
}

int trace_add(struct trace *t, const struct profile *p)
{
    for (uint32_t i = 0; i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        if (ARRAY_GROW(t->pieces, t->piece_cap, t->piece_count))
            return -ENOMEM;
        t->pieces[t->piece_count++] = (struct trace_piece){
            .from_ns = s->time_ns,
            .to_ns = s->time_ns,
            .kind = p->kind,
            .state = s->state,
            .weight = s->weight,
            .samples = s->count,
            .process = t->process ? t->process : "",
            .thread = profile_text(p, p->threads[s->thread].name),
            .span = label_of(p, s->labels, "span_id"),
            .root = label_of(p, s->labels, "root_span_id"),
            .endpoint = label_of(p, s->labels, "endpoint"),
            .leaf = leaf_of(p, s->stack),
            .in = innermost_of_program(p, s->stack),
            .lock = lock_of(p, s->labels),
        };
    }
    return 0;
}

/* ---- the order of pieces, and their spans ---- */

static int compare_threads(const struct trace_piece *a, const struct trace_piece *b)
{
    int order = strcmp(a->process, b->process);
    return order ? order : strcmp(a->thread, b->thread);
}

static int by_time(const void *left, const void *right)
{
    const struct trace_piece *a = left, *b = right;
    int order = (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
    if (!order)
        order = compare_threads(a, b);
    return order ? order : (int)a->kind - (int)b->kind;
}

static int by_thread(const void *left, const void *right)
{
    const struct trace_piece *a = left, *b = right;
    int order = compare_threads(a, b);
    if (!order)
        order = (int)a->kind - (int)b->kind;
    return order ? order : by_time(left, right);
}

static bool is_same_lock(const struct trace_lock *a, const struct trace_lock *b)
{
    return !strcmp(a->class_name, b->class_name) && !strcmp(a->owner, b->owner) && !strcmp(a->owner_trace, b->owner_trace) &&
           !strcmp(a->owner_span, b->owner_span) && !strcmp(a->owner_endpoint, b->owner_endpoint);
}

static bool go_together(const struct trace_piece *a, const struct trace_piece *b)
{
    return a->kind == b->kind && a->state == b->state && !compare_threads(a, b) && !strcmp(a->span, b->span) && !strcmp(a->leaf, b->leaf) &&
           !strcmp(a->in, b->in) && is_same_lock(&a->lock, &b->lock);
}

static void join(struct trace *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->piece_count; i++) {
        const struct trace_piece *one = &t->pieces[i];
        struct trace_piece *last = kept ? &t->pieces[kept - 1] : NULL;
        t->threads += !last || compare_threads(last, one);
        if (last && go_together(last, one)) {
            last->to_ns = one->to_ns;
            last->weight += one->weight;
            last->samples += one->samples;
        } else {
            t->pieces[kept++] = *one;
        }
    }
    t->piece_count = kept;
}

static int by_span(const void *left, const void *right)
{
    const struct trace_piece *a = left, *b = right;
    int order = strcmp(a->span, b->span);
    return order ? order : by_time(left, right);
}

static int spans_by_time(const void *left, const void *right)
{
    const struct trace_span *a = left, *b = right;
    int order = (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
    return order ? order : strcmp(a->id, b->id);
}

/* Returns the span of a piece, and adds it if it is new. The pieces must come in the order of by_span. NULL when out of memory. */
static struct trace_span *span_of(struct trace *t, const struct trace_piece *piece)
{
    struct trace_span *last = t->span_count ? &t->spans[t->span_count - 1] : NULL;
    if (last && !strcmp(last->id, piece->span))
        return last;
    if (ARRAY_GROW(t->spans, t->span_cap, t->span_count))
        return NULL;
    struct trace_span *span = &t->spans[t->span_count++];
    *span = (struct trace_span){.id = piece->span, .root = piece->root, .from_ns = piece->from_ns, .to_ns = piece->to_ns};
    return span;
}

static int add_spans(struct trace *t)
{
    qsort(t->pieces, t->piece_count, sizeof *t->pieces, by_span);
    for (uint32_t i = 0; i < t->piece_count; i++) {
        const struct trace_piece *piece = &t->pieces[i];
        struct trace_span *span = span_of(t, piece);
        if (!span)
            return -ENOMEM;
        if (piece->to_ns > span->to_ns)
            span->to_ns = piece->to_ns;
        span->weights[piece->kind] += piece->weight;
        t->weights[piece->kind] += piece->weight;
        t->samples += piece->samples;
    }
    qsort(t->spans, t->span_count, sizeof *t->spans, spans_by_time);
    return 0;
}

int trace_finish(struct trace *t)
{
    if (!t->piece_count)
        return 0;
    qsort(t->pieces, t->piece_count, sizeof *t->pieces, by_thread);
    join(t);
    int rc = add_spans(t);
    qsort(t->pieces, t->piece_count, sizeof *t->pieces, by_time);
    return rc;
}

void trace_deinit(struct trace *t)
{
    free(t->pieces);
    free(t->spans);
    *t = (struct trace){0};
}
