/* The value `change`: how much the program's own method that surely grew most has grown, in shares of all samples. Hosts are compared with
 * themselves, as /v1/changes does it, so the interval includes how much hosts differ; the test is over all methods. */
#include "regex/regex.h"
#include "server/alerts/sources.h"
#include "store/query/function_changes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of so many evaluations in which nothing has changed, at most one finds something. */
enum { EVALUATIONS = 1000 };

static const char by_host[] = {'s', 'e', 'r', 'v', 'i', 'c', 'e', STORE_BY_SEPARATOR, 'h', 'o', 's', 't', 0};

static bool matches(void *pattern, const struct store_function_name *name)
{
    return pattern ? regex_matches(pattern, name->label) : store_function_is_own(name);
}

/* Adds the methods of each host, or of each block of time if there is a single host. */
static int add_side(struct changes *c, enum changes_side side, const struct store_functions *found)
{
    uint32_t *units = calloc((size_t)found->group_count + 1, sizeof *units);
    int rc = units ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < found->group_count; i++)
        rc = function_changes_unit(c, side, found, i, &units[i]);
    for (uint32_t i = 0; !rc && i < found->count; i++)
        rc = function_changes_row(c, found, &found->rows[i], units[found->rows[i].group]);
    free(units);
    return rc;
}

static int take_window(struct alert_samples *samples, const struct alert_window *w, void *pattern, struct changes *c,
                       enum changes_side side, struct alert_figure *out, struct error *e)
{
    struct selector selector;
    struct store_functions found = {0};
    struct store_result result = {0};
    struct store_query q = {.selector = &selector,
                            .from = w->from,
                            .to = w->to,
                            .type = w->rule->type,
                            .until_ns = samples->until_ns,
                            .is_gone = samples->is_gone,
                            .client = samples->client};
    const struct store_function_query wanted = {.matches = matches,
                                                .context = pattern,
                                                .by = by_host,
                                                .slice = (w->to - w->from + CHANGES_BLOCKS - 1) / CHANGES_BLOCKS,
                                                .lead = 1,
                                                .nearest = true,
                                                .whole = true};
    int rc = samples_selector(&selector, w->rule, w->value, e);
    rc = rc ? rc : store_functions(samples->store, &q, &wanted, &found, &result, e);
    if (!rc && (rc = add_side(c, side, &found)))
        error_set(e, rc, rc == -E2BIG ? "too many methods on too many hosts: select fewer" : "out of memory");
    missing_add_all(&out->missing, &result.missing);
    for (uint32_t i = 0; side == CHANGES_AFTER && i < found.group_count; i++)
        out->samples += found.groups[i].all.samples;
    store_functions_deinit(&found);
    store_result_deinit(&result);
    selector_deinit(&selector);
    return rc;
}

/* Whether the method's own time, with what it calls outside the program, has surely grown. Cost that only moved has not. */
static bool has_grown(const struct changes_value *v)
{
    return v->verdict == CHANGES_NEW || v->verdict == CHANGES_DEARER;
}

/* Takes the growth whose lower bound is highest. Without any the value is 0. */
static void take_largest(const struct changes *c, struct alert_figure *out)
{
    out->known = c->design != CHANGES_NONE;
    for (uint32_t i = 0; out->known && i < c->figure_count; i++) {
        struct changes_bounds b;
        if (!has_grown(&c->figures[i].value[CHANGES_SELF]))
            continue;
        changes_bounds(c, i, CHANGES_SELF, &b);
        if (*out->method && b.interval.low <= out->low)
            continue;
        out->value = c->figures[i].value[CHANGES_SELF].change;
        out->low = b.interval.low;
        out->high = b.interval.high;
        snprintf(out->method, sizeof out->method, "%s", changes_name(c, i));
    }
}

int change_measure(struct alert_samples *samples, const struct alert_window *w, struct alert_figure *out, struct error *e)
{
    const struct alert_window before = {w->rule, w->value, w->from - w->rule->before, w->to - w->rule->before};
    struct regex *pattern = NULL;
    struct changes c;
    *out = (struct alert_figure){0};
    int rc = changes_init(&c) ? error_set(e, -ENOMEM, "out of memory") : 0;
    c.level = 1.0 / EVALUATIONS;
    c.any_pair = true;
    if (!rc && *w->rule->method)
        rc = regex_compile(&pattern, w->rule->method, REGEX_SOMEWHERE, e);
    rc = rc ? rc : take_window(samples, &before, pattern, &c, CHANGES_BEFORE, out, e);
    rc = rc ? rc : take_window(samples, w, pattern, &c, CHANGES_AFTER, out, e);
    if (!rc && changes_compute(&c))
        rc = error_set(e, -ENOMEM, "out of memory");
    if (!rc)
        take_largest(&c, out);
    regex_free(pattern);
    changes_deinit(&c);
    return rc;
}
