#include "profile/merge.h"

#include "profile/accounts.h"
#include "profile/graft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct merge {
    struct profile *to;
    const struct profile *from;
    struct graft graft;
};

static void take_threads(struct merge *m)
{
    for (uint32_t i = 0; i < m->from->thread_count; i++) {
        const struct profile_thread *t = &m->from->threads[i];
        struct profile_thread *to = &m->to->threads[m->graft.threads[i]];
        to->virtual_threads += t->virtual_threads;
        to->cpu_known |= t->cpu_known;
        to->cpu_ns += t->cpu_ns;
    }
}

static int take_samples(struct merge *m)
{
    uint32_t windows = m->to->windows; /* the other recording's windows get new numbers */
    for (uint32_t i = 0; i < m->from->sample_count; i++) {
        struct profile_sample s = m->from->samples[i];
        s.window += s.window ? windows : 0;
        s.thread = m->graft.threads[s.thread];
        s.stack = m->graft.nodes[s.stack];
        s.labels = m->graft.labels[s.labels];
        s.outcome = m->graft.strings[s.outcome];
        int rc = profile_add_sample(m->to, &s);
        if (rc)
            return rc;
    }
    return 0;
}

/* Merges the times of a line. Times add up, but a level is the larger of the two. */
static int64_t time_of_both(bool is_level, int64_t a, int64_t b)
{
    if (is_level)
        return a > b ? a : b;
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int take_books(struct merge *m)
{
    for (uint32_t i = 0; i < m->from->book_count; i++) {
        const struct profile_book *b = &m->from->books[i];
        const struct profile_book *before = profile_book(m->to, profile_text(m->from, b->account), profile_text(m->from, b->reason));
        struct profile_book sum = {m->graft.strings[b->account], m->graft.strings[b->reason], b->ns, b->count};
        if (before) {
            sum.ns = time_of_both(accounts_is_level(m->from, b), sum.ns, before->ns);
            sum.count += before->count;
        }
        if (profile_set_book(m->to, &sum))
            return -ENOMEM;
    }
    return 0;
}

/* Merges the settings. A setting that a recording lacks, or that has several values, becomes PROFILE_DIFFERS. */
static int take_settings(struct merge *m, bool first)
{
    uint32_t word, id = 0;
    if (profile_string(m->to, PROFILE_DIFFERS, strlen(PROFILE_DIFFERS), &word))
        return -ENOMEM;
    for (uint32_t i = 0; i < m->from->setting_count; i++) {
        uint32_t name = m->graft.strings[m->from->settings[i].name], value = m->graft.strings[m->from->settings[i].value];
        const char *before = profile_setting(m->to, profile_text(m->to, name));
        bool same = first || (before && !strcmp(before, profile_text(m->to, value)));
        if (profile_set_setting(m->to, name, same ? value : word))
            return -ENOMEM;
    }
    for (; !first && id < m->to->setting_count; id++)
        if (!profile_setting(m->from, profile_text(m->to, m->to->settings[id].name)))
            m->to->settings[id].value = word;
    return 0;
}

static int take_problems(struct merge *m)
{
    for (uint32_t i = 0; i < m->from->problem_count; i++) {
        const struct profile_problem *one = &m->from->problems[i];
        if (profile_add_problem(m->to, profile_text(m->from, one->level), "%s", profile_text(m->from, one->text)))
            return -ENOMEM;
    }
    return 0;
}

static int take_event_types(struct merge *m)
{
    int rc = 0;
    for (uint32_t i = 0; !rc && i < m->from->event_type_count; i++) {
        struct profile_event_type type = m->from->event_types[i];
        type.name = m->graft.strings[type.name];
        rc = profile_add_event_type(m->to, &type);
    }
    return rc;
}

/* Merges the spans of time. The durations of successive recordings add up. Recordings that overlap have the span that they cover
 * together. */
static void take_span(struct profile *p, const struct profile *from)
{
    int64_t end = p->start_ns + (int64_t)p->duration_ns, from_end = from->start_ns + (int64_t)from->duration_ns;
    bool apart = from->start_ns >= end || p->start_ns >= from_end;
    int64_t start = from->start_ns < p->start_ns ? from->start_ns : p->start_ns;
    if (apart)
        p->duration_ns += from->duration_ns;
    else
        p->duration_ns = (uint64_t)((from_end > end ? from_end : end) - start);
    p->start_ns = start;
}

static void take_figures(struct merge *m, bool first, uint32_t several)
{
    struct profile *p = m->to;
    const struct profile *from = m->from;
    if (first) {
        p->kind = from->kind;
        p->unit = from->unit;
        p->unit_name = m->graft.strings[from->unit_name];
        p->value = m->graft.strings[from->value];
        p->source = m->graft.strings[from->source];
        p->command = m->graft.strings[from->command];
        p->jvm_version = m->graft.strings[from->jvm_version];
        p->interval_ns = from->interval_ns;
        p->pid = from->pid;
        p->start_ns = from->start_ns;
        p->duration_ns = from->duration_ns;
    } else {
        p->source = p->source == m->graft.strings[from->source] ? p->source : several;
        p->command = p->command == m->graft.strings[from->command] ? p->command : 0;
        p->jvm_version = p->jvm_version == m->graft.strings[from->jvm_version] ? p->jvm_version : 0;
        p->interval_ns = p->interval_ns == from->interval_ns ? p->interval_ns : 0;
        p->pid = p->pid == from->pid ? p->pid : 0;
        take_span(p, from);
    }
    p->cpu_samples += from->cpu_samples;
    p->execution_samples += from->execution_samples;
    p->safepoint_samples += from->safepoint_samples;
    p->allocation_samples += from->allocation_samples;
    p->filtered_weight += from->filtered_weight;
    p->hidden_squares += from->hidden_squares;
    p->filtered += from->filtered;
    p->thinned |= from->thinned;
    p->discarded |= from->discarded;
    p->books_elsewhere |= from->books_elsewhere;
}

static bool is_of_one_kind(const struct profile *p, const struct profile *from)
{
    return p->unit == from->unit && p->kind == from->kind && profile_is_safepoint(p) == profile_is_safepoint(from) &&
           !strcmp(profile_text(p, p->value), profile_text(from, from->value)) && !strcmp(profile_unit_word(p), profile_unit_word(from));
}

int profile_merge(struct profile *p, const struct profile *from)
{
    bool first = !p->merged;
    uint32_t several;
    struct merge m = {.to = p, .from = from};
    if (!first && !is_of_one_kind(p, from))
        return -EINVAL;
    p->full_names |= from->full_names;
    int rc = graft_take(&m.graft, p, from);
    if (!rc)
        take_threads(&m);
    rc = rc ? rc : take_samples(&m);
    rc = rc ? rc : take_books(&m);
    rc = rc ? rc : take_settings(&m, first);
    rc = rc ? rc : take_problems(&m);
    rc = rc ? rc : take_event_types(&m);
    rc = rc ? rc : profile_string(p, "several", 7, &several);
    if (!rc) {
        take_figures(&m, first, several);
        p->merged++;
    }
    graft_deinit(&m.graft);
    return rc;
}
