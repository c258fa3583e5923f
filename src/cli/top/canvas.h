/* A picture made of cells, as a terminal shows it. Text from any source can be put into it, and takes no more than its columns:
 * control characters and invalid UTF-8 become '?', characters that change the writing direction or have no width are left out,
 * and a wide character that does not fit becomes a blank.
 *
 * The locale (LC_CTYPE) defines the width of a character, and whether it can be shown at all: call setlocale before. */
#ifndef CANDOR_CLI_TOP_CANVAS_H
#define CANDOR_CLI_TOP_CANVAS_H

#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>

enum canvas_style {
    CANVAS_PLAIN,
    CANVAS_STRONG,
    CANVAS_FAINT,
    CANVAS_TITLE, /* a line over the whole width */
    CANVAS_SELECTED,
    CANVAS_SURE,   /* of a bar: up to the lower end of the interval */
    CANVAS_UNSURE, /* and from there to the upper end */
    CANVAS_WARNING,
    CANVAS_ERROR,
    CANVAS_STYLES
};

enum { CANVAS_MARKS = 2, CANVAS_WIDTH_MAX = 1024, CANVAS_HEIGHT_MAX = 1024 };

struct canvas_cell {
    wchar_t text[CANVAS_MARKS + 2]; /* a character and what is written above or below it; empty = the right half of a wide one */
    unsigned char style;
};

struct canvas {
    unsigned width, height;
    struct canvas_cell *cells;
};

/* 0 or -ENOMEM; sizes are held below the maxima. */
int canvas_init(struct canvas *c, unsigned width, unsigned height);
void canvas_deinit(struct canvas *c);
/* All blank. */
void canvas_clear(struct canvas *c);
/* Puts UTF-8 text into at most `room` columns from column x on; returns the columns it took. Outside the picture nothing is put. */
unsigned canvas_put(struct canvas *c, unsigned y, unsigned x, unsigned room, enum canvas_style style, const char *text);
/* The same, but a text that is too long keeps its end: "...rest". */
unsigned canvas_put_end(struct canvas *c, unsigned y, unsigned x, unsigned room, enum canvas_style style, const char *text);
unsigned canvas_printf(struct canvas *c, unsigned y, unsigned x, enum canvas_style style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Changes the style of so many columns from x on. Their text stays. */
void canvas_paint(struct canvas *c, unsigned y, unsigned x, unsigned columns, enum canvas_style style);
/* Columns that text takes. */
unsigned canvas_columns(const char *text);
/* How many bytes of text fit in a line of so many columns: whole words, or a part of a word that is longer than the line; 0 for an
 * empty text. */
size_t canvas_line(const char *text, unsigned columns);
/* Whether the locale can show the character in one column. */
bool canvas_can_show(wchar_t w);
/* Prints the rows up to the last that is not empty, without styles and trailing blanks. */
void canvas_print(const struct canvas *c, FILE *out);
const struct canvas_cell *canvas_cell(const struct canvas *c, unsigned y, unsigned x);

#endif
