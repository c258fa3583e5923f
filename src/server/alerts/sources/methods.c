/* The values `self` and `total`: the shares of the methods that match a pattern. Thousands of rules ask about the same window, each with a
 * pattern of its own, and each window has mostly the names of the one before. So a pattern looks at each name once, ever, and what a window
 * has of each label is computed once for all rules. */
#include "base/array.h"
#include "profile/figures/stats.h"
#include "regex/regex.h"
#include "server/alerts/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 1 << 20 };

/* ---- names and patterns ---- */

struct pattern {
    uint32_t checked;   /* ids of names below this one have been looked at */
    uint32_t *matching; /* ids of those that match */
    uint32_t count, cap;
};

struct alert_patterns {
    struct strtab names, texts; /* of methods; of patterns: an id is a place in `list` */
    struct pattern *list;
    uint32_t cap;
};

static void forget_all(struct alert_patterns *p)
{
    for (uint32_t i = 0; i < p->cap; i++)
        free(p->list[i].matching);
    free(p->list);
    strtab_deinit(&p->names);
    strtab_deinit(&p->texts);
    *p = (struct alert_patterns){0};
}

struct alert_patterns *patterns_new(void)
{
    struct alert_patterns *p = calloc(1, sizeof *p);
    if (p && (strtab_init(&p->names) || strtab_init(&p->texts))) {
        patterns_free(p);
        return NULL;
    }
    return p;
}

void patterns_free(struct alert_patterns *p)
{
    if (p)
        forget_all(p);
    free(p);
}

int patterns_tidy(struct alert_patterns *p, bool all)
{
    if (!all && p->names.count && p->names.count < NAMES_MAX) /* 0 = an earlier call failed */
        return 0;
    forget_all(p);
    return strtab_init(&p->names) || strtab_init(&p->texts) ? -ENOMEM : 0;
}

static struct pattern *find(struct alert_patterns *p, const char *text)
{
    uint32_t id = strtab_add_text(&p->texts, text), before = p->cap;
    while (id && id >= p->cap)
        if (array_grow((void **)&p->list, &p->cap, p->cap, sizeof *p->list))
            return NULL;
    if (p->cap > before)
        memset(p->list + before, 0, (p->cap - before) * sizeof *p->list);
    return id ? &p->list[id] : NULL;
}

/* Lets the pattern look at the names that it does not know yet. */
static int look(struct alert_patterns *p, struct pattern *one, const char *text, struct error *e)
{
    struct regex *regex = NULL;
    one->checked = one->checked ? one->checked : 1; /* id 0 is no name */
    if (one->checked == p->names.count)
        return 0;
    int rc = regex_compile(&regex, text, REGEX_SOMEWHERE, e);
    for (; !rc && one->checked < p->names.count; one->checked++) {
        if (!regex_matches(regex, strtab_text(&p->names, one->checked)))
            continue;
        if (ARRAY_GROW(one->matching, one->cap, one->count)) {
            rc = error_set(e, -ENOMEM, "out of memory");
            break;
        }
        one->matching[one->count++] = one->checked;
    }
    regex_free(regex);
    return rc;
}

/* ---- a window ---- */

struct method_sums {
    uint32_t *label; /* by node: the id of its method's name; 0 = it has none, such as the root and marks */
    uint64_t *self;  /* by name: the weight of the samples whose innermost frame it is */
    uint32_t names;  /* ids from this one on are not in the window */
};

void method_sums_free(struct method_sums *s)
{
    if (!s)
        return;
    free(s->label);
    free(s->self);
    free(s);
}

/* Gives each node the id of its name. */
static int name_nodes(struct method_sums *s, const struct profile *p, struct strtab *names)
{
    uint32_t *ids = calloc((size_t)p->strings.count + 1, sizeof *ids); /* by string of the profile */
    int rc = ids ? 0 : -ENOMEM;
    for (uint32_t i = 1; !rc && i < p->node_count; i++) {
        const struct profile_frame *f = &p->frames[p->nodes[i].frame];
        if (f->type == PROFILE_TYPE_MARK || !f->label)
            continue;
        if (!ids[f->label])
            ids[f->label] = strtab_add(names, profile_text(p, f->label), strtab_len(&p->strings, f->label));
        s->label[i] = ids[f->label];
        rc = s->label[i] ? 0 : -ENOMEM;
    }
    free(ids);
    return rc;
}

static int sum_nodes(struct method_sums *s, const struct profile *p, struct strtab *names)
{
    s->label = calloc((size_t)p->node_count + 1, sizeof *s->label);
    int rc = s->label ? name_nodes(s, p, names) : -ENOMEM;
    s->names = names->count;
    s->self = calloc((size_t)s->names + 1, sizeof *s->self);
    rc = s->self ? rc : -ENOMEM;
    for (uint32_t i = 0; !rc && i < p->sample_count; i++)
        s->self[s->label[p->samples[i].stack]] += p->samples[i].weight;
    return rc;
}

static struct method_sums *sum_window(const struct profile *p, struct strtab *names)
{
    struct method_sums *s = calloc(1, sizeof *s);
    if (!s || !sum_nodes(s, p, names))
        return s;
    method_sums_free(s);
    return NULL;
}

static uint64_t sum_self(const struct method_sums *s, const struct pattern *one)
{
    uint64_t weight = 0;
    for (uint32_t i = 0; i < one->count && one->matching[i] < s->names; i++)
        weight += s->self[one->matching[i]];
    return weight;
}

/* Sums up the samples that have a match anywhere on their stack. */
static int sum_total(const struct method_sums *s, const struct pattern *one, const struct profile *p, uint64_t *weight)
{
    uint8_t *of_name = calloc((size_t)s->names + 1, 1), *of_node = malloc((size_t)p->node_count + 1);
    bool any = false;
    int rc = of_name && of_node ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < one->count && one->matching[i] < s->names; i++) {
        of_name[one->matching[i]] = 1;
        any = true;
    }
    *weight = 0;
    if (!rc)
        of_node[0] = 0;
    for (uint32_t i = 1; any && i < p->node_count; i++)
        of_node[i] = of_name[s->label[i]] | of_node[p->nodes[i].parent];
    for (uint32_t i = 0; any && i < p->sample_count; i++)
        *weight += of_node[p->samples[i].stack] ? p->samples[i].weight : 0;
    free(of_name);
    free(of_node);
    return rc;
}

/* ---- the values ---- */

static int measure(struct alert_samples *samples, const struct alert_window *w, bool total, struct alert_figure *out, struct error *e)
{
    struct alert_sampled *s;
    uint64_t weight = 0;
    int rc = samples_get(samples, w->rule, w->value, w->from, w->to, &s, e);
    if (rc)
        return rc;
    s->methods = s->methods ? s->methods : sum_window(&s->profile, &samples->patterns->names);
    struct pattern *one = find(samples->patterns, w->rule->method);
    if (!s->methods || !one)
        return error_set(e, -ENOMEM, "out of memory");
    rc = look(samples->patterns, one, w->rule->method, e);
    if (!rc && !total)
        weight = sum_self(s->methods, one);
    if (!rc && total && sum_total(s->methods, one, &s->profile, &weight))
        rc = error_set(e, -ENOMEM, "out of memory");
    if (rc)
        return rc;
    double share = s->profile.weight ? (double)weight / (double)s->profile.weight : 0;
    struct interval interval = stats_wilson(share, s->effective);
    *out = (struct alert_figure){.value = share,
                                 .low = interval.low,
                                 .high = interval.high,
                                 .known = s->profile.sample_count > 0,
                                 .samples = s->profile.sampled,
                                 .missing = s->result.missing};
    return 0;
}

int self_measure(struct alert_samples *samples, const struct alert_window *w, struct alert_figure *out, struct error *e)
{
    return measure(samples, w, false, out, e);
}

int total_measure(struct alert_samples *samples, const struct alert_window *w, struct alert_figure *out, struct error *e)
{
    return measure(samples, w, true, out, e);
}
