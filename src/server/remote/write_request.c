#include "server/remote/write_request.h"

#include "base/pb.h"

#include <errno.h>
#include <snappy-c.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 256 << 20 };

static const struct write_request_version versions[] = {
    {"1.0", "application/x-protobuf", "0.1.0"},
    {"2.0", "application/x-protobuf;proto=io.prometheus.write.v2.Request", "2.0.0"},
};

const struct write_request_version *write_request_version(const char *option)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (!strcmp(versions[i].option, option))
            return &versions[i];
    return NULL;
}

static void put_double(struct buffer *b, uint32_t number, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    pb_put_fixed64(b, number, bits);
}

/* The buffers of messages within messages, which are used again. */
struct making {
    const struct scraped *s;
    struct buffer message, series, inner, most_inner;
};

static int64_t exemplar_ms(const struct scraped_series *one, int64_t at_ms)
{
    return one->exemplar_s > 0 ? (int64_t)(one->exemplar_s * 1000) : at_ms;
}

static void put_sample(struct making *m, const struct scraped_series *one, int64_t at_ms)
{
    buffer_reset(&m->inner);
    put_double(&m->inner, 1, one->value);
    pb_put_int(&m->inner, 2, at_ms);
    pb_put_message(&m->series, 2, &m->inner);
}

/* ---- 1.0 ---- */

static void put_labels(struct making *m, struct buffer *to, const struct scraped_labels *l)
{
    for (uint32_t i = l->first; i < l->first + l->count; i++) {
        buffer_reset(&m->most_inner);
        pb_put_text(&m->most_inner, 1, strtab_text(&m->s->texts, m->s->labels[i].name));
        pb_put_text(&m->most_inner, 2, strtab_text(&m->s->texts, m->s->labels[i].value));
        pb_put_message(to, 1, &m->most_inner);
    }
}

static void put_series_1(struct making *m, const struct scraped_series *one, int64_t at_ms)
{
    buffer_reset(&m->series);
    put_labels(m, &m->series, &one->labels);
    put_sample(m, one, at_ms);
    if (one->has_exemplar) {
        buffer_reset(&m->inner);
        put_labels(m, &m->inner, &one->exemplar);
        put_double(&m->inner, 2, one->exemplar_value);
        pb_put_int(&m->inner, 3, exemplar_ms(one, at_ms));
        pb_put_message(&m->series, 3, &m->inner);
    }
    pb_put_message(&m->message, 1, &m->series);
}

static void put_family_1(struct making *m, const struct scraped_family *f)
{
    buffer_reset(&m->inner);
    pb_put_uint(&m->inner, 1, f->type);
    pb_put_text(&m->inner, 2, strtab_text(&m->s->texts, f->name));
    pb_put_text(&m->inner, 4, strtab_text(&m->s->texts, f->help));
    pb_put_message(&m->message, 3, &m->inner);
}

/* ---- 2.0: texts are numbers ---- */

static void put_refs(struct making *m, struct buffer *to, const struct scraped_labels *l)
{
    buffer_reset(&m->most_inner);
    for (uint32_t i = l->first; i < l->first + l->count; i++) {
        pb_put_varint(&m->most_inner, m->s->labels[i].name);
        pb_put_varint(&m->most_inner, m->s->labels[i].value);
    }
    pb_put_message(to, 1, &m->most_inner);
}

static void put_series_2(struct making *m, const struct scraped_series *one, int64_t at_ms)
{
    const struct scraped_family *f = &m->s->families[one->family];
    buffer_reset(&m->series);
    put_refs(m, &m->series, &one->labels);
    put_sample(m, one, at_ms);
    if (one->has_exemplar) {
        buffer_reset(&m->inner);
        put_refs(m, &m->inner, &one->exemplar);
        put_double(&m->inner, 2, one->exemplar_value);
        pb_put_int(&m->inner, 3, exemplar_ms(one, at_ms));
        pb_put_message(&m->series, 4, &m->inner);
    }
    buffer_reset(&m->inner);
    pb_put_uint(&m->inner, 1, f->type);
    pb_put_uint(&m->inner, 3, f->help);
    pb_put_message(&m->series, 5, &m->inner);
    pb_put_message(&m->message, 5, &m->series);
}

static void put_symbols(struct making *m)
{
    for (uint32_t i = 0; i < m->s->texts.count; i++)
        pb_put_bytes(&m->message, 4, strtab_text(&m->s->texts, i), strtab_len(&m->s->texts, i));
}

/* ---- a request ---- */

static void put_all(struct making *m, bool is_first, int64_t at_ms)
{
    if (!is_first)
        put_symbols(m);
    for (uint32_t i = 0; i < m->s->series_count; i++)
        (is_first ? put_series_1 : put_series_2)(m, &m->s->series[i], at_ms);
    for (uint32_t i = 0; is_first && i < m->s->family_count; i++)
        put_family_1(m, &m->s->families[i]);
}

static int compress(const struct buffer *message, struct buffer *out)
{
    size_t n = snappy_max_compressed_length(message->len);
    uint8_t *at = buffer_reserve(out, n);
    if (!at || snappy_compress((const char *)message->data, message->len, (char *)at, &n) != SNAPPY_OK)
        return -ENOMEM;
    buffer_advance(out, n);
    return 0;
}

int write_request_make(const struct write_request_version *v, const struct scraped *s, int64_t at_ms, struct buffer *out)
{
    struct making m = {.s = s};
    struct buffer *const all[] = {&m.message, &m.series, &m.inner, &m.most_inner};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buffer_init(all[i], MESSAGE_MAX);
    put_all(&m, v == versions, at_ms);
    int rc = m.message.failed || !m.message.len ? -ENOMEM : compress(&m.message, out);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buffer_deinit(all[i]);
    return rc;
}
