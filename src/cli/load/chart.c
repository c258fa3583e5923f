#include "cli/load/chart.h"

#include "base/array.h"
#include "base/text/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WIDTH = 960, HEIGHT = 300, LEFT = 90, RIGHT = 20, TOP = 30, BOTTOM = 40, ROW = 18 };

/* The palette of Okabe and Ito: dark enough on white, and most eyes can distinguish them. */
static const char *const colours[CHART_LINES_MAX] = {"#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#009e73", "#cc79a7"};

void chart_escape(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : *text == '"' ? "&quot;" : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

void chart_begin(struct chart *c, const char *title, enum chart_x x, enum chart_y y)
{
    *c = (struct chart){.title = title, .x = x, .y = y};
}

void chart_line(struct chart *c, const char *name)
{
    c->names[c->lines++] = name;
}

void chart_point(struct chart *c, double x, double y)
{
    if (c->y == CHART_TIMES && y <= 0)
        return; /* no request in this interval */
    if (!ARRAY_GROW(c->points, c->cap, c->count))
        c->points[c->count++] = (struct chart_point){x, y, c->lines - 1};
}

struct range {
    double least, most;
};

static struct range range_of(const struct chart *c, bool vertical)
{
    struct range r = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < c->count; i++) {
        double value = vertical ? c->points[i].y : c->points[i].x;
        r.least = fmin(r.least, value);
        r.most = fmax(r.most, value);
    }
    if (vertical && c->y == CHART_TIMES) /* whole powers of ten, as numbers of the power */
        r = (struct range){floor(log10(r.least)), ceil(log10(r.most) + 1e-9)};
    else
        r.least = 0;
    if (!(r.most > r.least))
        r.most = r.least + 1;
    return r;
}

static double place_x(struct range x, double value)
{
    return LEFT + (value - x.least) / (x.most - x.least) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct chart *c, struct range y, double value)
{
    double at = c->y == CHART_TIMES ? log10(value) : value;
    return HEIGHT - BOTTOM - (at - y.least) / (y.most - y.least) * (HEIGHT - TOP - BOTTOM);
}

static void y_axis(const struct chart *c, struct range y, FILE *out)
{
    char text[32];
    for (int i = 0; i <= (c->y == CHART_TIMES ? (int)(y.most - y.least) : 4); i++) {
        double value = c->y == CHART_TIMES ? pow(10, y.least + i) : y.most * i / 4;
        double at = place_y(c, y, value);
        if (c->y == CHART_TIMES)
            units_format_duration(text, sizeof text, (uint64_t)value);
        else
            snprintf(text, sizeof text, y.most >= 100 ? "%.0f" : "%.4g", value);
        fprintf(
            out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
            LEFT, WIDTH - RIGHT, at, at, LEFT - 8, at + 4, text);
    }
}

static void x_axis(const struct chart *c, struct range x, FILE *out)
{
    static const char *const percents[] = {"0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %"};
    int steps = c->x == CHART_NINES ? (int)x.most : 6;
    char text[32];
    for (int i = 0; i <= steps; i++) {
        double value = c->x == CHART_NINES ? i : x.most * i / steps;
        snprintf(text, sizeof text, "%.4g s", value);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", place_x(x, value), HEIGHT - BOTTOM + 20,
                c->x == CHART_NINES ? percents[i] : text);
    }
}

static void lines(const struct chart *c, struct range x, struct range y, FILE *out)
{
    for (uint32_t line = 0; line < c->lines; line++) {
        fprintf(out, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"", colours[line]);
        for (uint32_t i = 0; i < c->count; i++)
            if (c->points[i].line == line)
                fprintf(out, "%.1f,%.1f ", place_x(x, c->points[i].x), place_y(c, y, c->points[i].y));
        fprintf(out, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">", LEFT, HEIGHT + 14 + ROW * (int)line, colours[line]);
        chart_escape(out, c->names[line]);
        fputs("</text>\n", out);
    }
}

void chart_end(struct chart *c, FILE *out)
{
    fprintf(out, "<h2>%s</h2>\n", c->title);
    if (c->count) {
        struct range x = range_of(c, false), y = range_of(c, true);
        fprintf(out,
                "<svg viewBox=\"0 0 %d %d\" width=\"%d\" font-size=\"12\" font-family=\"sans-serif\" role=\"img\" aria-label=\"%s\">\n",
                WIDTH, HEIGHT + 10 + ROW * (int)c->lines, WIDTH, c->title);
        y_axis(c, y, out);
        x_axis(c, x, out);
        lines(c, x, y, out);
        fputs("</svg>\n", out);
    } else {
        fputs("<p>There are no requests to show.</p>\n", out);
    }
    free(c->points);
}
