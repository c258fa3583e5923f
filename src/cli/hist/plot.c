#include "cli/hist/plot.h"

#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 960, HEIGHT = 360, LEFT = 90, RIGHT = 20, TOP = 40, BOTTOM = 50, ROW = 18, LEGEND = 36 };

/* Colors that are dark enough on white, and that most eyes can distinguish (the palette of Okabe and Ito without its yellow). The
 * numbers of colors and of dash patterns have no common divisor, so their combinations make 28 different lines. A line behind another
 * one shows through its gaps. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"};
static const char *const dashes[] = {"none", "8 4", "2 3", "10 3 2 3"};
enum { COLOURS = 7, DASHES = 4 };

struct point {
    uint32_t tag;
    double x, y;
};

struct plot {
    const struct hist_series *series;
    const struct hist_view *view;
    FILE *out;
    struct point *points;
    uint32_t count, cap;
    uint32_t tag; /* the tag whose points are added */
    int64_t total;
    double x_max, y_max;
    int error;
};

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : *text == '"' ? "&quot;" : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

static const char *tag_name(const struct plot *p, uint32_t tag)
{
    return *p->series->tags[tag] ? p->series->tags[tag] : "default";
}

static void add_point(struct plot *p, double x, double y)
{
    if (ARRAY_GROW(p->points, p->cap, p->count)) {
        p->error = -ENOMEM;
        return;
    }
    p->points[p->count++] = (struct point){p->tag, x, y};
    p->x_max = fmax(p->x_max, x);
    p->y_max = fmax(p->y_max, y);
}

/* ---- axes ---- */

static double at_x(const struct plot *p, double x)
{
    return LEFT + x / p->x_max * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct plot *p, double y)
{
    return HEIGHT - BOTTOM - y / p->y_max * (HEIGHT - TOP - BOTTOM);
}

static void text_at(const struct plot *p, double x, double y, const char *anchor, const char *text)
{
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    put_escaped(p->out, text);
    fputs("</text>\n", p->out);
}

static void line_at(const struct plot *p, double x1, double y1, double x2, double y2)
{
    fprintf(p->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x1, y1, x2, y2);
}

/* Returns the step of an axis: 1, 2 or 5 times a power of ten, so that about five steps reach `most`. */
static double step_of(double most)
{
    double power = pow(10, floor(log10(most / 5))), times = most / 5 / power;
    return power * (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1);
}

static void value_axis(const struct plot *p)
{
    char text[64];
    double step = step_of(p->y_max);
    for (double y = 0; y <= p->y_max * 1.0001; y += step) {
        line_at(p, LEFT, at_y(p, y), WIDTH - RIGHT, at_y(p, y));
        snprintf(text, sizeof text, "%.10g", y);
        text_at(p, LEFT - 8, at_y(p, y) + 4, "end", text);
    }
}

static void percentile_axis(const struct plot *p)
{
    static const struct {
        const char *text;
        double x;
    } ticks[] = {{"0", 0},     {"50", 0.30103}, {"90", 1},      {"99", 2},      {"99.9", 3},
                 {"99.99", 4}, {"99.999", 5},   {"99.9999", 6}, {"99.99999", 7}};
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks && ticks[i].x <= p->x_max; i++) {
        line_at(p, at_x(p, ticks[i].x), TOP, at_x(p, ticks[i].x), HEIGHT - BOTTOM);
        text_at(p, at_x(p, ticks[i].x), HEIGHT - BOTTOM + 18, "middle", ticks[i].text);
    }
    text_at(p, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", "percentile");
}

static void time_axis(const struct plot *p)
{
    char text[64];
    double step = step_of(p->x_max);
    for (double x = 0; x <= p->x_max * 1.0001; x += step) {
        line_at(p, at_x(p, x), TOP, at_x(p, x), HEIGHT - BOTTOM);
        snprintf(text, sizeof text, "%.10g", x);
        text_at(p, at_x(p, x), HEIGHT - BOTTOM + 18, "middle", text);
    }
    text_at(p, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", "seconds");
}

/* ---- one picture ---- */

static void stroke(const struct plot *p, uint32_t tag)
{
    fprintf(p->out, " stroke-width=\"2\" stroke=\"%s\" stroke-dasharray=\"%s\"", colours[tag % COLOURS], dashes[tag % DASHES]);
}

/* Draws the line of a tag. A single point, which makes no line, becomes a small circle. */
static void curve(const struct plot *p, uint32_t tag)
{
    const struct point *last = NULL;
    uint32_t points = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->points[i].tag != tag)
            continue;
        last = &p->points[i];
        if (!points) {
            fputs("<polyline fill=\"none\" stroke-linejoin=\"round\"", p->out);
            stroke(p, tag);
        }
        fprintf(p->out, "%s%.1f,%.1f", points ? " " : " points=\"", at_x(p, last->x), at_y(p, last->y));
        points++;
    }
    if (points)
        fputs("\"/>\n", p->out);
    if (points == 1)
        fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", at_x(p, last->x), at_y(p, last->y),
                colours[tag % COLOURS]);
}

static void legend(const struct plot *p)
{
    for (uint32_t tag = 0; tag < p->series->tag_count; tag++) {
        double y = HEIGHT + 14 + ROW * (int)tag;
        fprintf(p->out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"", LEFT, y - 4, LEFT + LEGEND, y - 4);
        stroke(p, tag);
        fputs("/>\n", p->out);
        text_at(p, LEFT + LEGEND + 8, y, "start", tag_name(p, tag));
    }
}

static int full_height(const struct plot *p)
{
    return HEIGHT + 14 + ROW * (int)p->series->tag_count;
}

static void picture(struct plot *p, double top, const char *title, void (*axis)(const struct plot *p))
{
    char text[128];
    p->x_max = p->x_max > 0 ? p->x_max : 1;
    p->y_max = p->y_max > 0 ? p->y_max : 1;
    snprintf(text, sizeof text, "%s%s%s", title, *p->view->unit ? ", " : "", p->view->unit);
    fprintf(p->out,
            "<svg y=\"%.0f\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            top, WIDTH, full_height(p), WIDTH, full_height(p), text);
    text_at(p, LEFT, TOP - 16, "start", text);
    value_axis(p);
    axis(p);
    for (uint32_t tag = 0; tag < p->series->tag_count; tag++)
        curve(p, tag);
    legend(p);
    fputs("</svg>\n", p->out);
    p->count = 0;
    p->x_max = p->y_max = 0;
}

static void spectrum_step(void *context, int64_t value, double percentile, int64_t so_far)
{
    struct plot *p = context;
    /* The axis ends at the percentile of one value among all, because there is no data beyond. */
    double rest = fmax(1 - percentile / 100, 1 / fmax((double)p->total, 1));
    add_point(p, -log10(rest), (double)value / p->view->ratio);
}

static int visit_total(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h)
{
    struct plot *p = context;
    p->tag = tag;
    p->total = candor_histogram_total(h);
    candor_histogram_spectrum(h, p->view->ticks, spectrum_step, p);
    return p->error;
}

static int visit_time(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h)
{
    struct plot *p = context;
    p->tag = tag;
    add_point(p, start, (double)candor_histogram_max(h) / p->view->ratio);
    return p->error;
}

static int pictures(struct plot *p, double window)
{
    int rc = series_windows(p->series, INFINITY, visit_total, p);
    if (rc)
        return rc;
    picture(p, 0, "Percentile spectrum", percentile_axis);
    rc = series_windows(p->series, window, visit_time, p);
    if (rc)
        return rc;
    picture(p, full_height(p), "Maximum over time", time_axis);
    return 0;
}

/* ---- whole ---- */

static int table_row(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h)
{
    const struct plot *p = context;
    int64_t values[HIST_PERCENTILES_MAX];
    candor_histogram_percentiles(h, p->view->percentiles, values, p->view->percentile_count);
    fputs("<tr><th scope=\"row\">", p->out);
    put_escaped(p->out, tag_name(p, tag));
    fprintf(p->out, "</th><td>%lld</td><td>%.3f</td>", (long long)candor_histogram_total(h), candor_histogram_mean(h) / p->view->ratio);
    for (uint32_t i = 0; i < p->view->percentile_count; i++)
        fprintf(p->out, "<td>%.3f</td>", (double)values[i] / p->view->ratio);
    fprintf(p->out, "<td>%.3f</td></tr>\n", (double)candor_histogram_max(h) / p->view->ratio);
    return 0;
}

static int table(struct plot *p)
{
    fputs("<table><thead><tr><th scope=\"col\">tag</th><th scope=\"col\">count</th><th scope=\"col\">mean</th>", p->out);
    for (uint32_t i = 0; i < p->view->percentile_count; i++)
        fprintf(p->out, "<th scope=\"col\">p%.10g</th>", p->view->percentiles[i]);
    fputs("<th scope=\"col\">max</th></tr></thead><tbody>\n", p->out);
    int rc = series_windows(p->series, INFINITY, table_row, p);
    fprintf(p->out, "</tbody></table>\n<p>%s%s</p>\n", *p->view->unit ? "Times in " : "", p->view->unit);
    return rc;
}

int hist_plot(const struct hist_series *s, const struct hist_view *view, double window, bool page, FILE *out)
{
    struct plot p = {.series = s, .view = view, .out = out};
    if (page)
        fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Histograms</title>\n"
              "<style>body{font:14px sans-serif;margin:24px}svg{display:block;max-width:100%;height:auto}"
              "table{border-collapse:collapse}td,th{padding:2px 10px;text-align:right;border-bottom:1px solid #ddd}"
              "th[scope=row]{text-align:left}</style></head><body>\n<h1>Histograms</h1>\n",
              out);
    else
        fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n", WIDTH, 2 * full_height(&p));
    int rc = pictures(&p, window);
    if (page && !rc)
        rc = table(&p);
    fputs(page ? "</body></html>\n" : "</svg>\n", out);
    free(p.points);
    return rc;
}
