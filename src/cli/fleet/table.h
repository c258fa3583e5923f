/* A table for people: columns as wide as their widest cell, numbers to the right, texts to the left. */
#ifndef CANDOR_CLI_FLEET_TABLE_H
#define CANDOR_CLI_FLEET_TABLE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 16 };

struct table_column {
    const char *title; /* upper case */
    bool number;       /* to the right */
};

struct table {
    const struct table_column *columns;
    unsigned count, cells; /* columns; cells so far */
    struct buffer text;    /* the cells, each ended by a zero byte */
};

/* columns: borrowed, at most TABLE_COLUMNS_MAX. */
void table_init(struct table *t, const struct table_column *columns, unsigned count);
/* Adds the next cell, row by row. An empty one is shown as "-". */
void table_add(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the titles and all rows, then frees the table. Control characters become '?'. Returns 0, or -ENOMEM if a cell is missing. */
int table_end(struct table *t, FILE *out);

#endif
