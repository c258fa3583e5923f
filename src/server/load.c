#include "server/load.h"

#include "compress/intake.h"
#include "format/read/formats.h"
#include "profile/allocated.h"

#include <errno.h>
#include <string.h>

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
static int load_unpacked(struct profile *p, struct intake *in, const struct envelope_note *note, struct error *e)
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
    p->or_allocations = true;
    rc = formats_load_from(p, in, "the recording", format, NULL, e);
    if (!rc && allocated_has_classes(p) && allocated_add_frames(p))
        rc = error_set(e, -ENOMEM, "the recording: out of memory");
    if (!rc && note->period_ns && p->unit == PROFILE_UNIT_SAMPLES)
        rc = scale(p, note->period_ns, e);
    return rc == -EBADMSG ? -EINVAL : rc;
}

int load_recording(struct profile *p, const struct envelope *v, struct error *e)
{
    struct intake in;
    int rc = intake_open_memory(&in, v->body, v->size, "the recording", e);
    return rc ? rc : load_unpacked(p, &in, &v->note, e);
}
