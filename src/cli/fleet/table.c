/* Tables: collects the cells, finds the width of each column, and prints. */
#include "cli/fleet/table.h"

#include "base/text/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { TEXT_MAX = 1 << 28, CELL_MAX = 4096 };

void table_init(struct table *t, const struct table_column *columns, unsigned count)
{
    *t = (struct table){.columns = columns, .count = count};
    buffer_init(&t->text, TEXT_MAX);
}

void table_add(struct table *t, const char *format, ...)
{
    char cell[CELL_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(cell, sizeof cell, format, args);
    va_end(args);
    buffer_put(&t->text, *cell ? cell : "-", strlen(*cell ? cell : "-") + 1);
    t->cells++;
}

static void print_cell(const struct table *t, FILE *out, unsigned column, const char *text, const size_t *widths)
{
    size_t columns = utf8_columns(text), blanks = widths[column] > columns ? widths[column] - columns : 0;
    bool number = t->columns[column].number, last = column + 1 == t->count;
    if (number)
        fprintf(out, "%*s", (int)blanks, "");
    utf8_print(out, text);
    if (!number && !last)
        fprintf(out, "%*s", (int)blanks, "");
    fputs(last ? "\n" : "  ", out);
}

int table_end(struct table *t, FILE *out)
{
    size_t widths[TABLE_COLUMNS_MAX];
    int rc = buffer_code(&t->text) ? -ENOMEM : 0;
    for (unsigned i = 0; i < t->count; i++)
        widths[i] = utf8_columns(t->columns[i].title);
    const char *cell = (const char *)t->text.data;
    for (unsigned i = 0; !rc && i < t->cells; i++, cell += strlen(cell) + 1)
        if (utf8_columns(cell) > widths[i % t->count])
            widths[i % t->count] = utf8_columns(cell);
    for (unsigned i = 0; !rc && i < t->count; i++)
        print_cell(t, out, i, t->columns[i].title, widths);
    cell = (const char *)t->text.data;
    for (unsigned i = 0; !rc && i < t->cells; i++, cell += strlen(cell) + 1)
        print_cell(t, out, i % t->count, cell, widths);
    buffer_deinit(&t->text);
    return rc;
}
