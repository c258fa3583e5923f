#include "store/files/segment.h"

#include "store/files/checksum.h"
#include "store/files/column.h"
#include "store/files/contexts.h"
#include "store/files/disk.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct head {
    char magic[8];
    uint32_t rows, recordings;
    uint64_t first;
    uint32_t strings, nodes, threads, sums;
    uint64_t checksum;
};
_Static_assert(sizeof(struct head) == 48, "segment.h draws it");

static const char magic[7] = {'C', 'A', 'N', 'D', 'S', 'E', 'G'};

/* What the segment says about the contexts of its rows: the last byte of the head's `magic`. Earlier versions wrote EARLIER less. */
enum { CONTEXTS_UNKNOWN = '4', CONTEXTS_DIFFER = '5', CONTEXTS_NONE = '6', EARLIER = 3 };

/* ---- writing ---- */

/* Orders rows so that those of one stack and thread are next to each other. Then the differences between rows are small. */
static int compare(const void *left, const void *right)
{
    const struct segment_row *a = left, *b = right;
    if (a->recording != b->recording)
        return a->recording < b->recording ? -1 : 1;
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->second != b->second)
        return a->second < b->second ? -1 : 1;
    if (a->outcome != b->outcome)
        return a->outcome < b->outcome ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    return (a->context > b->context) - (a->context < b->context);
}

/* Whether the rows are in order already. Rows that were merged from sorted segments are. */
static bool is_sorted(const struct segment *s)
{
    for (uint32_t i = 1; i < s->row_count; i++)
        if (compare(&s->rows[i - 1], &s->rows[i]) > 0)
            return false;
    return true;
}

void segment_add_up(struct segment *s)
{
    uint32_t n = 0;
    if (!is_sorted(s))
        qsort(s->rows, s->row_count, sizeof *s->rows, compare);
    for (uint32_t i = 0; i < s->row_count; i++) {
        struct segment_row *last = n ? &s->rows[n - 1] : NULL;
        if (last && !compare(last, &s->rows[i]) && s->rows[i].count <= UINT32_MAX - last->count) {
            last->weight += s->rows[i].weight;
            last->count += s->rows[i].count;
        } else {
            s->rows[n++] = s->rows[i];
        }
    }
    s->row_count = n;
}

/* Returns a row's value in a column. Most columns contain the differences between consecutive values. These are small numbers, and a
 * repeated value yields zeros. */
static uint64_t value_of(const struct segment_row *r, enum segment_column c)
{
    switch (c) {
    case SEGMENT_RECORDING:
        return r->recording;
    case SEGMENT_SECOND:
        return r->second;
    case SEGMENT_STACK:
        return r->stack;
    case SEGMENT_COUNT:
        return r->count;
    case SEGMENT_THREAD:
        return r->thread;
    case SEGMENT_OUTCOME:
        return r->outcome;
    case SEGMENT_CONTEXT:
        return r->context;
    default:
        return r->state;
    }
}

/* Writes the number of bytes of the largest weight, then the bytes of all weights, the lowest first. */
static int put_weights(struct buffer *plain, const struct segment *s)
{
    uint64_t all = 0;
    unsigned bytes = 0;
    for (uint32_t i = 0; i < s->row_count; i++)
        all |= s->rows[i].weight;
    for (; all; all >>= 8)
        bytes++;
    column_put(plain, bytes);
    for (unsigned k = 0; k < bytes; k++) {
        uint8_t *to = buffer_reserve(plain, s->row_count);
        if (!to)
            return -ENOMEM;
        for (uint32_t i = 0; i < s->row_count; i++)
            to[i] = (uint8_t)(s->rows[i].weight >> 8 * k);
        buffer_advance(plain, s->row_count);
    }
    return 0;
}

static int pack(struct buffer *out, struct buffer *plain, const struct segment *s, enum segment_column c)
{
    uint64_t before = 0;
    buffer_reset(plain);
    if (c == SEGMENT_WEIGHT)
        return put_weights(plain, s) ? -ENOMEM : column_pack(out, plain);
    if (c == SEGMENT_CONTEXT)
        column_put(plain, s->contexts);
    uint32_t n = c == SEGMENT_RECORDINGS ? s->recording_count : s->row_count;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = c == SEGMENT_RECORDINGS ? s->recordings[i] : value_of(&s->rows[i], c);
        column_put_signed(plain, (int64_t)(v - before));
        before = v;
    }
    return column_pack(out, plain);
}

static char contexts_of(const struct segment *s)
{
    uint32_t first = s->row_count ? s->rows[0].context : CONTEXT_NONE;
    for (uint32_t i = 1; i < s->row_count; i++)
        if (s->rows[i].context != first)
            return CONTEXTS_DIFFER;
    return first == CONTEXT_NONE ? CONTEXTS_NONE : first == CONTEXT_UNKNOWN ? CONTEXTS_UNKNOWN : CONTEXTS_DIFFER;
}

static void set_head(struct buffer *out, const struct segment *s, char contexts, size_t sums)
{
    struct head head = {.rows = htole32(s->row_count),
                        .recordings = htole32(s->recording_count),
                        .first = htole64((uint64_t)s->first),
                        .strings = htole32(s->strings),
                        .nodes = htole32(s->nodes),
                        .threads = htole32(s->threads),
                        .sums = htole32((uint32_t)sums)};
    memcpy(head.magic, magic, sizeof magic);
    head.magic[sizeof magic] = contexts;
    head.checksum = htole64(checksum_of(&head, offsetof(struct head, checksum)));
    memcpy(out->data, &head, sizeof head);
}

static int put_all(struct buffer *out, const struct segment *s)
{
    static const struct head none = {0}; /* the real head is known only at the end */
    struct buffer plain;
    char contexts = contexts_of(s);
    enum segment_column last = contexts == CONTEXTS_DIFFER ? SEGMENT_CONTEXT : SEGMENT_CONTEXT - 1;
    buffer_init(&plain, COLUMN_BYTES_MAX);
    buffer_put(out, &none, sizeof none);
    int rc = pack(out, &plain, s, SEGMENT_RECORDINGS);
    size_t sums = out->len;
    rc = rc ? rc : segment_put_sums(out, &plain, s);
    sums = out->len - sums;
    for (enum segment_column c = SEGMENT_RECORDINGS + 1; !rc && c <= last; c++)
        rc = pack(out, &plain, s, c);
    buffer_deinit(&plain);
    if (rc || out->failed)
        return -ENOMEM;
    set_head(out, s, contexts, sums);
    return 0;
}

int segment_write(struct segment *s, const char *path, bool synced, struct error *e)
{
    struct buffer out;
    segment_add_up(s);
    buffer_init(&out, SEGMENT_BYTES_MAX);
    int rc = segment_sum_up(s);
    rc = rc ? rc : put_all(&out, s);
    if (rc)
        error_set(e, rc, "%s: out of memory", path);
    else
        rc = synced ? disk_write_synced(path, out.data, out.len, e) : disk_write_file(path, out.data, out.len, e);
    buffer_deinit(&out);
    return rc;
}

/* ---- reading ---- */

enum { BEGINNING = 1 << 16 }; /* bytes at the beginning of a file that contain most sums */

static int read_head(struct segment *s, const uint8_t *bytes, size_t size, bool rows, size_t *sums, bool *earlier)
{
    struct head h;
    if (size < sizeof h)
        return -EBADMSG;
    memcpy(&h, bytes, sizeof h);
    char contexts = h.magic[sizeof magic];
    *earlier = contexts < CONTEXTS_UNKNOWN;
    contexts = *earlier ? (char)(contexts + EARLIER) : contexts;
    if (memcmp(h.magic, magic, sizeof magic) || contexts < CONTEXTS_UNKNOWN || contexts > CONTEXTS_NONE ||
        le64toh(h.checksum) != checksum_of(&h, offsetof(struct head, checksum)))
        return -EBADMSG;
    s->row_count = rows ? le32toh(h.rows) : 0;
    s->recording_count = le32toh(h.recordings);
    s->first = (int64_t)le64toh(h.first);
    s->strings = le32toh(h.strings);
    s->nodes = le32toh(h.nodes);
    s->threads = le32toh(h.threads);
    s->has_contexts = contexts == CONTEXTS_DIFFER;
    s->context = contexts == CONTEXTS_NONE ? CONTEXT_NONE : CONTEXT_UNKNOWN;
    s->contexts = CONTEXT_NONE + 1;
    *sums = le32toh(h.sums);
    if (s->row_count > SEGMENT_ROWS_MAX || s->recording_count > SEGMENT_ROWS_MAX)
        return -EBADMSG;
    s->rows = calloc((size_t)s->row_count + 1, sizeof *s->rows);
    s->recordings = calloc((size_t)s->recording_count + 1, sizeof *s->recordings);
    return s->rows && s->recordings ? 0 : -ENOMEM;
}

static int read_recordings(struct segment *s, struct column *in)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < s->recording_count; i++)
        before = s->recordings[i] = before + (uint64_t)column_next_signed(in);
    return in->bad ? -EBADMSG : 0;
}

/* Reads one column of the rows. It is inlined for each column, so that the compiler knows the column and makes a loop for it. */
static inline __attribute__((always_inline)) int read_rows(struct segment *s, struct column *in, enum segment_column c, uint64_t limit)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < s->row_count; i++) {
        struct segment_row *r = &s->rows[i];
        v = c == SEGMENT_WEIGHT ? column_next(in) : v + (uint64_t)column_next_signed(in);
        if (v >= limit)
            return -EBADMSG;
        if (c == SEGMENT_WEIGHT)
            r->weight = v;
        else if (c == SEGMENT_STATE)
            r->state = (uint8_t)v;
        else
            *(c == SEGMENT_RECORDING ? &r->recording
              : c == SEGMENT_SECOND  ? &r->second
              : c == SEGMENT_STACK   ? &r->stack
              : c == SEGMENT_COUNT   ? &r->count
              : c == SEGMENT_THREAD  ? &r->thread
              : c == SEGMENT_CONTEXT ? &r->context
                                     : &r->outcome) = (uint32_t)v;
    }
    return in->bad ? -EBADMSG : 0;
}

static int read_weights(struct segment *s, struct column *in)
{
    uint64_t bytes = column_next(in);
    if (bytes > sizeof(uint64_t))
        return -EBADMSG;
    for (unsigned k = 0; k < bytes; k++) {
        const uint8_t *from = column_bytes(in, s->row_count);
        for (uint32_t i = 0; from && i < s->row_count; i++)
            s->rows[i].weight |= (uint64_t)from[i] << 8 * k;
    }
    for (uint32_t i = 0; bytes == sizeof(uint64_t) && i < s->row_count; i++)
        if (s->rows[i].weight >> 62)
            return -EBADMSG;
    return in->bad ? -EBADMSG : 0;
}

static int read_contexts(struct segment *s, struct column *in)
{
    uint64_t contexts = column_next(in);
    if (!contexts || contexts > UINT32_MAX)
        return -EBADMSG;
    s->contexts = (uint32_t)contexts;
    return read_rows(s, in, SEGMENT_CONTEXT, contexts);
}

static int read_column(struct segment *s, enum segment_column c, struct column *in, bool earlier)
{
    static const uint64_t words = (uint64_t)UINT32_MAX + 1;
    switch (c) {
    case SEGMENT_RECORDINGS:
        return read_recordings(s, in);
    case SEGMENT_RECORDING:
        return read_rows(s, in, SEGMENT_RECORDING, s->recording_count);
    case SEGMENT_SECOND:
        return read_rows(s, in, SEGMENT_SECOND, words);
    case SEGMENT_WEIGHT:
        return !earlier ? read_weights(s, in) : read_rows(s, in, SEGMENT_WEIGHT, (uint64_t)1 << 62);
    case SEGMENT_STACK:
        return read_rows(s, in, SEGMENT_STACK, s->nodes);
    case SEGMENT_COUNT:
        return read_rows(s, in, SEGMENT_COUNT, words);
    case SEGMENT_THREAD:
        return read_rows(s, in, SEGMENT_THREAD, s->threads);
    case SEGMENT_OUTCOME:
        return read_rows(s, in, SEGMENT_OUTCOME, s->strings);
    case SEGMENT_CONTEXT:
        return read_contexts(s, in);
    default:
        return read_rows(s, in, SEGMENT_STATE, UINT8_MAX + 1);
    }
}

static int read_or_skip(struct segment *s, const uint8_t *bytes, size_t size, size_t *at, enum segment_column c, bool earlier, bool read)
{
    struct column in;
    int rc = read ? column_open(&in, bytes, size, at) : column_skip(bytes, size, at);
    if (!rc && read) {
        rc = read_column(s, c, &in, earlier);
        column_close(&in);
    }
    return rc;
}

/* Reads the columns. If the bytes end before the sums do, returns -EBADMSG, and sets *short_of to the number of bytes that is needed. The
 * rows are never cut off in this way. */
static int read_all(struct segment *s, const uint8_t *bytes, size_t size, unsigned columns, size_t *short_of)
{
    size_t at = sizeof(struct head), sums = 0;
    bool rows = columns & SEGMENT_ALL, earlier;
    int rc = read_head(s, bytes, size, rows, &sums, &earlier);
    rc = rc ? rc : read_or_skip(s, bytes, size, &at, SEGMENT_RECORDINGS, earlier, true);
    if (!rc && sums > size - at) {
        *short_of = at + sums;
        return -EBADMSG;
    }
    if (!rc && columns & SEGMENT_SUMS)
        rc = segment_read_sums(s, bytes + at, sums, !earlier);
    at += sums;
    enum segment_column last = s->has_contexts ? SEGMENT_CONTEXT : SEGMENT_CONTEXT - 1;
    for (enum segment_column c = SEGMENT_RECORDINGS + 1; !rc && rows && c <= last; c++)
        rc = read_or_skip(s, bytes, size, &at, c, earlier, columns & 1u << c);
    for (uint32_t i = 0; !rc && s->context && !s->has_contexts && i < s->row_count; i++)
        s->rows[i].context = s->context;
    return !rc && rows && at != size ? -EBADMSG : rc;
}

/* Reads some columns. If only the sums are needed, it reads only the beginning of the file. */
static int read_some(struct segment *s, const char *path, unsigned columns, size_t most, struct error *e)
{
    uint8_t *bytes;
    size_t size, wanted = 0;
    *s = (struct segment){0};
    int rc = most ? disk_read_beginning(path, most, &bytes, &size, e) : disk_read_file(path, SEGMENT_BYTES_MAX, &bytes, &size, e);
    if (rc)
        return rc;
    rc = read_all(s, bytes, size, columns, &wanted);
    free(bytes);
    if (!rc)
        return 0;
    segment_deinit(s);
    if (most && size == most && most != SEGMENT_BYTES_MAX) /* the file has more bytes */
        return read_some(s, path, columns, wanted > most && wanted < SEGMENT_BYTES_MAX ? wanted : SEGMENT_BYTES_MAX, e);
    return error_set(e, rc, "%s: %s", path, rc == -EBADMSG ? "damaged: a checksum or a number in it is wrong" : strerror(-rc));
}

int segment_read(struct segment *s, const char *path, unsigned columns, struct error *e)
{
    return read_some(s, path, columns, columns & SEGMENT_ALL ? 0 : BEGINNING, e);
}

void segment_deinit(struct segment *s)
{
    free(s->rows);
    free(s->recordings);
    free(s->sums);
    free(s->seconds);
    *s = (struct segment){0};
}
