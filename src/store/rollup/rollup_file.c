/* Reads and writes the rows of a roll-up: one file for each dictionary. */
#include "store/rollup/rollup.h"

#include "store/files/checksum.h"
#include "store/files/column.h"
#include "store/files/disk.h"
#include "store/files/segment.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct head {
    char magic[8];
    uint32_t rows, groups, strings, nodes, threads, contexts, step, reserved;
    uint64_t first, recordings;
    uint64_t checksum;
};
_Static_assert(sizeof(struct head) == 64, "rollup.h draws it");

static const char magic[8] = {'C', 'A', 'N', 'D', 'R', 'O', 'L', '1'};

#define WEIGHT_MAX ((uint64_t)1 << 62)

enum column_of { SLOT, GROUP, STACK, CONTEXT, OUTCOME, STATE, WEIGHT, COUNT, SQUARES, COLUMNS };

/* ---- adding up ---- */

static int compare(const void *left, const void *right)
{
    const struct rollup_row *a = left, *b = right;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->outcome != b->outcome)
        return a->outcome < b->outcome ? -1 : 1;
    return (a->state > b->state) - (a->state < b->state);
}

static bool fits(const struct rollup_row *to, const struct rollup_row *from)
{
    return from->count <= UINT32_MAX - to->count && from->weight < WEIGHT_MAX - to->weight;
}

void rollup_add_up(struct rollup_file *f)
{
    uint32_t n = 0;
    if (f->row_count)
        qsort(f->rows, f->row_count, sizeof *f->rows, compare);
    for (uint32_t i = 0; i < f->row_count; i++) {
        struct rollup_row *last = n ? &f->rows[n - 1] : NULL;
        if (last && !compare(last, &f->rows[i]) && fits(last, &f->rows[i])) {
            last->weight += f->rows[i].weight;
            last->count += f->rows[i].count;
            last->squares += f->rows[i].squares;
        } else {
            f->rows[n++] = f->rows[i];
        }
    }
    f->row_count = n;
}

/* ---- writing ---- */

/* The bits of a double in reverse order of bytes. The zero bytes at the end of a small whole number come first, so its varint is short. */
static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return __builtin_bswap64(bits);
}

static double of_bits(uint64_t bits)
{
    double v;
    bits = __builtin_bswap64(bits);
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The sum of squares of a row that was made from a single row of a segment. It can be computed, so it is written as 0. */
static double plain_squares(const struct rollup_row *r)
{
    return (double)r->weight * (double)r->weight / (r->count ? r->count : 1);
}

static uint64_t value_of(const struct rollup_row *r, enum column_of c)
{
    switch (c) {
    case SLOT:
        return r->slot;
    case GROUP:
        return r->group;
    case STACK:
        return r->stack;
    case CONTEXT:
        return r->context;
    case OUTCOME:
        return r->outcome;
    case STATE:
        return r->state;
    case WEIGHT:
        return r->weight;
    case COUNT:
        return r->count;
    default:
        return r->squares == plain_squares(r) ? 0 : bits_of(r->squares);
    }
}

static int put_all(struct buffer *out, const struct rollup_file *f)
{
    struct buffer plain;
    struct head head = {.rows = htole32(f->row_count),
                        .groups = htole32(f->groups),
                        .strings = htole32(f->strings),
                        .nodes = htole32(f->nodes),
                        .threads = htole32(f->threads),
                        .contexts = htole32(f->contexts),
                        .step = htole32(f->step),
                        .first = htole64((uint64_t)f->first),
                        .recordings = htole64(f->recordings)};
    int rc = 0;
    memcpy(head.magic, magic, sizeof magic);
    head.checksum = htole64(checksum_of(&head, offsetof(struct head, checksum)));
    buffer_init(&plain, COLUMN_BYTES_MAX);
    buffer_put(out, &head, sizeof head);
    for (enum column_of c = 0; !rc && c < COLUMNS; c++) {
        uint64_t before = 0;
        buffer_reset(&plain);
        for (uint32_t i = 0; i < f->row_count; i++) {
            uint64_t v = value_of(&f->rows[i], c);
            if (c >= WEIGHT)
                column_put(&plain, v);
            else
                column_put_signed(&plain, (int64_t)(v - before));
            before = v;
        }
        rc = column_pack(out, &plain);
    }
    buffer_deinit(&plain);
    return rc || out->failed ? -ENOMEM : 0;
}

int rollup_write(struct rollup_file *f, const char *path, struct error *e)
{
    struct buffer out;
    rollup_add_up(f);
    buffer_init(&out, SEGMENT_BYTES_MAX);
    int rc = put_all(&out, f) ? error_set(e, -ENOMEM, "%s: out of memory", path) : disk_write_synced(path, out.data, out.len, e);
    buffer_deinit(&out);
    return rc;
}

/* ---- reading ---- */

static int read_head(struct rollup_file *f, const uint8_t *bytes, size_t size)
{
    struct head h;
    if (size < sizeof h)
        return -EBADMSG;
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) || le64toh(h.checksum) != checksum_of(&h, offsetof(struct head, checksum)))
        return -EBADMSG;
    *f = (struct rollup_file){.first = (int64_t)le64toh(h.first),
                              .step = le32toh(h.step),
                              .groups = le32toh(h.groups),
                              .recordings = le64toh(h.recordings),
                              .row_count = le32toh(h.rows),
                              .strings = le32toh(h.strings),
                              .nodes = le32toh(h.nodes),
                              .threads = le32toh(h.threads),
                              .contexts = le32toh(h.contexts)};
    if (f->row_count > SEGMENT_ROWS_MAX || (f->step != ROLLUP_HOUR && f->step != ROLLUP_DAY))
        return -EBADMSG;
    f->rows = calloc((size_t)f->row_count + 1, sizeof *f->rows);
    return f->rows ? 0 : -ENOMEM;
}

static void set_value(struct rollup_row *r, enum column_of c, uint64_t v)
{
    switch (c) {
    case SLOT:
        r->slot = (uint8_t)v;
        break;
    case GROUP:
        r->group = (uint32_t)v;
        break;
    case STACK:
        r->stack = (uint32_t)v;
        break;
    case CONTEXT:
        r->context = (uint32_t)v;
        break;
    case OUTCOME:
        r->outcome = (uint32_t)v;
        break;
    case STATE:
        r->state = (uint8_t)v;
        break;
    case WEIGHT:
        r->weight = v;
        break;
    case COUNT:
        r->count = (uint32_t)v;
        break;
    default:
        r->squares = v ? of_bits(v) : plain_squares(r);
    }
}

static uint64_t limit_of(const struct rollup_file *f, enum column_of c)
{
    static const uint64_t words = (uint64_t)UINT32_MAX + 1;
    const uint64_t limits[COLUMNS] = {
        [SLOT] = ROLLUP_DAY / f->step, [GROUP] = f->groups,   [STACK] = f->nodes, [CONTEXT] = f->contexts, [OUTCOME] = f->strings,
        [STATE] = UINT8_MAX + 1,       [WEIGHT] = WEIGHT_MAX, [COUNT] = words,    [SQUARES] = UINT64_MAX};
    return limits[c];
}

static int read_column(struct rollup_file *f, enum column_of c, struct column *in)
{
    uint64_t v = 0, limit = limit_of(f, c);
    for (uint32_t i = 0; i < f->row_count; i++) {
        v = c >= WEIGHT ? column_next(in) : v + (uint64_t)column_next_signed(in);
        if (v >= limit)
            return -EBADMSG;
        set_value(&f->rows[i], c, v);
    }
    return in->bad || in->at != in->size ? -EBADMSG : 0;
}

static int read_all(struct rollup_file *f, const uint8_t *bytes, size_t size)
{
    size_t at = sizeof(struct head);
    int rc = read_head(f, bytes, size);
    for (enum column_of c = 0; !rc && c < COLUMNS; c++) {
        struct column in;
        rc = column_open(&in, bytes, size, &at);
        if (!rc) {
            rc = read_column(f, c, &in);
            column_close(&in);
        }
    }
    return !rc && at != size ? -EBADMSG : rc;
}

int rollup_read(struct rollup_file *f, const char *path, struct error *e)
{
    uint8_t *bytes;
    size_t size;
    *f = (struct rollup_file){0};
    int rc = disk_read_file(path, SEGMENT_BYTES_MAX, &bytes, &size, e);
    if (rc)
        return rc;
    rc = read_all(f, bytes, size);
    free(bytes);
    if (!rc)
        return 0;
    rollup_file_deinit(f);
    return error_set(e, rc, "%s: %s", path, rc == -EBADMSG ? "damaged: a checksum or a number in it is wrong" : strerror(-rc));
}

void rollup_file_deinit(struct rollup_file *f)
{
    free(f->rows);
    *f = (struct rollup_file){0};
}
