#include "server/push/series.h"

#include "base/pb.h"
#include "server/push/fields.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct text {
    const char *bytes;
    size_t n;
};

static struct text text_of(const struct pb_field *f)
{
    return (struct text){(const char *)f->bytes, f->size};
}

static bool is(struct text t, const char *word)
{
    return t.n == strlen(word) && !memcmp(t.bytes, word, t.n);
}

/* ---- names of a series ---- */

/* Whether the values of a series with this name have names that describe them fully. */
static bool names_itself(struct text family)
{
    static const char *const families[] = {"memory", "goroutine", "goroutines", "off_cpu"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (is(family, families[i]))
            return true;
    return false;
}

/* Sets the names of the values. Go's profiles of contention all have the same two values; only the name of the series distinguishes
 * them. */
static int name_values(struct envelope_note *note, struct text family, struct error *e)
{
    static const char *const values[] = {"contentions", "delay"}, *const ends[] = {"count", "duration"};
    char name[32];
    int rc = 0;
    if (is(family, "process_cpu")) /* a count alone is the number of CPU samples */
        return labels_set(&note->values, "samples", 7, "cpu", 3, e);
    if (!is(family, "mutex") && !is(family, "block")) {
        if (!names_itself(family))
            snprintf(note->family, sizeof note->family, "%.*s", (int)(family.n < 60 ? family.n : 60), family.bytes);
        for (char *at = note->family; *at; at++) /* the family must be one word */
            *at = *at > ' ' && *at < 0x7f && *at != ':' ? *at : '_';
        return 0;
    }
    for (int i = 0; !rc && i < 2; i++) {
        snprintf(name, sizeof name, "%.*s_%s", (int)family.n, family.bytes, ends[i]);
        rc = labels_set(&note->values, values[i], strlen(values[i]), name, strlen(name), e);
    }
    return rc;
}

int series_name_values(struct envelope_note *note, const char *family, struct error *e)
{
    return name_values(note, (struct text){family, strlen(family)}, e);
}

/* ---- labels ---- */

struct pair {
    struct text name, value;
};

static struct pair read_label(const struct pb_field *field)
{
    struct pair l = {{"", 0}, {"", 0}};
    struct pb m = pb_message(field);
    for (struct pb_field f; pb_next(&m, &f);) {
        if (f.number == PUSH_NAME)
            l.name = text_of(&f);
        else if (f.number == PUSH_VALUE)
            l.value = text_of(&f);
    }
    return l;
}

/* Takes a label. service_name becomes `service`. The label __name__ is the family. Other names that begin with "__" are Pyroscope's, and
 * are left out. */
static int take_label(struct parts *p, struct envelope_note *note, struct pair l, struct text *family)
{
    if (is(l.name, "__name__"))
        *family = l.value;
    if (l.name.n >= 2 && !memcmp(l.name.bytes, "__", 2))
        return 0;
    if (is(l.name, "service_name"))
        l.name = (struct text){"service", 7};
    return parts_label(p, &note->labels, l.name.bytes, l.name.n, l.value.bytes, l.value.n);
}

static int check_once(const struct pb_field *series, struct text name, struct error *e)
{
    uint32_t found = 0;
    struct pb m = pb_message(series);
    for (struct pb_field f; pb_next(&m, &f);) {
        struct text other = f.number == PUSH_LABELS ? read_label(&f).name : (struct text){"", 0};
        found += f.number == PUSH_LABELS && other.n == name.n && !memcmp(other.bytes, name.bytes, name.n);
    }
    return found > 1 ? error_set(e, -EINVAL, "label %.*s: more than once", (int)(name.n < 60 ? name.n : 60), name.bytes) : 0;
}

static int read_labels(struct parts *p, const struct pb_field *series, struct envelope_note *note, struct error *e)
{
    static const char unknown[] = "unknown_service";
    struct text family = {"", 0};
    uint32_t labels = 0;
    int rc = 0;
    struct pb m = pb_message(series);
    for (struct pb_field f; !rc && pb_next(&m, &f);) {
        if (f.number != PUSH_LABELS)
            continue;
        struct pair l = read_label(&f);
        rc = ++labels > 4 * LABELS_MAX ? error_set(e, -EINVAL, "more than %d labels", 4 * LABELS_MAX) : check_once(series, l.name, e);
        if (!rc && take_label(p, note, l, &family))
            rc = error_set(e, -ENOMEM, "out of memory");
    }
    if (rc)
        return rc;
    if (m.bad)
        return error_set(e, -EINVAL, "the message cannot be read: its bytes are damaged");
    if (!family.n)
        return error_set(e, -EINVAL, "a series has no label __name__");
    if (!*labels_get(&note->labels, "service"))
        rc = labels_set(&note->labels, "service", 7, unknown, sizeof unknown - 1, e);
    return rc ? rc : name_values(note, family, e);
}

/* ---- profiles ---- */

static void take_sample(struct parts *p, struct envelope_note *note, const struct pb_field *sample, int rc, const struct error *e)
{
    struct text profile = {"", 0};
    struct pb m = pb_message(sample);
    for (struct pb_field f; pb_next(&m, &f);)
        if (f.number == PUSH_PROFILE)
            profile = text_of(&f);
    if (rc)
        parts_refuse(p, rc, e);
    else
        parts_take(p, note, profile.bytes, profile.n);
}

/* Stores the profiles of a series. If its labels are bad, all its profiles are refused. */
static void take_series(struct parts *p, const struct pb_field *series)
{
    struct envelope_note note = {.format = "pprof"};
    struct error e;
    int rc = read_labels(p, series, &note, &e);
    struct pb m = pb_message(series);
    for (struct pb_field f; pb_next(&m, &f);)
        if (f.number == PUSH_SAMPLES)
            take_sample(p, &note, &f, rc, &e);
    envelope_note_deinit(&note);
}

/* Checks the whole message before anything of it is stored. */
static int check(struct pb m, struct error *e)
{
    for (struct pb_field f; pb_next(&m, &f);) {
        struct pb series = pb_message(&f);
        for (struct pb_field inner; f.number == PUSH_SERIES && f.wire == PB_BYTES && pb_next(&series, &inner);)
            continue;
        m.bad = m.bad || series.bad;
    }
    return m.bad ? error_set(e, -EINVAL, "the message cannot be read: its bytes are damaged") : 0;
}

int series_take(struct parts *p, const void *bytes, size_t n, struct error *e)
{
    struct pb m = pb_init(bytes, n);
    int rc = check(m, e);
    if (rc)
        return rc;
    for (struct pb_field f; pb_next(&m, &f);)
        if (f.number == PUSH_SERIES)
            take_series(p, &f);
    return 0;
}
