#include "base/text/number.h"
#include "format/pprof.h"

#include "base/array.h"
#include "format/label.h"
#include "format/pprof_fields.h"
#include "format/read/pprof_tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 64 };

/* The state of the reader. It reads the file twice, because the tables that samples refer to may come after the samples. */
struct reader {
    struct profile *p;
    const struct import *in;
    struct pprof_tables t;
    struct import_stack stack;
    uint32_t value, counter; /* the indices of the values that are weights and counts; counter = type_count: there is no count */
    uint64_t scale;
    uint64_t steps; /* frames that stacks may still have: a limit for invalid files; valid ones need a few bytes for each */
    uint64_t refused;
};

static bool text_starts(pprof_text t, const char *word, pprof_text *rest)
{
    size_t n = strlen(word);
    if (t.len < n || memcmp(t.bytes, word, n))
        return false;
    *rest = (pprof_text){t.bytes + n, t.len - n};
    return true;
}

static int intern(struct profile *p, pprof_text t, uint32_t *id)
{
    return profile_string(p, t.bytes, t.len, id);
}

/* ---- the value to read ---- */

static bool is_time(pprof_text unit)
{
    return pprof_text_is(unit, "nanoseconds") || pprof_text_is(unit, "microseconds") || pprof_text_is(unit, "milliseconds") ||
           pprof_text_is(unit, "seconds");
}

static int no_such_value(const struct reader *r)
{
    char known[256] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < r->t.type_count && used < sizeof known; i++) {
        pprof_text t = pprof_tables_text(&r->t, r->t.types[i].type);
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%.*s", i ? ", " : "", (int)(t.len < 60 ? t.len : 60), t.bytes);
    }
    return import_bad(r->in, "no value '%.60s'; the values are %s", r->in->value, known);
}

static pprof_text name_of(const struct reader *r, uint32_t value)
{
    return pprof_tables_text(&r->t, r->t.types[value].type);
}

/* Whether samples of the wanted kind are weighted by this value. */
static bool is_of_kind(const struct reader *r, uint32_t value)
{
    static const struct {
        enum profile_kind kind;
        const char *name;
    } names[] = {{PROFILE_RUNNING, "cpu"},      {PROFILE_WALL, "wall"},  {PROFILE_ALLOC, "alloc_space"},
                 {PROFILE_LIVE, "inuse_space"}, {PROFILE_LOCK, "delay"}, {PROFILE_LOCK, "lock"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kind == r->p->kind && pprof_text_is(name_of(r, value), names[i].name))
            return true;
    return false;
}

/* Chooses the value to read: the one that the user named, else that of the requested kind, else the file's default, else the last, as
 * pprof does. For CPU time the file's default comes before the value of the kind. */
static uint32_t find_value(const struct reader *r)
{
    uint32_t none = r->t.type_count, by_name = none, of_kind = none, preferred = none;
    for (uint32_t i = 0; i < r->t.type_count; i++) {
        if (r->in->value && pprof_text_is(name_of(r, i), r->in->value))
            by_name = i;
        if (is_of_kind(r, i))
            of_kind = i;
        if (r->t.default_type && r->t.types[i].type == r->t.default_type)
            preferred = i;
    }
    if (r->in->value)
        return by_name;
    if (of_kind < none && (r->p->kind != PROFILE_RUNNING || preferred == none))
        return of_kind;
    return preferred < none ? preferred : none - 1;
}

/* Adds the name of a value that is not read, once. */
static int add_other(struct profile *p, pprof_text name)
{
    uint32_t id;
    if (intern(p, name, &id))
        return -ENOMEM;
    for (uint32_t i = 0; i < p->other_value_count; i++)
        if (p->other_values[i] == id)
            return 0;
    if (ARRAY_GROW(p->other_values, p->other_value_cap, p->other_value_count))
        return -ENOMEM;
    p->other_values[p->other_value_count++] = id;
    return 0;
}

/* Says in a problem of the profile which values are left out because they are neither weights nor counts of samples. */
static int name_unused(const struct reader *r)
{
    char others[256] = "";
    size_t used = 0;
    uint32_t count = 0;
    pprof_text chosen = name_of(r, r->value);
    for (uint32_t i = 0; i < r->t.type_count; i++) {
        pprof_text t = name_of(r, i);
        if (i == r->value || i == r->counter || (t.len == chosen.len && !memcmp(t.bytes, chosen.bytes, t.len)))
            continue;
        if (add_other(r->p, t))
            return -ENOMEM;
        count++;
        if (used < sizeof others)
            used +=
                (size_t)snprintf(others + used, sizeof others - used, "%s%.*s", used ? ", " : "", (int)(t.len < 60 ? t.len : 60), t.bytes);
    }
    if (!used)
        return 0;
    return profile_add_problem(r->p, "info", "The weights are %.*s. %s %s not used; choose a value with --value",
                               (int)(chosen.len < 60 ? chosen.len : 60), chosen.bytes, others, count == 1 ? "is" : "are");
}

static int choose_value(struct reader *r)
{
    if (!r->t.type_count)
        return import_bad(r->in, "not a pprof profile: it does not name its values");
    r->value = find_value(r);
    if (r->value == r->t.type_count)
        return no_such_value(r);
    if (r->t.type_count > VALUES_MAX)
        return import_bad(r->in, "more than %d values for each sample", VALUES_MAX);
    r->counter = r->t.type_count;
    for (uint32_t i = 0; i < r->t.type_count; i++)
        if (i != r->value && pprof_text_is(name_of(r, i), "samples") &&
            pprof_text_is(pprof_tables_text(&r->t, r->t.types[i].unit), "count"))
            r->counter = i;
    return name_unused(r);
}

static int take_unit(struct reader *r)
{
    pprof_text type = pprof_tables_text(&r->t, r->t.types[r->value].type), unit = pprof_tables_text(&r->t, r->t.types[r->value].unit);
    char *words[2] = {strndup(type.bytes, type.len), strndup(unit.bytes, unit.len)};
    int rc = words[0] && words[1] ? import_unit(r->p, words[0], words[1], &r->scale) : -ENOMEM;
    free(words[0]);
    free(words[1]);
    if (r->t.period > 0 && is_time(pprof_tables_text(&r->t, r->t.period_type.unit)) && is_time(unit))
        r->p->interval_ns = (uint64_t)r->t.period; /* in nanoseconds, because all writers use this unit */
    return rc;
}

/* Reads the comments that pprof_write writes. */
static int take_comment_texts(struct reader *r)
{
    struct profile *p = r->p;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < r->t.comment_count; i++) {
        pprof_text t = pprof_tables_text(&r->t, r->t.comments[i]), rest;
        if (text_starts(t, PPROF_PROCESS, &rest))
            rc = intern(p, rest, &p->command);
        else if (text_starts(t, PPROF_JVM, &rest))
            rc = intern(p, rest, &p->jvm_version);
        else if (text_starts(t, PPROF_PID, &rest))
            number_take_before(&rest.bytes, rest.bytes + rest.len, 10, &p->pid);
    }
    return rc;
}

/* ---- samples ---- */

static int push_location(struct reader *r, uint64_t id)
{
    const uint32_t *at = map_find(&r->t.location_of, id);
    const struct pprof_place *l = at ? &r->t.locations[*at] : NULL;
    for (uint32_t i = 0; l && i < l->count; i++) {
        if (r->stack.count > import_stack_most(&r->stack))
            return 0;
        if (!r->steps--)
            return import_bad(r->in, "stacks that repeat themselves more than in any real recording: not read");
        if (import_stack_add(&r->stack, r->t.frames[l->first + i]))
            return -ENOMEM;
    }
    return 0;
}

/* The information in the labels of a sample. */
struct labels {
    uint32_t thread, outcome; /* string ids */
    uint32_t others;          /* set of labels */
    uint64_t os_id, java_id;
    uint8_t state;
};

static int take_label(struct reader *r, const struct pb_field *field, struct labels *l)
{
    pprof_text key = {"", 0}, str = {"", 0}, unit = {"", 0};
    uint64_t number = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == PPROF_LABEL_KEY)
            key = pprof_tables_text(&r->t, f.value);
        else if (f.number == PPROF_LABEL_STR)
            str = pprof_tables_text(&r->t, f.value);
        else if (f.number == PPROF_LABEL_NUM)
            number = f.value;
        else if (f.number == PPROF_LABEL_UNIT)
            unit = pprof_tables_text(&r->t, f.value);
    }
    if (pprof_text_is(key, PPROF_THREAD) || pprof_text_is(key, "thread_name") || pprof_text_is(key, "thread.name"))
        return intern(r->p, str, &l->thread);
    if (pprof_text_is(key, PPROF_OUTCOME))
        return intern(r->p, str, &l->outcome);
    if (pprof_text_is(key, PPROF_STATE))
        l->state = import_state(str.bytes, str.len);
    else if (pprof_text_is(key, PPROF_THREAD_ID) || pprof_text_is(key, "tid") || pprof_text_is(key, "thread id"))
        l->os_id = number;
    else if (pprof_text_is(key, PPROF_JAVA_THREAD_ID))
        l->java_id = number;
    else if (str.len)
        return label_text(r->p, key, str, &l->others);
    else
        return label_number(r->p, key, (int64_t)number, unit, &l->others);
    return 0;
}

static int take_thread(struct reader *r, const struct labels *l, uint32_t *thread)
{
    if (!l->thread && !l->os_id && !l->java_id)
        return import_no_thread(r->p, thread);
    return profile_thread(r->p, l->thread, l->os_id, l->java_id, thread);
}

static int take_values(const struct reader *r, const struct pb_field *f, uint32_t *index, struct profile_sample *s)
{
    struct pb_numbers rest = pb_numbers(f);
    for (uint64_t v; pb_number(&rest, &v); ++*index) {
        if (*index == r->value)
            s->weight = import_weight((int64_t)v, r->scale);
        else if (*index == r->counter)
            s->count = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
    }
    return 0;
}

/* Sets the sample's count. If no value counts the samples, weights that are counts, or multiples of a period, show it. */
static void count(const struct reader *r, struct profile_sample *s)
{
    uint64_t n = s->count;
    if (r->counter == r->t.type_count && r->p->unit == PROFILE_UNIT_SAMPLES)
        n = s->weight;
    else if (r->counter == r->t.type_count && r->p->unit == PROFILE_UNIT_NS && r->p->interval_ns)
        n = s->weight / r->p->interval_ns;
    s->count = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static int take_sample(struct reader *r, const struct pb_field *field)
{
    struct labels labels = {0};
    struct profile_sample s = {0};
    uint32_t values = 0;
    bool truncated;
    int rc = 0;
    r->stack.count = 0;
    struct pb m = pb_message(field);
    for (struct pb_field f; !rc && pb_next(&m, &f);) {
        if (f.number == PPROF_SAMPLE_LOCATION) {
            struct pb_numbers rest = pb_numbers(&f);
            for (uint64_t id; !rc && pb_number(&rest, &id);)
                rc = push_location(r, id);
        } else if (f.number == PPROF_SAMPLE_VALUE) {
            rc = take_values(r, &f, &values, &s);
        } else if (f.number == PPROF_SAMPLE_LABEL) {
            rc = take_label(r, &f, &labels);
        }
    }
    if (r->in->limits)
        r->in->limits->cut_stacks += r->stack.count > import_stack_most(&r->stack);
    if (!rc)
        rc = import_stack_take(&r->stack, r->p, true, &s.stack, &truncated);
    if (!rc && !s.stack)
        rc = import_no_stack(r->p, &s.stack);
    if (!rc)
        rc = take_thread(r, &labels, &s.thread);
    s.labels = labels.others;
    s.outcome = labels.outcome;
    s.state = labels.state;
    count(r, &s);
    return rc ? rc : import_sample(r->p, &s, truncated, &r->refused);
}

static int walk(struct reader *r, int (*take)(struct reader *r, const struct pb_field *f))
{
    int rc = 0;
    struct pb m = pb_init(r->in->bytes, r->in->size);
    for (struct pb_field f; !rc && pb_next(&m, &f);)
        rc = take(r, &f);
    return !rc && m.bad ? import_bad(r->in, "damaged: a pprof profile that is truncated, or another kind of file") : rc;
}

static int take_table(struct reader *r, const struct pb_field *f)
{
    return pprof_tables_take(&r->t, f);
}

static int take_if_sample(struct reader *r, const struct pb_field *f)
{
    return f->number == PPROF_SAMPLE ? take_sample(r, f) : 0;
}

static int read_all(struct reader *r)
{
    int rc = walk(r, take_table);
    rc = rc ? rc : choose_value(r);
    rc = rc ? rc : take_unit(r);
    rc = rc ? rc : take_comment_texts(r);
    rc = rc ? rc : pprof_tables_resolve(&r->t);
    rc = rc ? rc : walk(r, take_if_sample);
    rc = rc ? rc : import_refused(r->p, r->refused);
    return rc;
}

uint64_t pprof_samples(const void *bytes, size_t size)
{
    uint64_t n = 0;
    struct pb m = pb_init(bytes, size);
    for (struct pb_field f; pb_next(&m, &f);)
        n += f.number == PPROF_SAMPLE;
    return n;
}

int pprof_read(struct profile *p, const struct import *in)
{
    struct reader r = {.p = p, .t = {.p = p, .limits = in->limits}, .in = in, .steps = 64 * (uint64_t)in->size + 65536};
    r.stack.most = in->limits ? in->limits->frames : 0;
    int rc = read_all(&r);
    pprof_tables_deinit(&r.t);
    import_stack_deinit(&r.stack);
    return rc;
}
