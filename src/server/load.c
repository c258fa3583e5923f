#include "server/load.h"

#include "compress/intake.h"
#include "format/read/formats.h"
#include "profile/allocated.h"
#include "server/left_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What counts of a clock's samples become once it is known how often it takes one; NULL: other counts (objects, goroutines) are what they
 * are. */
static const char *time_of(const struct profile *p)
{
    static const char *const clocks[][2] = {{"itimer", "cpu"}, {"ctimer", "cpu"}, {"wall", "wall"}};
    const char *value = profile_text(p, p->value);
    if (p->kind != PROFILE_RUNNING)
        return NULL;
    if (p->unit == PROFILE_UNIT_SAMPLES)
        return !*value || !strcmp(value, "samples") || !strcmp(value, "cpu") ? "cpu" : NULL;
    for (size_t i = 0; p->unit == PROFILE_UNIT_OTHER && i < sizeof clocks / sizeof *clocks; i++)
        if (!strcmp(value, clocks[i][0]) && !strcmp(profile_unit_word(p), "count"))
            return clocks[i][1];
    return NULL;
}

/* Counts of samples become times, where the sender said how often it samples. */
static int scale(struct profile *p, uint64_t period_ns, const char *value, struct error *e)
{
    uint64_t weight;
    if (__builtin_mul_overflow(p->weight, period_ns, &weight) || weight >> 62)
        return error_set(e, -EINVAL, "its weights cannot be true");
    for (uint32_t i = 0; i < p->sample_count; i++)
        p->samples[i].weight *= period_ns;
    p->weight = weight;
    p->unit = PROFILE_UNIT_NS;
    p->interval_ns = period_ns;
    return profile_string(p, value, strlen(value), &p->value);
}

/* ---- names ---- */

/* Values that the sender calls otherwise are kept by that name; false: not at all. */
static int rename_value(struct profile *p, const struct envelope_note *note, bool *kept)
{
    const char *own = profile_text(p, p->value), *other = labels_get(&note->values, own);
    char both[CATALOGUE_TYPE_MAX];
    *kept = strcmp(other, ENVELOPE_LEFT_OUT) != 0;
    if (!*kept || !*own)
        return 0;
    if (!*other && *note->family && strcmp(own, note->family)) {
        snprintf(both, sizeof both, "%s_%.60s", note->family, own);
        other = both;
    }
    return *other ? profile_string(p, other, strlen(other), &p->value) : 0;
}

/* ---- reading ---- */

/* Half a recording is none: who sent it has the whole one. */
static int load_value(struct profile *p, const char *value, struct intake *in, const struct envelope_note *note, struct error *e)
{
    const char *format = *note->format ? note->format : formats_recognise(in->bytes, in->size);
    int rc = 0;
    if (*in->damage)
        rc = error_set(e, -EINVAL, "the recording: %s", in->damage);
    else if (!in->size)
        rc = error_set(e, -EINVAL, "the recording: empty");
    else if (!format)
        rc = error_set(e, -EPROTONOSUPPORT, "the recording: its content is none of " FORMATS_READ);
    if (rc) {
        intake_close(in);
        return rc;
    }
    rc = formats_load_from(p, in, "the recording", format, value, e);
    if (!rc && allocated_has_classes(p) && allocated_add_frames(p))
        rc = error_set(e, -ENOMEM, "the recording: out of memory");
    if (!rc && note->period_ns && time_of(p))
        rc = scale(p, note->period_ns, time_of(p), e);
    return rc == -EBADMSG ? -EINVAL : rc;
}

/* value: NULL = the format's own choice for that kind. */
static int load_one(struct store_profiles *to, enum profile_kind kind, const char *value, const struct envelope *v, struct error *e)
{
    struct intake in;
    if (to->count == CATALOGUE_CONTENTS_MAX)
        return error_set(e, -EINVAL, "the recording: more than %d values for each sample", CATALOGUE_CONTENTS_MAX);
    struct profile *p = store_profiles_add(to);
    if (!p)
        return error_set(e, -ENOMEM, "the recording: out of memory");
    p->kind = kind;
    p->or_others = kind == PROFILE_RUNNING;
    int rc = intake_open_memory(&in, v->body, v->size, "the recording", e);
    return rc ? rc : load_value(p, value, &in, &v->note, e);
}

static void drop(struct store_profiles *of, uint32_t i)
{
    profile_deinit(&of->list[i]);
    memmove(&of->list[i], &of->list[i + 1], (--of->count - i) * sizeof of->list[0]);
}

/* What there is beside the first; without samples it is nothing. */
static int load_other(struct store_profiles *to, enum profile_kind kind, const char *value, const struct envelope *v, struct error *e)
{
    int rc = load_one(to, kind, value, v, e);
    struct profile *p = &to->list[to->count - 1];
    if (rc)
        return rc;
    if (!profile_kinds[kind].stored)
        left_out_add(to, "%" PRIu32 " samples of the kind %s", p->sample_count, profile_kinds[kind].word);
    if (!p->sample_count || !profile_kinds[kind].stored)
        drop(to, to->count - 1);
    return 0;
}

/* By the names that they are kept by; values that are not kept go, but for one without samples if there is nothing else. */
static int rename_values(struct store_profiles *of, const struct envelope_note *note, struct error *e)
{
    bool kept;
    for (uint32_t i = 0; i < of->count; i++) {
        struct profile *p = &of->list[i];
        if (rename_value(p, note, &kept))
            return error_set(e, -ENOMEM, "the recording: out of memory");
        if (kept)
            continue;
        left_out_add(of, "%s, which is a sum since the program's start", profile_text(p, p->value));
        if (of->count == 1)
            return error_set(e, -EINVAL, "the recording: nothing of it is kept: %s", of->left_out);
        drop(of, i--);
    }
    return 0;
}

/* Another view of samples that are kept, or of what is no sum over time. */
static bool is_read(const struct profile *first, enum profile_kind kind)
{
    bool is_other = kind != PROFILE_RUNNING && kind != first->kind; /* beside CPU time, or what there is in its place */
    return is_other && first->kinds & 1u << kind && (profile_kinds[kind].stored || kind == PROFILE_LIVE);
}

int load_recording(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    int rc = load_one(to, PROFILE_RUNNING, NULL, v, e);
    const struct profile *first = &to->list[0];
    for (enum profile_kind kind = 0; !rc && kind < PROFILE_KINDS; kind++)
        if (is_read(first, kind))
            rc = load_other(to, kind, NULL, v, e);
    for (uint32_t i = 0; !rc && i < first->other_value_count; i++)
        rc = load_other(to, PROFILE_RUNNING, profile_text(first, first->other_values[i]), v, e);
    if (!rc && to->count > 1 && !first->sample_count)
        drop(to, 0);
    if (!rc)
        left_out_labels(to);
    return rc ? rc : rename_values(to, &v->note, e);
}
