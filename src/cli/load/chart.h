/* Draws a chart with lines as SVG. Points are kept until chart_end, because the axes need their range. */
#ifndef CANDOR_CLI_LOAD_CHART_H
#define CANDOR_CLI_LOAD_CHART_H

#include <stdint.h>
#include <stdio.h>

enum chart_x { CHART_SECONDS, CHART_NINES };
enum chart_y { CHART_TIMES, CHART_NUMBERS }; /* times: ns, on a logarithmic axis */

enum { CHART_LINES_MAX = 6 };

struct chart_point {
    double x, y;
    uint32_t line;
};

struct chart {
    const char *title, *names[CHART_LINES_MAX];
    enum chart_x x;
    enum chart_y y;
    uint32_t lines, count, cap;
    struct chart_point *points;
};

void chart_begin(struct chart *c, const char *title, enum chart_x x, enum chart_y y);
/* Begins a line. */
void chart_line(struct chart *c, const char *name);
/* A point of the last line. Out of memory, it is left out. */
void chart_point(struct chart *c, double x, double y);
void chart_end(struct chart *c, FILE *out);

/* Writes text into HTML or SVG. */
void chart_escape(FILE *out, const char *text);

#endif
