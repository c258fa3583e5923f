/* Reads rows of segments, and has them added up by the server. */
#include "store/clickhouse/wire.h"

#include "base/array.h"
#include "store/files/contexts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define WEIGHT_END ((uint64_t)1 << 62)

/* ---- statements ---- */

/* Escapes a text for SQL: types are what senders chose. */
static void put_text(struct buffer *b, const char *text)
{
    buffer_u8(b, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            buffer_u8(b, '\\');
        buffer_u8(b, (uint8_t)*text);
    }
    buffer_u8(b, '\'');
}

/* Appends the condition for the segments. Dictionary and type come first in the order of rows, so the server reads one range of them. */
static void put_where(struct buffer *b, const struct clickhouse *c, const struct rows_wanted *w)
{
    buffer_printf(b, " FROM candor_rows WHERE store = %" PRIu64 " AND dictionary = %" PRIu32, wire_store(c), w->dictionary);
    if (w->type) {
        buffer_text(b, " AND type = ");
        put_text(b, w->type);
    }
    buffer_printf(b, " AND segment >= %" PRIu64 " AND segment <= %" PRIu64 " AND segment IN (", w->list->number,
                  w->list[w->count - 1].number);
    for (uint32_t i = 0; i < w->count; i++)
        buffer_printf(b, "%s%" PRIu64, i ? "," : "", w->list[i].number);
    buffer_u8(b, ')');
}

static int ask(struct clickhouse *c, struct buffer *statement, struct buffer *answer, struct error *e)
{
    buffer_u8(statement, 0);
    return statement->failed ? error_set(e, -ENOMEM, "out of memory") : wire_ask(c, (const char *)statement->data, NULL, answer, e);
}

static int damaged(const struct rows_wanted *w, struct error *e)
{
    return error_set(e, -EHOSTUNREACH, "ClickHouse sends rows of dictionary %" PRIu32 " that cannot be read", w->dictionary);
}

/* ---- rows ---- */

/* Columns of rows, in the order in which they are asked for. */
static const struct {
    enum segment_column column;
    const char *name;
} columns_of[] = {
    {SEGMENT_SECOND, "second"}, {SEGMENT_WEIGHT, "weight"},   {SEGMENT_STACK, "stack"}, {SEGMENT_COUNT, "count"},
    {SEGMENT_THREAD, "thread"}, {SEGMENT_OUTCOME, "outcome"}, {SEGMENT_STATE, "state"}, {SEGMENT_CONTEXT, "context"},
};
enum { COLUMNS = sizeof columns_of / sizeof *columns_of };

static void put_select(struct buffer *b, const struct clickhouse *c, const struct rows_wanted *w, unsigned columns)
{
    buffer_text(b, "SELECT segment, recording");
    for (int i = 0; i < COLUMNS; i++)
        if (columns & 1u << columns_of[i].column)
            buffer_printf(b, ", %s", columns_of[i].name);
    put_where(b, c, w);
    buffer_text(b, " ORDER BY segment, recording, stack, thread, second, outcome, state, context FORMAT RowBinary");
}

static void take_column(struct wire_rows *in, enum segment_column column, struct segment_row *row)
{
    switch (column) {
    case SEGMENT_WEIGHT:
        row->weight = wire_take_u64(in);
        break;
    case SEGMENT_STATE:
        row->state = wire_take_u8(in);
        break;
    default:
        *(column == SEGMENT_SECOND    ? &row->second
          : column == SEGMENT_STACK   ? &row->stack
          : column == SEGMENT_COUNT   ? &row->count
          : column == SEGMENT_THREAD  ? &row->thread
          : column == SEGMENT_CONTEXT ? &row->context
                                      : &row->outcome) = wire_take_u32(in);
    }
}

static uint32_t above(uint32_t limit, uint32_t id)
{
    return id >= limit && id != UINT32_MAX ? id + 1 : limit;
}

/* Notes what the dictionary must have for a row. */
static void widen(struct segment *s, const struct segment_row *row)
{
    s->strings = above(s->strings, row->outcome);
    s->nodes = above(s->nodes, row->stack);
    s->threads = above(s->threads, row->thread);
    s->contexts = above(s->contexts, row->context);
}

static int add_row(struct segment *s, struct segment_row *row, uint64_t recording, uint32_t *recordings_cap)
{
    if (!s->recording_count || s->recordings[s->recording_count - 1] != recording) {
        if (ARRAY_GROW(s->recordings, *recordings_cap, s->recording_count))
            return -ENOMEM;
        s->recordings[s->recording_count++] = recording;
    }
    if (ARRAY_GROW(s->rows, s->row_cap, s->row_count))
        return -ENOMEM;
    row->recording = s->recording_count - 1;
    if (!s->row_count)
        s->context = row->context;
    s->has_contexts |= row->context != s->context;
    widen(s, row);
    s->rows[s->row_count++] = *row;
    return 0;
}

static int new_segment(struct rows_ahead *out, uint64_t number)
{
    struct segment *list = realloc(out->list, (out->count + 1) * sizeof *list);
    out->list = list ? list : out->list;
    uint64_t *numbers = list ? realloc(out->numbers, (out->count + 1) * sizeof *numbers) : NULL;
    out->numbers = numbers ? numbers : out->numbers;
    if (!numbers)
        return -ENOMEM;
    numbers[out->count] = number;
    list[out->count++] = (struct segment){.contexts = CONTEXT_NONE + 1};
    return 0;
}

static int take_rows(struct wire_rows *in, unsigned columns, struct rows_ahead *out)
{
    uint32_t recordings_cap = 0;
    int rc = 0;
    while (!rc && in->at < in->end) {
        uint64_t number = wire_take_u64(in);
        uint64_t recording = wire_take_u64(in);
        struct segment_row row = {0};
        for (int i = 0; i < COLUMNS; i++)
            if (columns & 1u << columns_of[i].column)
                take_column(in, columns_of[i].column, &row);
        if (in->bad || row.weight >= WEIGHT_END)
            return -EBADMSG;
        if (!out->count || out->numbers[out->count - 1] != number) {
            rc = new_segment(out, number);
            recordings_cap = 0;
        }
        rc = rc ? rc : add_row(&out->list[out->count - 1], &row, recording, &recordings_cap);
    }
    return rc;
}

int clickhouse_read(struct clickhouse *c, const struct rows_wanted *wanted, unsigned columns, struct rows_ahead *out, struct error *e)
{
    struct buffer statement, answer;
    buffer_init(&statement, 1 << 20);
    buffer_init(&answer, WIRE_ANSWER_MAX);
    out->columns = columns;
    out->dictionary = wanted->dictionary;
    put_select(&statement, c, wanted, columns);
    int rc = ask(c, &statement, &answer, e);
    struct wire_rows in = wire_rows_of(&answer);
    if (!rc)
        rc = take_rows(&in, columns, out);
    buffer_deinit(&statement);
    buffer_deinit(&answer);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc == -EBADMSG ? damaged(wanted, e) : rc;
}

/* ---- sums ---- */

/* The sum of counts may not fit in a sum of a segment: then it is divided into several. */
static int add_stack(struct segment *out, struct segment_sum sum, uint64_t count)
{
    do {
        if (ARRAY_GROW(out->sums, out->sum_cap, out->sum_count))
            return -ENOMEM;
        sum.count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
        count -= sum.count;
        out->sums[out->sum_count++] = sum;
        sum.weight = 0;
        sum.squares = 0;
    } while (count);
    return 0;
}

static int take_stacks(struct wire_rows *in, struct segment *out, uint64_t *weight)
{
    int rc = 0;
    while (!rc && in->at < in->end) {
        struct segment_sum sum = {.stack = wire_take_u32(in)};
        sum.weight = wire_take_u64(in);
        uint64_t count = wire_take_u64(in);
        sum.outcome = wire_take_u32(in);
        sum.state = wire_take_u8(in);
        uint64_t squares = wire_take_u64(in);
        memcpy(&sum.squares, &squares, sizeof sum.squares);
        if (in->bad || !(sum.squares >= 0) || sum.weight >= WEIGHT_END - *weight)
            return -EBADMSG;
        *weight += sum.weight;
        out->nodes = above(out->nodes, sum.stack);
        out->strings = above(out->strings, sum.outcome);
        rc = add_stack(out, sum, count);
    }
    return rc;
}

static int take_seconds(struct wire_rows *in, struct segment *out, uint64_t *weight)
{
    while (in->at < in->end) {
        int32_t day = (int32_t)wire_take_u32(in);
        struct segment_second second = {.second = wire_take_u32(in)};
        second.weight = wire_take_u64(in);
        if (in->bad || second.weight >= WEIGHT_END - *weight || second.second >= WIRE_SECONDS_PER_DAY)
            return -EBADMSG;
        if (ARRAY_GROW(out->seconds, out->second_cap, out->second_count))
            return -ENOMEM;
        *weight += second.weight;
        out->first = (int64_t)day * WIRE_SECONDS_PER_DAY;
        out->seconds[out->second_count++] = second;
    }
    return 0;
}

int clickhouse_sum(struct clickhouse *c, const struct rows_wanted *wanted, enum rows_sums which, struct segment *out, uint64_t *weight,
                   struct error *e)
{
    static const char stacks[] = "SELECT stack, sum(weight), sum(count), min(outcome), min(state), "
                                 "sum(toFloat64(weight) * toFloat64(weight) / greatest(count, 1))";
    static const char seconds[] = "SELECT min(day), second, sum(weight)";
    struct buffer statement, answer;
    buffer_init(&statement, 16 << 20);
    buffer_init(&answer, WIRE_ANSWER_MAX);
    *out = (struct segment){.contexts = CONTEXT_NONE + 1, .context = CONTEXT_NONE};
    *weight = 0;
    buffer_text(&statement, which == ROWS_BY_STACK ? stacks : seconds);
    put_where(&statement, c, wanted);
    buffer_text(&statement, which == ROWS_BY_STACK ? " GROUP BY stack ORDER BY stack FORMAT RowBinary"
                                                   : " GROUP BY second ORDER BY second FORMAT RowBinary");
    int rc = ask(c, &statement, &answer, e);
    struct wire_rows in = wire_rows_of(&answer);
    if (!rc)
        rc = which == ROWS_BY_STACK ? take_stacks(&in, out, weight) : take_seconds(&in, out, weight);
    buffer_deinit(&statement);
    buffer_deinit(&answer);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc == -EBADMSG ? damaged(wanted, e) : rc;
}
