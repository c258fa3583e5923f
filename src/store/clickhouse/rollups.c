/* Writes and reads roll-ups. The rows come first, then the one row that says how many there are: without it, there is no roll-up. */
#include "store/clickhouse/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static void put_row(struct buffer *b, uint64_t store, uint32_t dictionary, uint64_t number, int32_t day, const struct rollup_row *row)
{
    uint64_t squares;
    memcpy(&squares, &row->squares, sizeof squares);
    wire_u64(b, store);
    wire_u32(b, dictionary);
    wire_u64(b, number);
    wire_u32(b, (uint32_t)day);
    buffer_u8(b, row->slot);
    wire_u32(b, row->group);
    wire_u32(b, row->stack);
    wire_u32(b, row->context);
    wire_u32(b, row->outcome);
    buffer_u8(b, row->state);
    wire_u64(b, row->weight);
    wire_u32(b, row->count);
    wire_u64(b, squares);
}

static int write_rows(struct clickhouse *c, uint32_t dictionary, uint64_t number, const struct rollup_file *f, struct error *e)
{
    static const char statement[] = "INSERT INTO candor_sums (store, dictionary, number, day, slot, labels, stack, context, outcome, "
                                    "state, weight, count, squares) FORMAT RowBinary";
    struct buffer rows;
    int rc = 0;
    buffer_init(&rows, WIRE_ROWS_MAX);
    for (uint32_t i = 0; !rc && i < f->row_count; i++) {
        put_row(&rows, wire_store(c), dictionary, number, (int32_t)(f->first / WIRE_SECONDS_PER_DAY), &f->rows[i]);
        if (i + 1 == f->row_count || !((i + 1) % WIRE_ROWS_AT_ONCE))
            rc = wire_insert(c, statement, &rows, e);
    }
    buffer_deinit(&rows);
    return rc;
}

static int write_head(struct clickhouse *c, uint32_t dictionary, uint64_t number, const struct rollup_file *f, struct error *e)
{
    static const char statement[] = "INSERT INTO candor_rollups (store, dictionary, number, day, step, groups, recordings, strings, nodes, "
                                    "threads, contexts, rows) FORMAT RowBinary";
    struct buffer row;
    buffer_init(&row, 1 << 10);
    wire_u64(&row, wire_store(c));
    wire_u32(&row, dictionary);
    wire_u64(&row, number);
    wire_u32(&row, (uint32_t)(int32_t)(f->first / WIRE_SECONDS_PER_DAY));
    wire_u32(&row, f->step);
    wire_u32(&row, f->groups);
    wire_u64(&row, f->recordings);
    wire_u32(&row, f->strings);
    wire_u32(&row, f->nodes);
    wire_u32(&row, f->threads);
    wire_u32(&row, f->contexts);
    wire_u32(&row, f->row_count);
    int rc = wire_insert(c, statement, &row, e);
    buffer_deinit(&row);
    return rc;
}

int clickhouse_write_rollup(struct clickhouse *c, uint32_t dictionary, uint64_t number, struct rollup_file *f, struct error *e)
{
    rollup_add_up(f);
    int rc = write_rows(c, dictionary, number, f, e);
    return rc ? rc : write_head(c, dictionary, number, f, e);
}

/* ---- reading ---- */

static int read_head(struct clickhouse *c, uint32_t dictionary, uint64_t number, struct rollup_file *f, struct error *e)
{
    struct buffer answer;
    buffer_init(&answer, 1 << 12);
    int rc = wire_askf(c, &answer, e,
                       "SELECT day, step, groups, recordings, strings, nodes, threads, contexts, rows FROM candor_rollups WHERE store = "
                       "%" PRIu64 " AND dictionary = %" PRIu32 " AND number = %" PRIu64 " FORMAT RowBinary",
                       wire_store(c), dictionary, number);
    struct wire_rows in = wire_rows_of(&answer);
    f->first = (int64_t)(int32_t)wire_take_u32(&in) * WIRE_SECONDS_PER_DAY;
    f->step = wire_take_u32(&in);
    f->groups = wire_take_u32(&in);
    f->recordings = wire_take_u64(&in);
    f->strings = wire_take_u32(&in);
    f->nodes = wire_take_u32(&in);
    f->threads = wire_take_u32(&in);
    f->contexts = wire_take_u32(&in);
    f->row_count = wire_take_u32(&in);
    buffer_deinit(&answer);
    if (!rc && (in.bad || in.at != in.end || f->row_count > SEGMENT_ROWS_MAX))
        rc = error_set(e, -ENOENT, "ClickHouse lacks roll-up %" PRIu64 " of dictionary %" PRIu32, number, dictionary);
    return rc;
}

static bool take_row(struct wire_rows *in, const struct rollup_file *f, struct rollup_row *row)
{
    row->slot = wire_take_u8(in);
    row->group = wire_take_u32(in);
    row->stack = wire_take_u32(in);
    row->context = wire_take_u32(in);
    row->outcome = wire_take_u32(in);
    row->state = wire_take_u8(in);
    row->weight = wire_take_u64(in);
    row->count = wire_take_u32(in);
    uint64_t squares = wire_take_u64(in);
    memcpy(&row->squares, &squares, sizeof row->squares);
    return !in->bad && row->slot < ROLLUP_SLOTS && row->group < f->groups && row->stack < f->nodes && row->context < f->contexts &&
           row->outcome < f->strings;
}

static int read_rows(struct clickhouse *c, uint32_t dictionary, uint64_t number, struct rollup_file *f, struct error *e)
{
    struct buffer answer;
    buffer_init(&answer, WIRE_ANSWER_MAX);
    f->rows = calloc((size_t)f->row_count + 1, sizeof *f->rows);
    int rc = f->rows ? wire_askf(c, &answer, e,
                                 "SELECT slot, labels, stack, context, outcome, state, weight, count, squares FROM candor_sums WHERE store "
                                 "= %" PRIu64 " AND dictionary = %" PRIu32 " AND number = %" PRIu64
                                 " ORDER BY slot, labels, stack, context, outcome, state, weight FORMAT RowBinary",
                                 wire_store(c), dictionary, number)
                     : error_set(e, -ENOMEM, "out of memory");
    struct wire_rows in = wire_rows_of(&answer);
    bool good = true;
    for (uint32_t i = 0; !rc && good && i < f->row_count; i++)
        good = take_row(&in, f, &f->rows[i]);
    if (!rc && (!good || in.at != in.end))
        rc = error_set(e, -ENOENT, "ClickHouse lacks rows of roll-up %" PRIu64 " of dictionary %" PRIu32, number, dictionary);
    buffer_deinit(&answer);
    return rc;
}

int clickhouse_read_rollup(struct clickhouse *c, uint32_t dictionary, uint64_t number, struct rollup_file *f, struct error *e)
{
    *f = (struct rollup_file){0};
    int rc = read_head(c, dictionary, number, f, e);
    rc = rc ? rc : read_rows(c, dictionary, number, f, e);
    if (rc)
        rollup_file_deinit(f);
    return rc;
}
