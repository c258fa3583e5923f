#include "profile/filter.h"

#include "base/text/time_range.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int filter_compile(struct filter_pattern *pattern, const char *text, struct error *e)
{
    return regex_compile(&pattern->regex, text, REGEX_SOMEWHERE, e);
}

int filter_compile_label(struct filter_label *label, const char *text, struct error *e)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return error_set(e, -EINVAL, "write it KEY=REGEX");
    int rc = filter_compile(&label->value, equals + 1, e);
    label->key = rc ? NULL : strndup(text, (size_t)(equals - text));
    return rc ? rc : label->key ? 0 : error_set(e, -ENOMEM, "out of memory");
}

void filter_pattern_free(struct filter_pattern *pattern)
{
    regex_free(pattern->regex);
    pattern->regex = NULL;
}

void filter_deinit(struct filter *f)
{
    filter_pattern_free(&f->thread);
    filter_pattern_free(&f->method);
    filter_pattern_free(&f->not_method);
    filter_pattern_free(&f->package);
    filter_pattern_free(&f->not_package);
    filter_pattern_free(&f->label.value);
    filter_pattern_free(&f->not_label.value);
    free(f->label.key);
    free(f->not_label.key);
}

static bool looks_at_what_is_shown(const struct filter *f)
{
    return f->method.regex || f->not_method.regex || f->package.regex || f->not_package.regex || f->label.key || f->not_label.key ||
           f->states || f->types;
}

bool filter_is_set(const struct filter *f)
{
    return f->timed || f->thread.regex || looks_at_what_is_shown(f);
}

int filter_time(struct filter *f, const char *range, const struct profile *p)
{
    struct time_range parsed;
    int rc = time_range_parse(&parsed, range, p->start_ns, p->duration_ns);
    f->timed = true;
    f->from_ns = parsed.from_ns;
    f->to_ns = parsed.to_ns;
    return rc;
}

/* ---- tests of samples ---- */

/* The filter's patterns that match some frame of a stack. */
enum { METHOD = 1, NOT_METHOD = 2, PACKAGE = 4, NOT_PACKAGE = 8 };

static bool matches(const struct filter_pattern *pattern, const char *text)
{
    return pattern->regex && regex_matches(pattern->regex, text);
}

static uint8_t frame_shows(const struct filter *f, const struct profile *p, const struct profile_frame *frame)
{
    const char *label = profile_text(p, frame->label), *package = profile_text(p, p->methods[frame->method].package);
    if (frame->type == PROFILE_TYPE_MARK)
        return 0;
    return (uint8_t)(matches(&f->method, label) * METHOD | matches(&f->not_method, label) * NOT_METHOD |
                     matches(&f->package, package) * PACKAGE | matches(&f->not_package, package) * NOT_PACKAGE);
}

/* Computes for each node of the trie which patterns match the node or a node above it. Each frame is tested once. NULL if out of memory. */
static uint8_t *stacks_show(const struct filter *f, const struct profile *p)
{
    uint8_t *frames = calloc((size_t)p->frame_count + 1, 1), *nodes = calloc(p->node_count, 1);
    for (uint32_t i = 0; frames && nodes && i < p->frame_count; i++)
        frames[i] = frame_shows(f, p, &p->frames[i]);
    for (uint32_t i = 1; frames && nodes && i < p->node_count; i++)
        nodes[i] = nodes[p->nodes[i].parent] | frames[p->nodes[i].frame];
    if (!frames) {
        free(nodes);
        nodes = NULL;
    }
    free(frames);
    return nodes;
}

/* Computes for each set of labels whether the filter keeps it. Each label is tested once, and inherits the result of its parent set.
 * NULL if out of memory. */
static bool *labels_pass(const struct filter *f, const struct profile *p)
{
    enum { WANTED = 1, UNWANTED = 2 };
    uint8_t *has = calloc(p->label_count, 1);
    bool *pass = calloc(p->label_count, sizeof *pass);
    for (uint32_t i = 0; has && pass && i < p->label_count; i++) {
        const struct profile_label *l = &p->labels[i];
        const char *key = profile_text(p, l->key), *value = profile_text(p, l->value);
        bool wanted = i && f->label.key && !strcmp(key, f->label.key) && matches(&f->label.value, value);
        bool unwanted = i && f->not_label.key && !strcmp(key, f->not_label.key) && matches(&f->not_label.value, value);
        has[i] = (uint8_t)((i ? has[l->parent] : 0) | wanted * WANTED | unwanted * UNWANTED);
        pass[i] = (!f->label.key || has[i] & WANTED) && !(has[i] & UNWANTED);
    }
    if (!has) {
        free(pass);
        pass = NULL;
    }
    free(has);
    return pass;
}

static bool is_wanted(const struct filter *f, const struct profile *p, const struct profile_sample *s, uint8_t shows, bool thread)
{
    uint8_t type = s->stack ? p->frames[p->nodes[s->stack].frame].type : PROFILE_TYPE_OTHER;
    if (f->timed && (!s->time_ns || s->time_ns < f->from_ns || s->time_ns >= f->to_ns))
        return false;
    if ((f->states && !(f->states >> s->state & 1)) || (f->types && !(f->types >> type & 1)))
        return false;
    if ((f->method.regex && !(shows & METHOD)) || (f->package.regex && !(shows & PACKAGE)))
        return false;
    return thread && !(shows & (NOT_METHOD | NOT_PACKAGE));
}

int filter_apply(const struct filter *f, struct profile *p)
{
    uint8_t *shows = stacks_show(f, p);
    bool *threads = calloc((size_t)p->thread_count + 1, sizeof *threads), *labels = labels_pass(f, p);
    uint32_t kept = 0;
    int rc = shows && threads && labels ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < p->thread_count; i++)
        threads[i] = !f->thread.regex || matches(&f->thread, profile_text(p, p->threads[i].name));
    for (uint32_t i = 0; !rc && i < p->sample_count; i++) {
        const struct profile_sample *s = &p->samples[i];
        if (labels[s->labels] && is_wanted(f, p, s, shows[s->stack], threads[s->thread])) {
            p->samples[kept++] = *s;
        } else {
            p->weight -= s->weight;
            p->sampled -= s->count;
            p->filtered_weight += s->weight;
            p->filtered += s->count;
        }
    }
    if (!rc) {
        p->sample_count = kept;
        p->thinned |= looks_at_what_is_shown(f);
    }
    free(shows);
    free(threads);
    free(labels);
    return rc;
}

int filter_keep(struct filter_kept *k, struct profile *p)
{
    uint32_t cap = p->sample_count + 1;
    struct profile_sample *copy = malloc(cap * sizeof *copy);
    *k = (struct filter_kept){0};
    if (!copy)
        return -ENOMEM;
    if (p->sample_count)
        memcpy(copy, p->samples, p->sample_count * sizeof *copy);
    if (p->samples)
        *k = (struct filter_kept){p->samples, p->sample_count, p->sample_cap, p->sampled, p->weight, p->thinned};
    p->samples = copy;
    p->sample_cap = cap;
    return 0;
}

void filter_put_back(struct filter_kept *k, struct profile *p)
{
    if (!k->samples)
        return;
    free(p->samples);
    p->samples = k->samples;
    p->sample_count = k->count;
    p->sample_cap = k->cap;
    p->sampled = k->sampled;
    p->weight = k->weight;
    p->thinned = k->thinned;
    k->samples = NULL;
}
