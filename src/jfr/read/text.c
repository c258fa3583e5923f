/* Reads strings. A leading byte says how a string is stored. Valid UTF-8 in the file is used in place. Other text (UTF-16, Latin-1, the
 * JVM's own UTF-8 with its two-byte zero and its surrogates, damaged text) is converted once and kept. */
#include "base/text/utf8.h"
#include "jfr/read/input.h"
#include "jfr/read/reader_internal.h"
#include "jfr/read/varints.h"

#include <string.h>

enum encoding { S_NULL, S_EMPTY, S_POOL, S_UTF8, S_CHARS, S_LATIN1 };
enum { REPLACEMENT = 0xfffd };

const uint8_t *jfr_skip_string(const uint8_t *at, const uint8_t *end)
{
    uint8_t encoding;
    uint64_t n;
    at = input_byte(at, end, &encoding);
    if (!at || encoding == S_NULL || encoding == S_EMPTY)
        return at;
    if (encoding > S_LATIN1)
        return NULL;
    at = input_varint(at, end, &n);
    if (encoding == S_POOL || !at)
        return at;
    if (encoding != S_CHARS)
        return input_skip(at, end, n);
    if (n > (uint64_t)(end - at))
        return NULL;
    return varints_skip(at, end, n);
}

/* ---- conversion ---- */

static void put_utf8(struct buffer *b, uint32_t c)
{
    char out[4];
    buffer_put(b, out, utf8_put(c, out));
}

/* UTF-16 units arrive one by one; a high surrogate waits for its other half. */
struct utf16 {
    struct buffer *out;
    uint32_t high; /* 0 = none */
};

static void put_unit(struct utf16 *u, uint32_t unit)
{
    bool low = unit >= 0xdc00 && unit < 0xe000;
    if (u->high && low) {
        put_utf8(u->out, 0x10000 + ((u->high - 0xd800) << 10) + (unit - 0xdc00));
        u->high = 0;
        return;
    }
    if (u->high)
        put_utf8(u->out, REPLACEMENT);
    u->high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
    if (!u->high)
        put_utf8(u->out, low ? REPLACEMENT : unit);
}

static void end_units(struct utf16 *u)
{
    if (u->high)
        put_utf8(u->out, REPLACEMENT);
    u->high = 0;
}

static void convert_chars(struct buffer *b, const uint8_t *at, const uint8_t *end, uint64_t n)
{
    struct utf16 u = {.out = b};
    for (uint64_t unit; n && (at = input_varint(at, end, &unit)); n--)
        put_unit(&u, (uint16_t)unit);
    end_units(&u);
}

static bool follows(const uint8_t *at, uint64_t left, uint64_t i)
{
    return i < left && (at[i] & 0xc0) == 0x80;
}

/* Converts the JVM's UTF-8, in which characters above U+FFFF are two surrogates of three bytes each, and zero is c0 80. */
static void convert_utf8(struct buffer *b, const uint8_t *at, uint64_t n)
{
    struct utf16 u = {.out = b};
    while (n) {
        size_t good = utf8_length((const char *)at, n), used = good ? good : 1;
        if (good) {
            end_units(&u);
            buffer_put(b, at, good);
        } else if (n >= 2 && at[0] == 0xc0 && at[1] == 0x80) {
            put_unit(&u, 0);
            used = 2;
        } else if (at[0] == 0xed && follows(at, n, 1) && follows(at, n, 2)) {
            put_unit(&u, 0xd000u | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu));
            used = 3;
        } else {
            put_unit(&u, REPLACEMENT);
        }
        at += used;
        n -= used;
    }
    end_units(&u);
}

static void convert_latin1(struct buffer *b, const uint8_t *at, uint64_t n)
{
    for (; n; at++, n--)
        put_utf8(b, *at);
}

/* ---- access ---- */

static bool is_ascii(const uint8_t *at, uint64_t n)
{
    for (uint64_t bytes; n >= 8; at += 8, n -= 8) {
        memcpy(&bytes, at, sizeof bytes);
        if (bytes & 0x8080808080808080u)
            return false;
    }
    for (; n; at++, n--)
        if (*at >= 0x80)
            return false;
    return true;
}

static bool is_utf8(const uint8_t *at, uint64_t n)
{
    for (size_t used; n; at += used, n -= used)
        if (!(used = utf8_length((const char *)at, n)))
            return false;
    return true;
}

static struct jfr_text keep_scratch(struct jfr_chunk *c, uint32_t *id)
{
    const struct buffer *b = &c->scratch;
    *id = b->failed ? 0 : strtab_add(&c->names, (const char *)b->data, b->len);
    if (!*id && (b->len || b->failed))
        c->out_of_memory = true;
    return (struct jfr_text){strtab_text(&c->names, *id), strtab_len(&c->names, *id)};
}

static struct jfr_text converted(struct jfr_chunk *c, enum encoding encoding, const uint8_t *at, const uint8_t *end, uint64_t n)
{
    bool added = false;
    uint32_t *id = map_add(&c->texts, (uint64_t)(at - c->bytes) ^ c->seed, &added);
    if (!id) {
        c->out_of_memory = true;
        return (struct jfr_text){"", 0};
    }
    if (!added)
        return (struct jfr_text){strtab_text(&c->names, *id), strtab_len(&c->names, *id)};
    buffer_reset(&c->scratch);
    if (encoding == S_CHARS)
        convert_chars(&c->scratch, at, end, n);
    else if (encoding == S_LATIN1)
        convert_latin1(&c->scratch, at, n);
    else
        convert_utf8(&c->scratch, at, n);
    return keep_scratch(c, id);
}

static struct jfr_text pooled(struct jfr_chunk *c, const uint8_t *at, const uint8_t *end)
{
    uint64_t key;
    struct jfr_value v = {0};
    if (c->types->string && input_varint(at + 1, end, &key))
        v = jfr_pool_get(c, c->types->string, key);
    bool chain = v.type && *v.at == S_POOL; /* an entry that refers to another entry could form a cycle */
    return v.type && !chain ? jfr_text_at(c, v.at, v.end) : (struct jfr_text){"", 0};
}

struct jfr_text jfr_text_at(struct jfr_chunk *c, const uint8_t *at, const uint8_t *end)
{
    uint64_t n = 0;
    if (!jfr_skip_string(at, end) || *at == S_NULL || *at == S_EMPTY)
        return (struct jfr_text){"", 0};
    if (*at == S_POOL)
        return pooled(c, at, end);
    enum encoding encoding = *at;
    at = input_varint(at + 1, end, &n);
    /* n characters; if they are ASCII, each has one byte in all encodings */
    if (is_ascii(at, n) || (encoding == S_UTF8 && is_utf8(at, n)))
        return (struct jfr_text){(const char *)at, n};
    return converted(c, encoding, at, end, n);
}

/* Texts in the file are converted once, and found again by their offset. */
struct jfr_text jfr_text_dotted(struct jfr_chunk *c, struct jfr_text text)
{
    bool added = true;
    const uint8_t *at = (const uint8_t *)text.bytes;
    uint32_t id, *known = at >= c->bytes && at < c->end ? map_add(&c->texts, (uint64_t)(at - c->bytes) ^ c->seed, &added) : &id;
    if (known && !added)
        return (struct jfr_text){strtab_text(&c->names, *known), strtab_len(&c->names, *known)};
    buffer_reset(&c->scratch);
    buffer_put(&c->scratch, text.bytes, text.len);
    for (size_t i = 0; i < c->scratch.len; i++)
        if (c->scratch.data[i] == '/')
            c->scratch.data[i] = '.';
    return keep_scratch(c, known ? known : &id);
}
