#include "server/connect/wire.h"

#include "base/pb.h"

#include <errno.h>
#include <string.h>

void wire_init(struct wire *w, bool json, FILE *out)
{
    *w = (struct wire){.json = json};
    for (int i = 0; i < WIRE_DEPTH; i++)
        buffer_init(&w->messages[i], WIRE_BYTES_MAX);
    if (json) {
        jsonw_init(&w->writer, out);
        jsonw_object(&w->writer);
    }
}

int wire_end(struct wire *w, FILE *out)
{
    bool failed = w->messages[0].failed;
    if (w->json)
        jsonw_object_end(&w->writer);
    else if (!failed && w->messages[0].len)
        fwrite(w->messages[0].data, 1, w->messages[0].len, out);
    for (int i = 0; i < WIRE_DEPTH; i++)
        buffer_deinit(&w->messages[i]);
    return failed ? -ENOMEM : 0;
}

/* For JSON: writes what must come before a value. Returns false if the value is empty and is left out. */
static bool begin_value(struct wire *w, const char *name, bool is_empty)
{
    bool element = w->in_list[w->depth];
    if (is_empty && !element)
        return false;
    if (element && !w->list_filled[w->depth]) {
        jsonw_key(&w->writer, w->list);
        jsonw_array(&w->writer);
        w->list_filled[w->depth] = true;
    } else if (!element) {
        jsonw_key(&w->writer, name);
    }
    return true;
}

void wire_message(struct wire *w, uint32_t number, const char *name)
{
    if (w->json && begin_value(w, name, false))
        jsonw_object(&w->writer);
    w->depth++;
    w->in_list[w->depth] = false;
    buffer_reset(&w->messages[w->depth]);
}

void wire_message_end(struct wire *w, uint32_t number)
{
    struct buffer *message = &w->messages[w->depth--];
    if (w->json)
        jsonw_object_end(&w->writer);
    else
        pb_put_message(&w->messages[w->depth], number, message);
}

void wire_list(struct wire *w, const char *name)
{
    w->list = name;
    w->in_list[w->depth] = true;
    w->list_filled[w->depth] = false;
}

void wire_list_end(struct wire *w)
{
    if (w->json && w->list_filled[w->depth])
        jsonw_array_end(&w->writer);
    w->in_list[w->depth] = false;
}

void wire_text(struct wire *w, uint32_t number, const char *name, const char *text)
{
    if (!w->json) {
        if (*text || w->in_list[w->depth])
            pb_put_bytes(&w->messages[w->depth], number, text, strlen(text));
    } else if (begin_value(w, name, !*text)) {
        jsonw_text(&w->writer, text);
    }
}

void wire_int(struct wire *w, uint32_t number, const char *name, int64_t v)
{
    if (!w->json)
        pb_put_int(&w->messages[w->depth], number, v);
    else if (begin_value(w, name, !v))
        jsonw_quoted_int(&w->writer, v);
}

void wire_double(struct wire *w, uint32_t number, const char *name, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (!w->json)
        pb_put_fixed64(&w->messages[w->depth], number, bits);
    else if (begin_value(w, name, v == 0))
        jsonw_exact(&w->writer, v, false);
}

void wire_bool(struct wire *w, uint32_t number, const char *name, bool v)
{
    if (!w->json)
        pb_put_uint(&w->messages[w->depth], number, v);
    else if (begin_value(w, name, !v))
        jsonw_bool(&w->writer, v);
}

void wire_ints(struct wire *w, uint32_t number, const char *name, const int64_t *list, size_t n)
{
    struct buffer packed;
    if (w->json) {
        wire_list(w, name);
        for (size_t i = 0; i < n; i++)
            if (begin_value(w, NULL, false))
                jsonw_quoted_int(&w->writer, list[i]);
        wire_list_end(w);
        return;
    }
    buffer_init(&packed, WIRE_BYTES_MAX);
    for (size_t i = 0; i < n; i++)
        pb_put_varint(&packed, (uint64_t)list[i]);
    if (n)
        pb_put_message(&w->messages[w->depth], number, &packed);
    buffer_deinit(&packed);
}

void wire_int32s(struct wire *w, uint32_t number, const char *name, const int32_t *list, size_t n)
{
    struct buffer packed;
    if (w->json) {
        wire_list(w, name);
        for (size_t i = 0; i < n; i++)
            if (begin_value(w, NULL, false))
                jsonw_int(&w->writer, list[i]);
        wire_list_end(w);
        return;
    }
    buffer_init(&packed, WIRE_BYTES_MAX);
    for (size_t i = 0; i < n; i++)
        pb_put_varint(&packed, (uint64_t)list[i]);
    if (n)
        pb_put_message(&w->messages[w->depth], number, &packed);
    buffer_deinit(&packed);
}

void wire_doubles(struct wire *w, uint32_t number, const char *name, const double *list, size_t n)
{
    if (w->json) {
        wire_list(w, name);
        for (size_t i = 0; i < n; i++)
            if (begin_value(w, NULL, false))
                jsonw_exact(&w->writer, list[i], false);
        wire_list_end(w);
        return;
    }
    uint8_t bytes[8];
    struct buffer packed;
    buffer_init(&packed, WIRE_BYTES_MAX);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &list[i], sizeof bits);
        for (int k = 0; k < 8; k++)
            bytes[k] = (uint8_t)(bits >> 8 * k);
        buffer_put(&packed, bytes, sizeof bytes);
    }
    if (n)
        pb_put_message(&w->messages[w->depth], number, &packed);
    buffer_deinit(&packed);
}

void wire_fields(struct wire *w, const void *bytes, size_t n)
{
    buffer_put(&w->messages[w->depth], bytes, n);
}
