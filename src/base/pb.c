#include "base/pb.h"

#include <string.h>

struct pb pb_init(const void *bytes, size_t size)
{
    const uint8_t *at = size ? bytes : (const uint8_t *)""; /* bytes may be NULL if size is 0 */
    return (struct pb){.at = at, .end = at + size};
}

struct pb pb_message(const struct pb_field *f)
{
    return pb_init(f->bytes, f->size);
}

/* Reads at most ten bytes. Bits beyond 64 are dropped, as the reference implementation does. */
static bool take_varint(struct pb *m, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 70 && m->at < m->end; shift += 7) {
        uint8_t byte = *m->at++;
        *value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (!(byte & 0x80))
            return true;
    }
    m->bad = true;
    return false;
}

static bool take_fixed(struct pb *m, unsigned size, uint64_t *value)
{
    if ((size_t)(m->end - m->at) < size) {
        m->bad = true;
        return false;
    }
    *value = 0;
    for (unsigned i = 0; i < size; i++)
        *value |= (uint64_t)m->at[i] << 8 * i;
    m->at += size;
    return true;
}

static bool take_bytes(struct pb *m, struct pb_field *f)
{
    uint64_t size;
    if (!take_varint(m, &size) || size > (uint64_t)(m->end - m->at)) {
        m->bad = true;
        return false;
    }
    f->bytes = m->at;
    f->size = (size_t)size;
    m->at += size;
    return true;
}

bool pb_next(struct pb *m, struct pb_field *f)
{
    uint64_t tag;
    *f = (struct pb_field){.bytes = (const uint8_t *)""};
    if (m->bad || m->at == m->end || !take_varint(m, &tag))
        return false;
    f->number = (uint32_t)(tag >> 3);
    f->wire = (enum pb_wire)(tag & 7);
    if (!f->number || tag >> 32) {
        m->bad = true;
        return false;
    }
    switch (f->wire) {
    case PB_VARINT:
        return take_varint(m, &f->value);
    case PB_FIXED64:
        return take_fixed(m, 8, &f->value);
    case PB_FIXED32:
        return take_fixed(m, 4, &f->value);
    case PB_BYTES:
        return take_bytes(m, f);
    }
    m->bad = true; /* for instance groups, which no program writes any more */
    return false;
}

struct pb_numbers pb_numbers(const struct pb_field *f)
{
    if (f->wire == PB_BYTES)
        return (struct pb_numbers){.packed = pb_message(f)};
    return (struct pb_numbers){.single = f};
}

struct pb_numbers pb_fixed64s(const struct pb_field *f)
{
    struct pb_numbers rest = pb_numbers(f);
    rest.fixed = true;
    return rest;
}

bool pb_number(struct pb_numbers *rest, uint64_t *value)
{
    if (rest->single) {
        *value = rest->single->value;
        rest->single = NULL;
        return true;
    }
    if (!rest->packed.at || rest->packed.at == rest->packed.end)
        return false;
    return rest->fixed ? take_fixed(&rest->packed, 8, value) : take_varint(&rest->packed, value);
}

void pb_put_varint(struct buffer *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        buffer_u8(b, (uint8_t)(v | 0x80));
    buffer_u8(b, (uint8_t)v);
}

static void put_tag(struct buffer *b, uint32_t number, enum pb_wire wire)
{
    pb_put_varint(b, (uint64_t)number << 3 | wire);
}

void pb_put_uint(struct buffer *b, uint32_t number, uint64_t v)
{
    if (v)
        pb_put_present(b, number, v);
}

void pb_put_present(struct buffer *b, uint32_t number, uint64_t v)
{
    put_tag(b, number, PB_VARINT);
    pb_put_varint(b, v);
}

void pb_put_int(struct buffer *b, uint32_t number, int64_t v)
{
    pb_put_uint(b, number, (uint64_t)v);
}

void pb_put_fixed64(struct buffer *b, uint32_t number, uint64_t v)
{
    if (!v)
        return;
    put_tag(b, number, PB_FIXED64);
    for (unsigned i = 0; i < 8; i++)
        buffer_u8(b, (uint8_t)(v >> 8 * i));
}

void pb_put_bytes(struct buffer *b, uint32_t number, const void *bytes, size_t size)
{
    put_tag(b, number, PB_BYTES);
    pb_put_varint(b, size);
    buffer_put(b, bytes, size);
}

void pb_put_text(struct buffer *b, uint32_t number, const char *text)
{
    pb_put_bytes(b, number, text, strlen(text));
}

void pb_put_message(struct buffer *b, uint32_t number, const struct buffer *message)
{
    if (message->failed) {
        b->full |= !b->failed && message->full;
        b->failed = true;
    } else {
        pb_put_bytes(b, number, message->data, message->len);
    }
}
