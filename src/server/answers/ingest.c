#include "server/answers/ingest.h"

#include "base/text/number.h"
#include "base/time_units.h"
#include "format/read/formats.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { RATE_DEFAULT = 100 };

/* Sets a label. Pyroscope's label names may contain characters that ours may not; such a character becomes '_'. */
static int set_label(struct labels *labels, const char *name, size_t name_len, const char *value, size_t value_len, struct error *e)
{
    char clean[LABEL_NAME_MAX + 1];
    if (!name_len || name_len > LABEL_NAME_MAX)
        return error_set(e, -EINVAL, "name: a label's name has %zu bytes", name_len);
    for (size_t i = 0; i < name_len; i++)
        clean[i] = isalnum((unsigned char)name[i]) || strchr("_.-", name[i]) ? name[i] : '_';
    if (!isalpha((unsigned char)clean[0]))
        clean[0] = '_';
    if (name_len > 2 && !memcmp(name, "__", 2)) /* for example, __session_id__ differs at each start of a program */
        return 0;
    return value_len ? labels_set(labels, clean, name_len, value, value_len, e) : 0;
}

static int read_labels(const char *text, size_t len, struct labels *labels, struct error *e)
{
    int rc = 0;
    for (const char *end = text + len; !rc && text < end;) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *next = comma ? comma : end;
        const char *equals = memchr(text, '=', (size_t)(next - text));
        if (!equals)
            return error_set(e, -EINVAL, "name: write it like app{label=value,...}");
        const char *value = equals + 1, *last = next;
        if (last - value >= 2 && *value == '"' && last[-1] == '"') {
            value++;
            last--;
        }
        rc = set_label(labels, text, (size_t)(equals - text), value, (size_t)(last - value), e);
        text = next + 1;
    }
    return rc;
}

int ingest_name(const char *name, struct labels *labels, struct error *e)
{
    const char *brace = strchr(name, '{');
    size_t len = brace ? (size_t)(brace - name) : strlen(name), rest = brace ? strlen(brace) : 0;
    if (brace && (rest < 2 || brace[rest - 1] != '}'))
        return error_set(e, -EINVAL, "name: write it like app{label=value,...}");
    int rc = labels_set(labels, "service", 7, name, len, e);
    rc = rc || !brace ? rc : read_labels(brace + 1, rest - 2, labels, e);
    const char *service = labels_get(labels, "service_name");
    return rc || !*service ? rc : labels_set(labels, "service", 7, service, strlen(service), e);
}

static int read_times(const struct http *h, struct envelope_note *note, struct error *e)
{
    static const char *const names[] = {"from", "until"};
    for (int i = 0; i < 2; i++) {
        const char *text = http_parameter(h, names[i], NULL);
        uint64_t v = 0;
        if (text && number_parse(text, 0, UINT64_MAX, &v))
            return error_set(e, -EINVAL, "%s: '%.40s' is not a time in seconds", names[i], text);
        while (v > 100000000000ull) /* some clients send milliseconds, or a smaller unit */
            v /= 1000;
        *(i ? &note->until_ns : &note->from_ns) = (int64_t)(v * NS_PER_S);
    }
    return 0;
}

static int read_format(const struct http *h, struct envelope_note *note, struct error *e)
{
    const char *text = http_parameter(h, "format", NULL), *format = text ? formats_named(text) : NULL;
    if (!text || !*text)
        return 0;
    if (!format)
        return error_set(e, -EINVAL, "format: '%.40s' is none of " FORMATS_READ, text);
    snprintf(note->format, sizeof note->format, "%s", format);
    return 0;
}

static int read_rate(const struct http *h, struct envelope_note *note, struct error *e)
{
    const char *text = http_parameter(h, "sampleRate", NULL), *units = http_parameter(h, "units", NULL);
    uint64_t rate = RATE_DEFAULT;
    if (text && *text && number_parse(text, 0, 1000000, &rate))
        return error_set(e, -EINVAL, "sampleRate: '%.40s' is not a rate per second", text);
    if (text && !rate) /* the profile has no sampling rate, or its samples have their own weights */
        return 0;
    if (!units || !*units || !strcmp(units, "samples"))
        note->period_ns = NS_PER_S / rate;
    return 0;
}

/* Renames the values of profiles of contention. Mutex and block profiles use the same two names; the store takes them for mutexes, unless
 * sample_type_config says otherwise. */
static int name_contention(struct envelope_note *note, struct error *e)
{
    int rc = labels_set(&note->values, "contentions", 11, "mutex_count", 11, e);
    return rc ? rc : labels_set(&note->values, "delay", 5, "mutex_duration", 14, e);
}

int ingest_read(const struct http *h, struct envelope_note *note, struct error *e)
{
    size_t len;
    const char *name = http_parameter(h, "name", &len);
    if (!name || strlen(name) != len)
        return error_set(e, -EINVAL, "name is missing: POST /ingest?name=app{label=value,...}");
    int rc = ingest_name(name, &note->labels, e);
    rc = rc ? rc : read_times(h, note, e);
    rc = rc ? rc : read_format(h, note, e);
    rc = rc ? rc : name_contention(note, e);
    return rc ? rc : read_rate(h, note, e);
}
