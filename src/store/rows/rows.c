/* What all places of rows need: lists of segments. */
#include "store/rows/rows.h"

#include <stdlib.h>

void rows_ahead_empty(struct rows_ahead *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        segment_deinit(&a->list[i]);
    a->count = 0;
}

void rows_ahead_deinit(struct rows_ahead *a)
{
    rows_ahead_empty(a);
    free(a->list);
    free(a->numbers);
    *a = (struct rows_ahead){0};
}

bool rows_want(struct rows_wanted *w, struct rows_one *list, uint32_t most, uint64_t number, uint64_t rows, uint64_t weight)
{
    if (w->count && list[w->count - 1].number == number) {
        list[w->count - 1].rows += rows;
        list[w->count - 1].weight += weight;
        w->rows += rows;
        return true;
    }
    if (w->count == most || (w->count && w->rows + rows > (most > ROWS_AHEAD_MAX ? UINT64_MAX : ROWS_READ_AHEAD)))
        return false;
    w->rows += rows;
    list[w->count++] = (struct rows_one){number, rows, weight};
    return true;
}
