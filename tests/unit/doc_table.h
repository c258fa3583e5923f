/* A table of a document in docs/, which a test compares with the table in the code: both have the same rows.
 *
 *     struct doc_table t;
 *     doc_table_open(&t, FINDINGS_DOC, "");
 *     for (each row of the code's table)
 *         doc_table_has(&t, row_as_in_the_document, name);
 *     doc_table_has_only(&t, rows_of_the_code);
 *     doc_table_close(&t);
 *
 * A row is one that begins with a name in backquotes. */
#ifndef TESTS_UNIT_DOC_TABLE_H
#define TESTS_UNIT_DOC_TABLE_H

#include "../tap.h"

#include <stdlib.h>
#include <string.h>

enum { DOC_BYTES_MAX = 1 << 16 };

struct doc_table {
    const char *path;
    char *text;
    const char *rows; /* what is below the table's head; "" if the document has no such table */
};

/* head: the line above the rows; "" compares all rows of the document. */
static inline void doc_table_open(struct doc_table *t, const char *path, const char *head)
{
    FILE *f = fopen(path, "r");
    *t = (struct doc_table){.path = strrchr(path, '/') + 1, .text = calloc(1, DOC_BYTES_MAX)};
    if (f && !fread(t->text, 1, DOC_BYTES_MAX - 1, f))
        tap_note("%s is empty", path);
    if (f)
        fclose(f);
    t->rows = strstr(t->text, head);
    t->rows = t->rows ? t->rows : "";
}

static inline void doc_table_close(struct doc_table *t)
{
    free(t->text);
}

/* row: includes the newline before the row. */
static inline void doc_table_has(const struct doc_table *t, const char *row, const char *name)
{
    if (!tap_ok(strstr(t->rows, row) != NULL, "%s has %s", t->path, name))
        tap_note("wanted: %s", row + 1);
}

static inline void doc_table_has_only(const struct doc_table *t, int rows)
{
    int found = 0;
    for (const char *at = t->rows; (at = strstr(at, "\n| `")); at++)
        found++;
    tap_ok(found == rows, "%s has %d rows for %d", t->path, found, rows);
}

#endif
