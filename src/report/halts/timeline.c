#include "report/halts/timeline.h"

#include "base/text/utf8.h"

#include <inttypes.h>
#include <string.h>

static uint32_t rows_of(const struct timeline *t, uint32_t top)
{
    return top && top < t->count ? top : t->count;
}

/* Writes one character for each column to out, which has room for columns + 1 bytes. row NULL: the row that shows when all threads were
 * stopped. */
static const char *cells_of(const struct timeline *t, const struct timeline_row *row, char *out)
{
    for (uint32_t i = 0; i < t->columns; i++)
        out[i] = row ? timeline_states[timeline_cell(t, row, i)].letter : timeline_is_stopped(t, i) ? '#' : ' ';
    out[t->columns] = 0;
    return out;
}

/* Prints a thread's name. A name that is too long is cut in the middle, because the threads of a pool differ at the end of their names. */
static void put_name(FILE *out, const char *name)
{
    size_t columns = utf8_columns(name), len = strlen(name);
    if (columns <= TIMELINE_NAME_COLUMNS || columns < len) {
        utf8_print(out, name);
    } else {
        size_t tail = TIMELINE_NAME_COLUMNS / 2 - 1;
        utf8_write(out, name, TIMELINE_NAME_COLUMNS - tail - 2);
        fputs("..", out);
        utf8_print(out, name + len - tail);
        columns = TIMELINE_NAME_COLUMNS;
    }
    fprintf(out, "%*s", columns < TIMELINE_NAME_COLUMNS ? (int)(TIMELINE_NAME_COLUMNS - columns) : 0, "");
}

void timeline_text(FILE *out, const struct timeline *t, uint32_t top)
{
    char cells[TIMELINE_COLUMNS_MAX + 1];
    uint32_t rows = rows_of(t, top);
    fprintf(out, "  %-*s  %s\n", TIMELINE_NAME_COLUMNS, "all stopped (#)", cells_of(t, NULL, cells));
    for (uint32_t i = 0; i < rows; i++) {
        fputs("  ", out);
        put_name(out, halts_text(t->h, t->rows[i].name));
        fprintf(out, "  %s\n", cells_of(t, &t->rows[i], cells));
    }
    if (rows < t->count)
        fprintf(out, "  ... and %" PRIu32 " thread%s more, which ran less; --top 0 shows all\n", t->count - rows,
                t->count - rows == 1 ? "" : "s");
    fputs(" ", out);
    for (int state = 0; state < TIMELINE_STATES; state++)
        fprintf(out, " %c %s%s", timeline_states[state].letter, timeline_states[state].name, state + 1 < TIMELINE_STATES ? "," : "\n");
}

static void put_row(struct jsonw *j, const struct timeline *t, const struct timeline_row *row)
{
    char cells[TIMELINE_COLUMNS_MAX + 1];
    jsonw_object(j);
    jsonw_key(j, "name");
    jsonw_string(j, halts_text(t->h, row->name), strtab_len(&t->h->strings, row->name));
    jsonw_key(j, "states");
    jsonw_object(j);
    for (int state = 0; state < TIMELINE_STATES; state++)
        if (row->sums[state])
            jsonw_member_uint(j, timeline_states[state].name, row->sums[state]);
    jsonw_object_end(j);
    jsonw_member_text(j, "cells", cells_of(t, row, cells));
    jsonw_object_end(j);
}

void timeline_json(struct jsonw *j, const struct timeline *t, uint32_t top)
{
    char cells[TIMELINE_COLUMNS_MAX + 1];
    jsonw_object(j);
    jsonw_member_uint(j, "columns", t->columns);
    jsonw_member_text(j, "stopped", cells_of(t, NULL, cells));
    jsonw_key(j, "threads");
    jsonw_array(j);
    for (uint32_t i = 0; i < rows_of(t, top); i++)
        put_row(j, t, &t->rows[i]);
    jsonw_array_end(j);
    jsonw_object_end(j);
}
