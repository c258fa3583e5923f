#include "server/spans/spans_heat.h"

#include "base/time_units.h"

#include <errno.h>
#include <stdlib.h>

/* The rows of all heat maps: 0, and from 1 on three for each power of ten: 1, 2, 5, 10, 20, 50, ... An answer has row 0 if there are spans
 * in it, then the rows from the lowest to the highest one with spans. */
enum { ROWS = 3 * 18 + 1 };

static uint64_t bound_of(unsigned row)
{
    static const unsigned firsts[] = {1, 2, 5};
    uint64_t bound = row ? firsts[(row - 1) % 3] : 0;
    for (unsigned i = 0; row && i < (row - 1) / 3; i++)
        bound *= 10;
    return bound;
}

static unsigned row_of(uint64_t value)
{
    unsigned row = 0;
    while (row + 1 < ROWS && value >= bound_of(row + 1))
        row++;
    return row;
}

struct heat {
    int64_t from_s, step_s;
    uint32_t columns;
    unsigned first, last; /* rows with spans, from 1 on; none if first > last */
    bool zero;            /* row 0 has spans */
    uint32_t *counts;     /* by column, then by row */
};

static int count(struct heat *heat, const struct spans *t, unsigned order)
{
    heat->counts = calloc((size_t)heat->columns * ROWS, sizeof *heat->counts);
    if (!heat->counts)
        return -ENOMEM;
    heat->first = ROWS;
    heat->last = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        unsigned row = row_of(spans_value(&t->list[i], order));
        int64_t column = (kept_second(t->list[i].from_ns) - heat->from_s) / heat->step_s;
        heat->counts[column * ROWS + row]++; /* the samples of spans are within the question's time */
        heat->zero |= !row;
        heat->first = row && row < heat->first ? row : heat->first;
        heat->last = row > heat->last ? row : heat->last;
    }
    return 0;
}

/* Writes the least value of each row, and that of the row above the last one. */
static void put_rows(struct jsonw *j, const struct heat *heat)
{
    jsonw_key(j, "bounds");
    jsonw_array(j);
    if (heat->zero)
        jsonw_uint(j, 0);
    if (heat->zero && !heat->last)
        jsonw_uint(j, 1);
    for (unsigned row = heat->first; row <= heat->last + 1 && heat->last; row++)
        jsonw_uint(j, bound_of(row));
    jsonw_array_end(j);
}

static void put_cell(struct jsonw *j, uint32_t column, unsigned row, uint32_t spans)
{
    if (!spans)
        return;
    jsonw_array(j);
    jsonw_uint(j, column);
    jsonw_uint(j, row);
    jsonw_uint(j, spans);
    jsonw_array_end(j);
}

static void put_cells(struct jsonw *j, const struct heat *heat)
{
    jsonw_key(j, "cells");
    jsonw_array(j);
    for (uint32_t column = 0; column < heat->columns; column++) {
        const uint32_t *counts = heat->counts + (size_t)column * ROWS;
        put_cell(j, column, 0, counts[0]);
        for (unsigned row = heat->first; row <= heat->last; row++)
            put_cell(j, column, row - heat->first + heat->zero, counts[row]);
    }
    jsonw_array_end(j);
}

int spans_heat_put(struct jsonw *j, const struct spans *t, unsigned order, uint32_t columns)
{
    int64_t seconds = t->query->q.to - t->query->q.from;
    struct heat heat = {.from_s = t->query->q.from, .step_s = (seconds + columns - 1) / columns};
    heat.step_s = heat.step_s > 0 ? heat.step_s : 1;
    heat.columns = (uint32_t)((seconds + heat.step_s - 1) / heat.step_s);
    if (count(&heat, t, order))
        return -ENOMEM;
    jsonw_key(j, "heat");
    jsonw_object(j);
    jsonw_key(j, "from");
    jsonw_int(j, heat.from_s);
    jsonw_key(j, "step");
    jsonw_int(j, heat.step_s);
    jsonw_member_uint(j, "columns", heat.columns);
    put_rows(j, &heat);
    put_cells(j, &heat);
    jsonw_object_end(j);
    free(heat.counts);
    return 0;
}
