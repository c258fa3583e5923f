#include "emit/body.h"

#include "compress/intake.h"
#include "format/otlp.h"
#include "format/write/gzip.h"
#include "profile/kinds.h"
#include "profile/load/load_jfr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "the recording"; /* for messages */

/* The kinds that other back ends know. */
static const enum profile_kind kinds[] = {PROFILE_RUNNING, PROFILE_WALL, PROFILE_ALLOC, PROFILE_LIVE, PROFILE_LOCK, PROFILE_HOLDER};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct loaded {
    struct profile list[KINDS];
    const struct profile *chosen[KINDS]; /* those that have samples */
    uint32_t count;
};

/* Whether the samples of a profile are sent. A file may contain samples of another clock, for other tools only. These are not CPU time. */
static bool is_sent(const struct profile *p, enum profile_kind main_kind)
{
    return p->sample_count && (p->kind != PROFILE_RUNNING || main_kind == PROFILE_RUNNING);
}

static int load(struct loaded *l, const struct emit_recording *r, struct error *e)
{
    struct profile *all[KINDS];
    struct intake in;
    int rc = intake_open_memory_within(&in, r->bytes, r->size, r->most, name, e);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < KINDS; i++) {
        l->list[i].kind = kinds[i];
        all[i] = &l->list[i];
    }
    rc = profile_load_jfr_kinds(all, KINDS, &in, name, e);
    for (uint32_t i = 0; !rc && i < KINDS; i++)
        if (is_sent(&l->list[i], profile_jfr_kind(&l->list[0])))
            l->chosen[l->count++] = &l->list[i];
    return rc;
}

static int write_otlp(FILE *out, const struct loaded *l, const struct emit_labels *labels)
{
    struct otlp_resource_attribute attributes[EMIT_LABELS_MAX + 1];
    uint32_t count = 0;
    for (; count < labels->count; count++)
        attributes[count] = (struct otlp_resource_attribute){emit_label_otlp(labels->names[count]), labels->values[count], 0};
    attributes[count++] = (struct otlp_resource_attribute){"process.pid", NULL, l->chosen[0]->pid};
    return otlp_write_request(out, &(struct otlp_request){l->chosen, l->count, attributes, count});
}

/* Packs the body. Pyroscope's profiles are packed one by one; OTLP's message is packed as a whole. */
static int pack(struct emit_body *b, struct error *e)
{
    struct gzip gzip;
    char *plain = b->bytes;
    size_t size = b->size;
    b->bytes = NULL;
    FILE *out = open_memstream(&b->bytes, &b->size);
    int rc = !out || gzip_open(&gzip, out) ? -ENOMEM : 0;
    if (!rc) {
        gzip_put(&gzip, plain, size);
        rc = gzip_close(&gzip);
    }
    if (out && (ferror(out) | fclose(out)))
        rc = -ENOMEM;
    free(plain);
    return rc ? error_set(e, rc, "out of memory") : 0;
}

static int write_body(struct emit_body *b, enum emit_protocol protocol, const struct loaded *l, const char *query, struct error *e)
{
    struct emit_labels labels;
    int rc = emit_labels_read(&labels, query, e);
    FILE *out = rc ? NULL : open_memstream(&b->bytes, &b->size);
    if (!rc && !out)
        rc = error_set(e, -ENOMEM, "out of memory");
    if (!rc) {
        rc = protocol == EMIT_OTLP ? write_otlp(out, l, &labels) : emit_body_pyroscope(out, l->chosen, l->count, &labels);
        bool lost = ferror(out) | fclose(out);
        rc = rc ? rc : lost ? -ENOMEM : 0;
        if (rc)
            error_set(e, rc, rc == -EFBIG ? "it has a text or a sample that is too large for the format" : "out of memory");
    }
    emit_labels_free(&labels);
    return !rc && protocol == EMIT_OTLP ? pack(b, e) : rc;
}

int emit_body_make(struct emit_body *b, enum emit_protocol protocol, const struct emit_recording *r, struct error *e)
{
    struct loaded *l = calloc(1, sizeof *l);
    int rc = l ? 0 : error_set(e, -ENOMEM, "out of memory");
    *b = (struct emit_body){0};
    for (uint32_t i = 0; !rc && i < KINDS; i++)
        rc = profile_init(&l->list[i]) ? error_set(e, -ENOMEM, "out of memory") : 0;
    if (!rc)
        rc = load(l, r, e);
    if (!rc && l->count)
        rc = write_body(b, protocol, l, r->query, e);
    for (uint32_t i = 0; l && i < KINDS; i++)
        profile_deinit(&l->list[i]);
    free(l);
    if (rc)
        emit_body_free(b);
    return rc;
}

void emit_body_free(struct emit_body *b)
{
    free(b->bytes);
    *b = (struct emit_body){0};
}
