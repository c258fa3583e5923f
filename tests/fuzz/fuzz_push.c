/* libFuzzer target: messages that agents push. The first byte chooses the reader: push.v1's message or OTLP's, each as JSON or protocol
 * buffers, or the fields of a form beside a profile. A recording that was made from a part of a message must itself be a message with
 * one recording. */
#include "server/answers/ingest.h"
#include "server/push/fields.h"
#include "server/push/otlp.h"
#include "server/push/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* ---- the replacement for the store ---- */

static bool is_part; /* the input is a recording that an earlier call returned */

void parts_take(struct parts *p, struct envelope_note *note, const void *bytes, size_t n)
{
    struct error e;
    p->count++;
    check(*labels_get(&note->labels, "service"));
    if (strcmp(note->format, "otlp") || is_part)
        return;
    struct parts again = {0};
    is_part = true;
    check(!otlp_take(&again, bytes, n, &e) && again.count == 1 && !again.refused);
    is_part = false;
}

void parts_refuse(struct parts *p, int rc, const struct error *e)
{
    check(rc < 0 && *e->text);
    p->count++;
    p->refused++;
}

void parts_leave_out(struct parts *p, const char *text)
{
    check(*text);
}

int parts_label(struct parts *p, struct labels *labels, const char *name, size_t name_len, const char *value, size_t value_len)
{
    struct error e;
    int rc = labels_set(labels, name, name_len, value, value_len, &e);
    return rc == -ENOMEM ? rc : 0;
}

/* ---- the readers ---- */

static void take(bool otlp, const void *bytes, size_t n)
{
    struct parts p = {0};
    struct error e = {""};
    int rc = otlp ? otlp_take(&p, bytes, n, &e) : series_take(&p, bytes, n, &e);
    check(rc <= 0 && !rc == !*e.text);
    check(p.refused <= p.count && p.rejected >= (otlp ? p.refused : 0));
}

static void convert(bool otlp, const char *text, size_t n)
{
    struct buffer message;
    struct error e = {""};
    buffer_init(&message, 2 * JSON_PB_MAX);
    int rc = json_pb_write(&message, otlp ? fields_otlp : fields_push, text, n, &e);
    check(rc <= 0 && !rc == !*e.text);
    if (!rc)
        take(otlp, message.data, message.len);
    buffer_deinit(&message);
}

static void use(const char *field, const char *bytes, size_t n)
{
    struct ingest_parts p;
    struct envelope_note note = {0};
    struct error e = {""};
    ingest_parts_init(&p);
    for (size_t i = 0; i < n; i++)
        ingest_take(&p, field, bytes + i, 1);
    int rc = ingest_use(&p, &note, &e);
    check(rc <= 0 && !rc == !*e.text);
    envelope_note_deinit(&note);
    ingest_parts_deinit(&p);
}

void envelope_note_deinit(struct envelope_note *n)
{
    labels_deinit(&n->labels);
    labels_deinit(&n->values);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes + 1;
    switch (size ? bytes[0] % 6 : 6) {
    case 0:
    case 1:
        convert(bytes[0] % 2, text, size - 1);
        break;
    case 2:
    case 3:
        take(bytes[0] % 2, text, size - 1);
        break;
    case 4:
        use("sample_type_config", text, size - 1);
        break;
    case 5:
        use("labels", text, size - 1);
    }
    return 0;
}
