#include "store/segment.h"

#include "store/checksum.h"
#include "store/column.h"
#include "store/disk.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct head {
    char magic[8];
    uint32_t rows, recordings;
    uint64_t first;
    uint32_t strings, nodes, threads, zero;
    uint64_t checksum;
};
_Static_assert(sizeof(struct head) == 48, "segment.h draws it");

static const char magic[8] = {'C', 'A', 'N', 'D', 'S', 'E', 'G', '1'};

/* ---- writing ---- */

/* Rows of one stack and thread side by side: small differences. */
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
    return (a->state > b->state) - (a->state < b->state);
}

static void add_up(struct segment *s)
{
    uint32_t n = 0;
    if (s->row_count)
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

/* Small numbers of most columns are differences to the row before; what repeats is zeros then. */
static uint64_t value_of(const struct segment_row *r, enum segment_column c)
{
    switch (c) {
    case SEGMENT_RECORDING:
        return r->recording;
    case SEGMENT_SECOND:
        return r->second;
    case SEGMENT_WEIGHT:
        return r->weight;
    case SEGMENT_STACK:
        return r->stack;
    case SEGMENT_COUNT:
        return r->count;
    case SEGMENT_THREAD:
        return r->thread;
    case SEGMENT_OUTCOME:
        return r->outcome;
    default:
        return r->state;
    }
}

static int set_value(struct segment_row *r, enum segment_column c, uint64_t v)
{
    uint32_t word = (uint32_t)v;
    if (c == SEGMENT_WEIGHT) {
        r->weight = v;
        return v >> 62 ? -EBADMSG : 0;
    }
    if (v > UINT32_MAX || (c == SEGMENT_STATE && v > UINT8_MAX))
        return -EBADMSG;
    switch (c) {
    case SEGMENT_RECORDING:
        r->recording = word;
        break;
    case SEGMENT_SECOND:
        r->second = word;
        break;
    case SEGMENT_STACK:
        r->stack = word;
        break;
    case SEGMENT_COUNT:
        r->count = word;
        break;
    case SEGMENT_THREAD:
        r->thread = word;
        break;
    case SEGMENT_OUTCOME:
        r->outcome = word;
        break;
    default:
        r->state = (uint8_t)v;
    }
    return 0;
}

static int pack(struct buffer *out, struct buffer *plain, const struct segment *s, enum segment_column c)
{
    uint64_t before = 0;
    buffer_reset(plain);
    uint32_t n = c == SEGMENT_RECORDINGS ? s->recording_count : s->row_count;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = c == SEGMENT_RECORDINGS ? s->recordings[i] : value_of(&s->rows[i], c);
        if (c == SEGMENT_WEIGHT)
            column_put(plain, v);
        else
            column_put_signed(plain, (int64_t)(v - before));
        before = v;
    }
    return column_pack(out, plain);
}

int segment_write(struct segment *s, const char *path, struct error *e)
{
    struct buffer out, plain;
    int rc = 0;
    add_up(s);
    buffer_init(&out, SEGMENT_BYTES_MAX);
    buffer_init(&plain, COLUMN_BYTES_MAX);
    struct head head = {.rows = htole32(s->row_count),
                        .recordings = htole32(s->recording_count),
                        .first = htole64((uint64_t)s->first),
                        .strings = htole32(s->strings),
                        .nodes = htole32(s->nodes),
                        .threads = htole32(s->threads)};
    memcpy(head.magic, magic, sizeof magic);
    head.checksum = htole64(checksum_of(&head, offsetof(struct head, checksum)));
    buffer_put(&out, &head, sizeof head);
    for (enum segment_column c = 0; !rc && c < SEGMENT_COLUMNS; c++)
        rc = pack(&out, &plain, s, c);
    if (rc || out.failed)
        rc = error_set(e, -ENOMEM, "%s: out of memory", path);
    rc = rc ? rc : disk_write_file(path, out.data, out.len, e);
    buffer_deinit(&out);
    buffer_deinit(&plain);
    return rc;
}

/* ---- reading ---- */

static int read_head(struct segment *s, const uint8_t *bytes, size_t size)
{
    struct head h;
    if (size < sizeof h)
        return -EBADMSG;
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) || le64toh(h.checksum) != checksum_of(&h, offsetof(struct head, checksum)))
        return -EBADMSG;
    s->row_count = le32toh(h.rows);
    s->recording_count = le32toh(h.recordings);
    s->first = (int64_t)le64toh(h.first);
    s->strings = le32toh(h.strings);
    s->nodes = le32toh(h.nodes);
    s->threads = le32toh(h.threads);
    if (s->row_count > SEGMENT_ROWS_MAX || s->recording_count > SEGMENT_ROWS_MAX)
        return -EBADMSG;
    s->rows = calloc((size_t)s->row_count + 1, sizeof *s->rows);
    s->recordings = calloc((size_t)s->recording_count + 1, sizeof *s->recordings);
    return s->rows && s->recordings ? 0 : -ENOMEM;
}

static int read_column(struct segment *s, enum segment_column c, struct column *in)
{
    uint64_t before = 0;
    int rc = 0;
    uint32_t n = c == SEGMENT_RECORDINGS ? s->recording_count : s->row_count;
    for (uint32_t i = 0; !rc && i < n; i++) {
        uint64_t v = c == SEGMENT_WEIGHT ? column_next(in) : before + (uint64_t)column_next_signed(in);
        if (c == SEGMENT_RECORDINGS)
            s->recordings[i] = v;
        else
            rc = set_value(&s->rows[i], c, v);
        before = v;
    }
    return in->bad ? -EBADMSG : rc;
}

static int check_rows(const struct segment *s, unsigned columns)
{
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct segment_row *r = &s->rows[i];
        if ((columns & 1 << SEGMENT_RECORDING && r->recording >= s->recording_count) ||
            (columns & 1 << SEGMENT_STACK && r->stack >= s->nodes) ||
            (columns & 1 << SEGMENT_THREAD && r->thread >= s->threads) ||
            (columns & 1 << SEGMENT_OUTCOME && r->outcome >= s->strings))
            return -EBADMSG;
    }
    return 0;
}

static int read_columns(struct segment *s, const uint8_t *bytes, size_t size, unsigned columns)
{
    size_t at = sizeof(struct head);
    int rc = read_head(s, bytes, size);
    for (enum segment_column c = 0; !rc && c < SEGMENT_COLUMNS; c++) {
        struct column in;
        if (!(columns & 1u << c)) {
            rc = column_skip(bytes, size, &at);
            continue;
        }
        rc = column_open(&in, bytes, size, &at);
        if (!rc) {
            rc = read_column(s, c, &in);
            column_close(&in);
        }
    }
    if (!rc && at != size)
        rc = -EBADMSG;
    return rc ? rc : check_rows(s, columns);
}

int segment_read(struct segment *s, const char *path, unsigned columns, struct error *e)
{
    uint8_t *bytes;
    size_t size;
    *s = (struct segment){0};
    int rc = disk_read_file(path, SEGMENT_BYTES_MAX, &bytes, &size, e);
    if (rc)
        return rc;
    rc = read_columns(s, bytes, size, columns | 1 << SEGMENT_RECORDINGS);
    free(bytes);
    if (!rc)
        return 0;
    segment_deinit(s);
    return error_set(e, rc, "%s: %s", path,
                     rc == -EBADMSG ? "damaged: a checksum or a number in it is wrong" : strerror(-rc));
}

void segment_deinit(struct segment *s)
{
    free(s->rows);
    free(s->recordings);
    *s = (struct segment){0};
}
