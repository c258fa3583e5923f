/* Writes rows of segments, and has rows removed. */
#include "store/clickhouse/wire.h"

#include <errno.h>
#include <inttypes.h>

enum { REMOVED_AT_ONCE = 5000 };

static void put_row(struct buffer *b, uint64_t store, const struct rows_part *s, const struct segment_row *row)
{
    wire_u64(b, store);
    wire_u32(b, s->dictionary);
    wire_text(b, s->service);
    wire_text(b, s->type);
    wire_u32(b, (uint32_t)(int32_t)(s->rows->first / WIRE_SECONDS_PER_DAY));
    wire_u64(b, s->number);
    wire_u64(b, s->rows->recordings[row->recording]);
    wire_u32(b, row->second);
    wire_u32(b, row->stack);
    wire_u32(b, row->thread);
    wire_u64(b, row->weight);
    wire_u32(b, row->count);
    wire_u32(b, row->outcome);
    buffer_u8(b, row->state);
    wire_u32(b, row->context);
}

int clickhouse_write(struct clickhouse *c, const struct rows_part *list, uint32_t count, struct error *e)
{
    static const char statement[] = "INSERT INTO candor_rows (store, dictionary, service, type, day, segment, recording, second, stack, "
                                    "thread, weight, count, outcome, state, context) FORMAT RowBinary";
    struct buffer rows;
    uint32_t waiting = 0;
    int rc = 0;
    buffer_init(&rows, WIRE_ROWS_MAX);
    for (uint32_t i = 0; !rc && i < count; i++)
        for (uint32_t k = 0; !rc && k < list[i].rows->row_count; k++) {
            put_row(&rows, wire_store(c), &list[i], &list[i].rows->rows[k]);
            if (++waiting < WIRE_ROWS_AT_ONCE)
                continue;
            rc = wire_insert(c, statement, &rows, e);
            waiting = 0;
        }
    rc = rc || !waiting ? rc : wire_insert(c, statement, &rows, e);
    buffer_deinit(&rows);
    return rc;
}

/* ---- removing ---- */

static int remove_from(struct clickhouse *c, const char *table, const char *condition, struct error *e)
{
    struct buffer statement;
    buffer_init(&statement, 1 << 20);
    buffer_printf(&statement, "ALTER TABLE %s DELETE WHERE store = %" PRIu64 " AND %s", table, wire_store(c), condition);
    buffer_u8(&statement, 0);
    int rc = statement.failed ? error_set(e, -ENOMEM, "out of memory") : wire_ask(c, (const char *)statement.data, NULL, NULL, e);
    buffer_deinit(&statement);
    return rc;
}

static int remove_from_all(struct clickhouse *c, const char *condition, const char *of_rows, struct error *e)
{
    int rc = remove_from(c, "candor_rows", of_rows, e);
    rc = rc ? rc : remove_from(c, "candor_sums", condition, e);
    return rc ? rc : remove_from(c, "candor_rollups", condition, e);
}

int clickhouse_remove(struct clickhouse *c, const uint64_t *numbers, uint32_t count, bool rollups, struct error *e)
{
    struct buffer condition;
    int rc = 0;
    buffer_init(&condition, 1 << 20);
    for (uint32_t i = 0; !rc && i < count; i += REMOVED_AT_ONCE) {
        buffer_reset(&condition);
        buffer_printf(&condition, "%s IN (%" PRIu64, rollups ? "number" : "segment", numbers[i]);
        for (uint32_t k = i + 1; k < count && k < i + REMOVED_AT_ONCE; k++)
            buffer_printf(&condition, ",%" PRIu64, numbers[k]);
        buffer_text(&condition, ")");
        buffer_u8(&condition, 0);
        const char *text = (const char *)condition.data;
        rc = condition.failed ? error_set(e, -ENOMEM, "out of memory") : remove_from(c, rollups ? "candor_sums" : "candor_rows", text, e);
        rc = rc || !rollups ? rc : remove_from(c, "candor_rollups", text, e);
    }
    buffer_deinit(&condition);
    return rc;
}

int clickhouse_remove_dictionaries(struct clickhouse *c, const uint32_t *dictionaries, uint32_t count, struct error *e)
{
    struct buffer condition;
    int rc = 0;
    buffer_init(&condition, 1 << 20);
    for (uint32_t i = 0; !rc && i < count; i += REMOVED_AT_ONCE) {
        buffer_reset(&condition);
        buffer_printf(&condition, "dictionary IN (%" PRIu32, dictionaries[i]);
        for (uint32_t k = i + 1; k < count && k < i + REMOVED_AT_ONCE; k++)
            buffer_printf(&condition, ",%" PRIu32, dictionaries[k]);
        buffer_text(&condition, ")");
        buffer_u8(&condition, 0);
        const char *text = (const char *)condition.data;
        rc = condition.failed ? error_set(e, -ENOMEM, "out of memory") : remove_from_all(c, text, text, e);
    }
    buffer_deinit(&condition);
    return rc;
}

int clickhouse_remove_store(struct clickhouse *c, struct error *e)
{
    return remove_from_all(c, "1", "1", e);
}
