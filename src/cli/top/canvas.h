/* A picture made of cells, as a terminal shows it. Text of any origin can be put into it, and takes no more columns than it is allowed.
 * Control characters and invalid UTF-8 become '?'. Characters that change the writing direction, or have no width, are left out. A wide
 * character that does not fit becomes a blank.
 *
 * The locale (LC_CTYPE) defines the width of a character, and whether it can be shown at all, so setlocale must be called before. */
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
    CANVAS_SURE,   /* the part of a bar up to the lower end of the interval */
    CANVAS_UNSURE, /* the part of a bar from there to the upper end */
    CANVAS_WARNING,
    CANVAS_ERROR,
    CANVAS_STYLES
};

enum { CANVAS_MARKS = 2, CANVAS_WIDTH_MAX = 1024, CANVAS_HEIGHT_MAX = 1024 };

struct canvas_cell {
    wchar_t text[CANVAS_MARKS + 2]; /* a character and the marks above or below it; empty = the right half of a wide character */
    unsigned char style;
};

struct canvas {
    unsigned width, height;
    struct canvas_cell *cells;
};

/* Creates a blank picture. Larger sizes are reduced to the maxima. Returns 0 or -ENOMEM. */
int canvas_init(struct canvas *c, unsigned width, unsigned height);
void canvas_deinit(struct canvas *c);
/* Makes all cells blank. */
void canvas_clear(struct canvas *c);
/* Puts UTF-8 text into at most `room` columns from column x on, and returns the number of columns used. Text outside the picture is
 * dropped. */
unsigned canvas_put(struct canvas *c, unsigned y, unsigned x, unsigned room, enum canvas_style style, const char *text);
/* Does the same, but keeps the end of a text that is too long: "...rest". */
unsigned canvas_put_end(struct canvas *c, unsigned y, unsigned x, unsigned room, enum canvas_style style, const char *text);
unsigned canvas_printf(struct canvas *c, unsigned y, unsigned x, enum canvas_style style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Changes the style of `columns` columns from x on. Their text stays. */
void canvas_paint(struct canvas *c, unsigned y, unsigned x, unsigned columns, enum canvas_style style);
/* Returns the number of columns that the text needs. */
unsigned canvas_columns(const char *text);
/* Returns how many bytes of text fit in a line of that many columns: whole words, or a part of a word that is longer than the line; 0
 * for an empty text. */
size_t canvas_line(const char *text, unsigned columns);
/* Whether the locale can show the character in one column. */
bool canvas_can_show(wchar_t w);
/* Prints the rows up to the last one that is not empty, without styles and trailing blanks. */
void canvas_print(const struct canvas *c, FILE *out);
const struct canvas_cell *canvas_cell(const struct canvas *c, unsigned y, unsigned x);

#endif
