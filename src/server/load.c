#include "server/load.h"

#include "compress/intake.h"
#include "format/read/formats.h"
#include "profile/allocated.h"

#include <errno.h>
#include <string.h>

/* Other counts (objects, goroutines) are what they are. */
static bool counts_cpu(const struct profile *p)
{
    const char *value = profile_text(p, p->value);
    return p->kind == PROFILE_RUNNING && p->unit == PROFILE_UNIT_SAMPLES && (!*value || !strcmp(value, "samples") || !strcmp(value, "cpu"));
}

/* Counts of samples become times, where the sender said how often it samples. */
static int scale(struct profile *p, uint64_t period_ns, struct error *e)
{
    static const char value[] = "cpu";
    uint64_t weight;
    if (__builtin_mul_overflow(p->weight, period_ns, &weight) || weight >> 62)
        return error_set(e, -EINVAL, "its weights cannot be true");
    for (uint32_t i = 0; i < p->sample_count; i++)
        p->samples[i].weight *= period_ns;
    p->weight = weight;
    p->unit = PROFILE_UNIT_NS;
    p->interval_ns = period_ns;
    return profile_string(p, value, sizeof value - 1, &p->value);
}

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
    if (!rc && note->period_ns && counts_cpu(p))
        rc = scale(p, note->period_ns, e);
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

/* What there is beside the first; without samples it is nothing. */
static int load_other(struct store_profiles *to, enum profile_kind kind, const char *value, const struct envelope *v, struct error *e)
{
    int rc = load_one(to, kind, value, v, e);
    if (!rc && !to->list[to->count - 1].sample_count)
        profile_deinit(&to->list[--to->count]);
    return rc;
}

static void drop_first(struct store_profiles *of)
{
    profile_deinit(&of->list[0]);
    memmove(&of->list[0], &of->list[1], --of->count * sizeof of->list[0]);
}

int load_recording(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    int rc = load_one(to, PROFILE_RUNNING, NULL, v, e);
    const struct profile *first = &to->list[0];
    for (enum profile_kind kind = 0; !rc && kind < PROFILE_KINDS; kind++) {
        bool is_other = kind != PROFILE_RUNNING && kind != first->kind; /* beside CPU time, or what there is in its place */
        if (is_other && first->kinds & 1u << kind && profile_kinds[kind].stored)
            rc = load_other(to, kind, NULL, v, e);
    }
    for (uint32_t i = 0; !rc && i < first->other_value_count; i++)
        rc = load_other(to, PROFILE_RUNNING, profile_text(first, first->other_values[i]), v, e);
    if (!rc && to->count > 1 && !first->sample_count)
        drop_first(to);
    return rc;
}
