#include "server/load.h"

#include "compress/intake.h"
#include "format/pprof.h"
#include "format/read/formats.h"
#include "profile/allocated.h"
#include "profile/load/load_jfr.h"
#include "server/left_out.h"
#include "server/measure/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char name[] = "the recording"; /* for messages */

/* Returns the name of the time that a clock's count of samples becomes when the clock's interval is known. Returns NULL for other counts
 * (objects, goroutines), which stay as they are. */
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

/* Converts counts of samples to times. The period between samples is from the sender. */
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

/* Completes a profile: adds frames for classes, and converts counts to times. names: has the stacks of its samples. */
static int finish(struct profile *names, struct profile *p, const struct envelope_note *note, struct error *e)
{
    if (allocated_has_classes(p) && allocated_add_frames_to(names, p))
        return error_set(e, -ENOMEM, "%s: out of memory", name);
    return note->period_ns && time_of(p) ? scale(p, note->period_ns, time_of(p), e) : 0;
}

static int add(struct store_profiles *to, enum profile_kind kind, struct profile **p, struct error *e)
{
    if (to->count == CATALOGUE_CONTENTS_MAX)
        return error_set(e, -EINVAL, "%s: more than %d values for each sample", name, CATALOGUE_CONTENTS_MAX);
    *p = store_profiles_add(to);
    if (!*p)
        return error_set(e, -ENOMEM, "%s: out of memory", name);
    (*p)->kind = kind;
    (*p)->or_others = kind == PROFILE_RUNNING;
    (*p)->books_by_minute = true;
    return 0;
}

static void drop(struct store_profiles *of, uint32_t place)
{
    profile_deinit(&of->list[place]);
    memmove(&of->list[place], &of->list[place + 1], (--of->count - place) * sizeof *of->list);
}

/* ---- JFR: a profile of each kind, in one pass ---- */

/* Removes kinds that are not sums over time. Counts their samples in left_out. */
static void leave_out(struct store_profiles *of)
{
    for (uint32_t i = of->count; i-- > 0;) {
        const struct profile *p = &of->list[i];
        if (profile_kinds[p->kind].stored)
            continue;
        if (p->sample_count)
            left_out_add(of, "%" PRIu32 " samples of the kind %s", p->sample_count, profile_kinds[p->kind].word);
        drop(of, i);
    }
}

/* Puts the profile of the recording's main kind first. Removes other profiles that have no samples. If only others have samples, removes
 * the first one, too. */
static void choose(struct store_profiles *of)
{
    enum profile_kind kind = profile_jfr_kind(&of->list[0]);
    if (kind != PROFILE_RUNNING)
        drop(of, 0);
    leave_out(of);
    for (uint32_t i = 1; i < of->count; i++)
        if (of->list[i].kind == kind) {
            struct profile first = of->list[i];
            memmove(&of->list[1], &of->list[0], i * sizeof first);
            of->list[0] = first;
        }
    unsigned kinds = of->list[0].kinds;
    for (uint32_t i = of->count - 1; i; i--)
        if (!of->list[i].sample_count || !(kinds & 1u << of->list[i].kind))
            drop(of, i);
    if (of->count > 1 && !of->list[0].sample_count)
        drop(of, 0);
}

/* Adds the profile of the requests, unless there are none. Takes it in each case. */
static void add_requests(struct store_profiles *to, struct profile *requests)
{
    if (requests->sample_count && to->count < CATALOGUE_CONTENTS_MAX)
        to->list[to->count++] = *requests;
    else
        profile_deinit(requests);
}

/* Reads all profiles, and what the key metrics need beside them. */
static int read_kinds(struct store_profiles *to, const struct intake *in, struct measuring *measuring, struct error *e)
{
    struct profile *profiles[PROFILE_KINDS];
    struct pass_readers beside = {measuring->readers, MEASURE_READERS};
    struct intake view;
    uint32_t n = 0;
    int rc = store_profiles_share(to) ? error_set(e, -ENOMEM, "%s: out of memory", name) : 0;
    for (enum profile_kind kind = 0; !rc && kind < PROFILE_KINDS; kind++)
        if (profile_kinds[kind].stored || kind == PROFILE_LIVE)
            rc = add(to, kind, &profiles[n++], e);
    intake_view(&view, in);
    rc = rc ? rc : profile_load_jfr_shared(&to->recalled->stacks, profiles, n, &beside, &view, name, e);
    if (!rc && measure_jfr(to, profiles, n, measuring))
        rc = error_set(e, -ENOMEM, "%s: out of memory", name);
    return rc;
}

static int load_kinds(struct store_profiles *to, const struct intake *in, const struct envelope_note *note, struct error *e)
{
    struct measuring measuring;
    struct profile requests;
    int rc = profile_init(&requests) | measure_begin(&measuring, &requests) ? error_set(e, -ENOMEM, "%s: out of memory", name) : 0;
    rc = rc ? rc : read_kinds(to, in, &measuring, e);
    measure_end(&measuring);
    if (!rc)
        choose(to);
    add_requests(to, &requests);
    for (uint32_t i = 0; !rc && i < to->count; i++)
        rc = finish(&to->recalled->stacks.names, &to->list[i], note, e);
    to->shares = !rc;
    if (rc)
        store_profiles_deinit(to);
    return rc;
}

/* ---- other formats: a profile of each value ---- */

/* Says what the limits have cut off. The words are those of Pyroscope's options. */
static void leave_out_cut(struct store_profiles *of, const struct import_limits *limits)
{
    if (limits->cut_texts)
        left_out_add(of, "the ends of %" PRIu64 " names (max_profile_symbol_value_length, limit: %" PRIu32 ")", limits->cut_texts,
                     limits->text);
    if (limits->cut_stacks)
        left_out_add(of, "frames at the root of %" PRIu64 " samples (max_profile_stacktrace_depth, limit: %" PRIu32 ")", limits->cut_stacks,
                     limits->frames);
}

/* Loads one value of the recording. value NULL = the choice of the format. After the first value, one without samples is not added. A value
 * that cannot be read is not added either, and the function returns its code. */
static int load_value(struct store_profiles *to, const char *value, const struct intake *in, const char *format,
                      const struct envelope_note *note, struct error *e)
{
    struct import_limits limits = {.text = note->most.text, .frames = note->most.frames};
    struct intake view;
    struct profile *p;
    bool first = !to->count;
    int rc = add(to, PROFILE_RUNNING, &p, e);
    if (rc)
        return rc;
    intake_view(&view, in);
    rc = formats_load_from(p, &view, name, format, value, &limits, e);
    if (!rc && first) /* each value has the same stacks */
        leave_out_cut(to, &limits);
    rc = rc ? rc : finish(p, p, note, e);
    if (rc || (to->count > 1 && !p->sample_count))
        drop(to, to->count - 1);
    return rc;
}

static int load_values(struct store_profiles *to, const struct intake *in, const char *format, const struct envelope_note *note,
                       struct error *e)
{
    int rc = load_value(to, NULL, in, format, note, e);
    const struct profile *first = &to->list[0];
    for (uint32_t i = 0; !rc && i < first->other_value_count; i++)
        rc = load_value(to, profile_text(first, first->other_values[i]), in, format, note, e);
    if (!rc && to->count > 1 && !first->sample_count)
        drop(to, 0);
    return rc;
}

/* ---- names ---- */

/* Renames a value if the sender has another name for it. *kept is false if the value must not be kept. */
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

/* Gives values the names under which the store keeps them. Drops values that must not be kept. If that drops all of them, keeps
 * one without samples. */
static int rename_values(struct store_profiles *of, const struct envelope_note *note, struct error *e)
{
    bool kept;
    for (uint32_t i = 0; i < of->count; i++) {
        struct profile *p = &of->list[i];
        if (rename_value(p, note, &kept))
            return error_set(e, -ENOMEM, "%s: out of memory", name);
        if (kept)
            continue;
        left_out_add(of, "%s, which is a sum since the program's start", profile_text(p, p->value));
        if (of->count == 1)
            return error_set(e, -EINVAL, "%s: nothing of it is kept: %s", name, of->left_out);
        drop(of, i--);
    }
    return 0;
}

/* ---- any recording ---- */

/* Checks that a recording is complete. An incomplete one is refused, because its sender has the complete one. */
static int check(const struct intake *in, const char *format, struct error *e)
{
    if (*in->damage)
        return error_set(e, -EINVAL, "%s: %s", name, in->damage);
    if (!in->size)
        return error_set(e, -EINVAL, "%s: empty", name);
    return format ? 0 : error_set(e, -EPROTONOSUPPORT, "%s: its content is none of " FORMATS_READ, name);
}

/* Checks the limits for pushed profiles. The messages have the words of Pyroscope's, which its users look for. */
static int check_most(const struct intake *in, const struct envelope_note *note, struct error *e)
{
    uint64_t samples = note->most.samples ? pprof_samples(in->bytes, in->size) : 0;
    if (note->most.bytes && in->size > note->most.bytes)
        return error_set(e, -EFBIG,
                         "the profile exceeds the size limit (max_profile_size_byte, actual: %zu, limit: %" PRIu64
                         "); raise it with --max-profile",
                         in->size, note->most.bytes);
    if (samples > note->most.samples)
        return error_set(e, -EFBIG,
                         "the profile exceeds the samples count limit (max_profile_stacktrace_samples, actual: %" PRIu64 ", limit: %" PRIu64
                         "); raise it with --max-profile-samples",
                         samples, note->most.samples);
    return 0;
}

/* Renames the values. rc: the result of reading them. Values that could be read may be kept, but not under wrong names. */
static int name_all(struct store_profiles *of, const struct envelope_note *note, int rc, struct error *e)
{
    struct error why;
    int failed = rename_values(of, note, &why);
    if (failed)
        store_profiles_deinit(of);
    if (failed && !rc)
        *e = why;
    return rc ? rc : failed;
}

int load_recording(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct intake in;
    int rc = intake_open_memory(&in, v->body, v->size, name, e);
    if (rc)
        return rc;
    const char *format = *v->note.format ? v->note.format : formats_recognise(in.bytes, in.size);
    bool is_jfr = format && !strcmp(format, "jfr");
    rc = check(&in, format, e);
    if (!rc && !strcmp(format, "pprof"))
        rc = check_most(&in, &v->note, e);
    if (!rc)
        rc = is_jfr ? load_kinds(to, &in, &v->note, e) : load_values(to, &in, format, &v->note, e);
    intake_close(&in);
    if (to->count) {
        left_out_labels(to);
        rc = name_all(to, &v->note, rc, e);
    }
    if (!rc && !is_jfr)
        rc = measure_values(to, &v->note, e);
    return rc == -EBADMSG ? -EINVAL : rc;
}
