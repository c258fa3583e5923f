#include "cli/top/canvas.h"

#include "base/text/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- characters ---- */

/* Reads one character and returns its length. An invalid byte becomes '?'. */
static size_t decode(const char *s, wchar_t *w)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t n = utf8_length(s, strnlen(s, 4));
    if (!n) {
        *w = L'?';
        return 1;
    }
    uint32_t c = (unsigned char)s[0] & first[n];
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)s[i] & 0x3f);
    *w = (wchar_t)c;
    return n;
}

/* Whether the character controls how others are shown: direction, joining, variants. If a terminal obeys it, widths are not those
 * computed here. */
static bool is_format(wchar_t w)
{
    static const struct {
        wchar_t first, last;
    } ranges[] = {{0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},     {0x115f, 0x1160},  {0x17b4, 0x17b5}, {0x180b, 0x180f},
                  {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0x3164, 0x3164},  {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},
                  {0xffa0, 0xffa0}, {0xfff9, 0xfffb}, {0x1f3fb, 0x1f3ff}, {0xe0000, 0xe0fff}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (w >= ranges[i].first && w <= ranges[i].last)
            return true;
    return false;
}

/* Returns the columns of the character; -1 = leave it out. If the locale cannot show the character, it becomes '?'. */
static int width_of(wchar_t *w)
{
    if (is_format(*w))
        return -1;
    int width = wcwidth(*w);
    if (width < 0) {
        *w = L'?';
        width = 1;
    }
    return width;
}

bool canvas_can_show(wchar_t w)
{
    return wcwidth(w) == 1;
}

unsigned canvas_columns(const char *text)
{
    unsigned columns = 0;
    for (wchar_t w; *text;) {
        text += decode(text, &w);
        int width = width_of(&w);
        columns += width > 0 ? (unsigned)width : 0;
    }
    return columns;
}

size_t canvas_line(const char *text, unsigned columns)
{
    size_t at = 0, words = 0;
    unsigned taken = 0;
    for (wchar_t w; text[at];) {
        bool blank = text[at] == ' '; /* a blank at the end of a line needs no column */
        size_t n = decode(text + at, &w);
        int width = width_of(&w);
        taken += width > 0 ? (unsigned)width : 0;
        if (taken > columns && !blank)
            return words ? words : at;
        at += n;
        words = blank ? at : words;
    }
    return at;
}

/* ---- cells ---- */

int canvas_init(struct canvas *c, unsigned width, unsigned height)
{
    c->width = width < CANVAS_WIDTH_MAX ? width : CANVAS_WIDTH_MAX;
    c->height = height < CANVAS_HEIGHT_MAX ? height : CANVAS_HEIGHT_MAX;
    c->cells = calloc((size_t)c->width * c->height + 1, sizeof *c->cells);
    if (!c->cells)
        return -ENOMEM;
    canvas_clear(c);
    return 0;
}

void canvas_deinit(struct canvas *c)
{
    free(c->cells);
    *c = (struct canvas){0};
}

void canvas_clear(struct canvas *c)
{
    for (size_t i = 0; i < (size_t)c->width * c->height; i++)
        c->cells[i] = (struct canvas_cell){.text = L" "};
}

const struct canvas_cell *canvas_cell(const struct canvas *c, unsigned y, unsigned x)
{
    return &c->cells[(size_t)y * c->width + x];
}

static struct canvas_cell *cell_at(struct canvas *c, unsigned y, unsigned x)
{
    return &c->cells[(size_t)y * c->width + x];
}

/* Puts a mark into the cell of the character before it, if the cell has room. */
static void add_mark(struct canvas *c, unsigned y, unsigned x, unsigned from, wchar_t w)
{
    if (x == from)
        return;
    struct canvas_cell *cell = cell_at(c, y, x - 1);
    if (!cell->text[0] && x - 1 > from)
        cell = cell_at(c, y, x - 2);
    size_t n = wcslen(cell->text);
    if (n && n <= CANVAS_MARKS) {
        cell->text[n] = w;
        cell->text[n + 1] = 0;
    }
}

unsigned canvas_put(struct canvas *c, unsigned y, unsigned x, unsigned room, enum canvas_style style, const char *text)
{
    unsigned from = x;
    if (y >= c->height || x >= c->width)
        return 0;
    unsigned end = room < c->width - x ? x + room : c->width;
    for (wchar_t w; *text;) {
        text += decode(text, &w);
        int width = width_of(&w);
        if (!width)
            add_mark(c, y, x, from, w);
        if (width > 0 && (unsigned)width > end - x)
            break;
        if (width > 0)
            *cell_at(c, y, x++) = (struct canvas_cell){{w}, (unsigned char)style};
        if (width > 1)
            *cell_at(c, y, x++) = (struct canvas_cell){{0}, (unsigned char)style};
    }
    return x - from;
}

unsigned canvas_put_end(struct canvas *c, unsigned y, unsigned x, unsigned room, enum canvas_style style, const char *text)
{
    const char *dots = canvas_can_show(0x2026) ? "\xe2\x80\xa6" : "...";
    unsigned columns = canvas_columns(text), mark = canvas_columns(dots);
    if (x < c->width && room > c->width - x)
        room = c->width - x;
    if (columns <= room || room <= mark)
        return canvas_put(c, y, x, room, style, text);
    unsigned taken = canvas_put(c, y, x, room, style, dots);
    while (columns > room - taken) {
        wchar_t w;
        text += decode(text, &w);
        int width = width_of(&w);
        columns -= width > 0 ? (unsigned)width : 0;
    }
    return taken + canvas_put(c, y, x + taken, room - taken, style, text);
}

unsigned canvas_printf(struct canvas *c, unsigned y, unsigned x, enum canvas_style style, const char *format, ...)
{
    char text[CANVAS_WIDTH_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return canvas_put(c, y, x, CANVAS_WIDTH_MAX, style, text);
}

void canvas_paint(struct canvas *c, unsigned y, unsigned x, unsigned columns, enum canvas_style style)
{
    for (; y < c->height && x < c->width && columns; x++, columns--)
        cell_at(c, y, x)->style = (unsigned char)style;
}

/* ---- as text ---- */

static unsigned used_columns(const struct canvas *c, unsigned y)
{
    unsigned used = c->width;
    while (used && !wcscmp(canvas_cell(c, y, used - 1)->text, L" "))
        used--;
    return used;
}

static void print_character(wchar_t w, FILE *out)
{
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    size_t n = wcrtomb(bytes, w, &state);
    if (n == (size_t)-1)
        fputc('?', out);
    else
        fwrite(bytes, 1, n, out);
}

void canvas_print(const struct canvas *c, FILE *out)
{
    unsigned rows = c->height;
    while (rows && !used_columns(c, rows - 1))
        rows--;
    for (unsigned y = 0; y < rows; y++) {
        unsigned used = used_columns(c, y);
        for (unsigned x = 0; x < used; x++)
            for (const wchar_t *w = canvas_cell(c, y, x)->text; *w; w++)
                print_character(*w, out);
        fputc('\n', out);
    }
}
