#include "base/buffer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buffer_init(struct buffer *b, size_t max)
{
    *b = (struct buffer){.max = max};
}

void buffer_deinit(struct buffer *b)
{
    free(b->data);
    *b = (struct buffer){.max = b->max};
}

int buffer_code(const struct buffer *b)
{
    return !b->failed ? 0 : b->full ? -EFBIG : -ENOMEM;
}

void buffer_reset(struct buffer *b)
{
    b->len = 0;
    b->failed = b->full = false;
}

uint8_t *buffer_reserve(struct buffer *b, size_t n)
{
    if (b->failed || n > b->max - b->len) {
        b->full |= !b->failed;
        b->failed = true;
        return NULL;
    }
    if (b->len + n > b->cap) {
        size_t cap = b->cap ? b->cap : 256;
        while (cap < b->len + n)
            cap *= 2;
        if (cap > b->max)
            cap = b->max;
        uint8_t *data = realloc(b->data, cap);
        if (!data) {
            b->failed = true;
            return NULL;
        }
        b->data = data;
        b->cap = cap;
    }
    return b->data + b->len;
}

void buffer_advance(struct buffer *b, size_t n)
{
    b->len += n;
}

void buffer_put(struct buffer *b, const void *bytes, size_t n)
{
    uint8_t *to = n ? buffer_reserve(b, n) : NULL;
    if (to) {
        memcpy(to, bytes, n);
        b->len += n;
    }
}

void buffer_text(struct buffer *b, const char *text)
{
    buffer_put(b, text, strlen(text));
}

void buffer_printf(struct buffer *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    uint8_t *to = n >= 0 ? buffer_reserve(b, (size_t)n + 1) : NULL;
    if (to) {
        vsnprintf((char *)to, (size_t)n + 1, format, again);
        b->len += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void buffer_u8(struct buffer *b, uint8_t v)
{
    buffer_put(b, &v, 1);
}

static void put_be(struct buffer *b, uint64_t v, size_t bytes)
{
    uint8_t out[8];
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
    buffer_put(b, out, bytes);
}

void buffer_be16(struct buffer *b, uint16_t v)
{
    put_be(b, v, 2);
}

void buffer_be32(struct buffer *b, uint32_t v)
{
    put_be(b, v, 4);
}

void buffer_be64(struct buffer *b, uint64_t v)
{
    put_be(b, v, 8);
}

void buffer_varint(struct buffer *b, uint64_t v)
{
    uint8_t out[9];
    size_t n = 0;
    while (v > 0x7f && n < 8) {
        out[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    out[n++] = (uint8_t)v;
    buffer_put(b, out, n);
}

void buffer_patch_varint4(struct buffer *b, size_t at, uint32_t v)
{
    if (b->failed)
        return;
    b->data[at] = (uint8_t)(v | 0x80);
    b->data[at + 1] = (uint8_t)(v >> 7 | 0x80);
    b->data[at + 2] = (uint8_t)(v >> 14 | 0x80);
    b->data[at + 3] = (uint8_t)(v >> 21 & 0x7f);
}
