/* Converts a histogram to text and back. The text is base64 of
 *
 *     be32 0x1c849314 | be32 length | zlib stream of
 *         be32 0x1c849313 | be32 length of the counts | be32 normalizing offset | be32 digits
 *         be64 lowest | be64 highest | be64 ratio (double)
 *         counts: ZigZag LEB128, at most nine bytes each, the ninth with all eight bits; a negative number is a run of as many zeros
 *
 * This is encoding V2, the only one that is written. V1 and V0, of older HdrHistograms, are read, too:
 *
 *     V1  be32 0x1c849302 | ... | the same head with 0x1c849301 | counts
 *     V0  be32 0x1c849309 | ... | be32 0x1c849308 | be32 digits | be64 lowest | be64 highest | be64 total | counts
 *
 * Their counts are big-endian words. The bits 4 to 7 of both cookies are the size of a word in bytes.
 */
#include "candor/histogram.h"

#include "base/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { COOKIE = 0x1c849313, COMPRESSED_COOKIE = 0x1c849314, WORD_SIZE_BITS = 0xf0 };

/* ---- base64 ---- */

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *base64(const uint8_t *bytes, size_t n)
{
    char *text = malloc((n + 2) / 3 * 4 + 1), *out = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);
        *out++ = base64_digits[three >> 18];
        *out++ = base64_digits[three >> 12 & 63];
        *out++ = i + 1 < n ? base64_digits[three >> 6 & 63] : '=';
        *out++ = i + 2 < n ? base64_digits[three & 63] : '=';
    }
    *out = 0;
    return text;
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static int from_base64(const char *text, size_t len, uint8_t **bytes, size_t *n)
{
    while (len && text[len - 1] == '=')
        len--;
    *n = 0;
    if (len % 4 == 1 || !(*bytes = malloc(len / 4 * 3 + 3)))
        return len % 4 == 1 ? -EBADMSG : -ENOMEM;
    uint32_t bits = 0;
    for (size_t i = 0; i < len; i++) {
        int digit = base64_digit(text[i]);
        if (digit < 0) {
            free(*bytes);
            return -EBADMSG;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4)
            (*bytes)[(*n)++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    return 0;
}

/* ---- counts ---- */

static void put_count(struct buffer *b, int64_t v)
{
    uint64_t zigzag = (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
    for (int i = 0; i < 8 && zigzag > 0x7f; i++, zigzag >>= 7)
        buffer_u8(b, (uint8_t)(zigzag | 0x80));
    buffer_u8(b, (uint8_t)zigzag);
}

static bool get_count(const uint8_t **at, const uint8_t *end, int64_t *v)
{
    uint64_t zigzag = 0;
    for (int shift = 0; *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        bool last = shift == 56 || !(byte & 0x80);
        zigzag |= (uint64_t)(shift == 56 ? byte : byte & 0x7f) << shift;
        if (last) {
            *v = (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
            return true;
        }
    }
    return false;
}

static void put_counts(struct buffer *b, const struct candor_histogram *h)
{
    int32_t index = 0, before = 0;
    int64_t value, count;
    while (candor_histogram_next(h, &index, &value, &count)) {
        int32_t zeros = index - 1 - before;
        if (zeros == 1)
            put_count(b, 0);
        else if (zeros)
            put_count(b, -zeros);
        put_count(b, count);
        before = index;
    }
}

static int get_counts(struct candor_histogram *h, const uint8_t *at, const uint8_t *end)
{
    int64_t v, total = 0;
    for (int64_t index = 0; at < end;) {
        if (!get_count(&at, end, &v))
            return -EBADMSG;
        if (v < 0) {
            if (v < -(int64_t)INT32_MAX)
                return -EBADMSG;
            index -= v;
        } else if (index >= h->counts_len && v) {
            return -EBADMSG;
        } else if (index < h->counts_len) {
            if (__builtin_add_overflow(total, v, &total))
                return -EBADMSG;
            h->counts[index++] = v;
        }
        if (index > h->counts_len)
            return -EBADMSG;
    }
    return 0;
}

static uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int64_t be64(const uint8_t *p)
{
    return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

/* Reads counts that are words of 2, 4 or 8 bytes. There are no runs of zeros. */
static int get_words(struct candor_histogram *h, const uint8_t *at, size_t n, size_t word)
{
    int64_t total = 0;
    for (size_t i = 0; i < n / word; i++, at += word) {
        int64_t v = word == 8 ? be64(at) : word == 4 ? (int32_t)be32(at) : (int16_t)(at[0] << 8 | at[1]);
        if (v < 0 || (v && i >= (size_t)h->counts_len) || __builtin_add_overflow(total, v, &total))
            return -EBADMSG;
        if (v)
            h->counts[i] = v;
    }
    return n % word ? -EBADMSG : 0;
}

/* ---- whole ---- */

static void put_payload(struct buffer *b, const struct candor_histogram *h)
{
    static const double ratio = 1;
    uint64_t bits;
    struct buffer counts;
    memcpy(&bits, &ratio, sizeof bits);
    buffer_init(&counts, INT32_MAX);
    put_counts(&counts, h);
    buffer_be32(b, COOKIE);
    buffer_be32(b, (uint32_t)counts.len);
    buffer_be32(b, 0);
    buffer_be32(b, (uint32_t)h->digits);
    buffer_be64(b, (uint64_t)h->lowest);
    buffer_be64(b, (uint64_t)h->highest);
    buffer_be64(b, bits);
    buffer_put(b, counts.data, counts.len);
    b->failed |= counts.failed;
    buffer_deinit(&counts);
}

int candor_histogram_encode(const struct candor_histogram *h, char **text)
{
    struct buffer payload, packed;
    buffer_init(&payload, INT32_MAX);
    buffer_init(&packed, INT32_MAX);
    *text = NULL;
    put_payload(&payload, h);
    uLongf len = compressBound(payload.len);
    if (!payload.failed && buffer_reserve(&packed, len + 8) && compress(packed.data + 8, &len, payload.data, payload.len) == Z_OK) {
        buffer_be32(&packed, COMPRESSED_COOKIE);
        buffer_be32(&packed, (uint32_t)len);
        buffer_advance(&packed, len);
        *text = base64(packed.data, packed.len);
    }
    buffer_deinit(&payload);
    buffer_deinit(&packed);
    return *text ? 0 : -ENOMEM;
}

/* The encodings. They differ in the header before the counts, and in the form of a count. */
static const struct encoding {
    uint32_t cookie, compressed;
    size_t head;
    int digits_at; /* `lowest` and `highest` follow the digits */
    bool packed;   /* counts are LEB128; otherwise words, and the cookie has their size */
} encodings[] = {
    {COOKIE, COMPRESSED_COOKIE, 40, 12, true},
    {0x1c849301, 0x1c849302, 40, 12, false}, /* V1: HdrHistogram 2.1.4 to 2.1.6 */
    {0x1c849308, 0x1c849309, 32, 4, false},  /* V0: up to 2.1.3; it has no length of the counts */
};

/* Whether the cookie is that of HdrHistogram's DoubleHistogram, plain or compressed. Its cookies have no bits for the size of a word. */
static bool is_of_doubles(uint32_t cookie)
{
    return cookie == 0x0c72124e || cookie == 0x0c72124f;
}

/* Finds the encoding with this cookie, without the bits for the size of a word. Returns NULL and sets *rc to the error if there is none. */
static const struct encoding *find_encoding(uint32_t cookie, bool compressed, int *rc)
{
    uint32_t plain = cookie & ~(uint32_t)WORD_SIZE_BITS;
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
        if (plain == ((compressed ? encodings[i].compressed : encodings[i].cookie) & ~(uint32_t)WORD_SIZE_BITS))
            return &encodings[i];
    *rc = is_of_doubles(cookie) ? -ENOTSUP : -EBADMSG;
    return NULL;
}

/* Inflates at most `max` bytes. */
static int inflate_all(const uint8_t *bytes, size_t n, size_t max, struct buffer *out)
{
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)bytes, .avail_in = (uInt)n};
    if (inflateInit(&z) != Z_OK)
        return -ENOMEM;
    int status = Z_OK;
    while (status == Z_OK && out->len < max) {
        size_t room = max - out->len < 65536 ? max - out->len : 65536;
        if (!(z.next_out = buffer_reserve(out, room)))
            break;
        z.avail_out = (uInt)room;
        status = inflate(&z, Z_NO_FLUSH);
        buffer_advance(out, room - z.avail_out);
        if (z.avail_out == room && status == Z_OK)
            break;
    }
    inflateEnd(&z);
    return out->failed ? -ENOMEM : status == Z_STREAM_END ? 0 : -EBADMSG;
}

static int take_payload(struct candor_histogram *h, const uint8_t *p, size_t n)
{
    int rc = -EBADMSG;
    const struct encoding *e = n < 4 ? NULL : find_encoding(be32(p), false, &rc);
    if (!e || n < e->head)
        return rc;
    bool has_length = e->digits_at == 12;
    size_t counts = has_length ? be32(p + 4) : n - e->head, word = be32(p) >> 4 & 14;
    uint32_t digits = be32(p + e->digits_at);
    int64_t lowest = be64(p + e->digits_at + 4), highest = be64(p + e->digits_at + 12);
    if (has_length && be32(p + 8))
        return -EPROTONOSUPPORT;
    if (counts > n - e->head || digits < 1 || digits > 5 || highest < 1 || (!e->packed && word != 2 && word != 4 && word != 8))
        return -EBADMSG;
    rc = candor_histogram_init(h, lowest, highest, (int)digits);
    const uint8_t *at = p + e->head;
    if (!rc)
        rc = e->packed ? get_counts(h, at, at + counts) : get_words(h, at, counts, word);
    if (rc)
        candor_histogram_deinit(h);
    return rc == -EINVAL ? -EBADMSG : rc;
}

int candor_histogram_decode(struct candor_histogram *h, const char *text, size_t len)
{
    uint8_t *packed;
    size_t n;
    struct buffer payload;
    int rc = from_base64(text, len, &packed, &n);
    if (rc)
        return rc;
    buffer_init(&payload, CANDOR_HISTOGRAM_DECODE_MAX);
    rc = -EBADMSG;
    if (n >= 8 && find_encoding(be32(packed), true, &rc))
        rc = be32(packed + 4) > n - 8 ? -EBADMSG : inflate_all(packed + 8, be32(packed + 4), CANDOR_HISTOGRAM_DECODE_MAX, &payload);
    if (!rc)
        rc = take_payload(h, payload.data, payload.len);
    buffer_deinit(&payload);
    free(packed);
    return rc;
}
