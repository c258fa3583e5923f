#include "cli/hist/compare.h"

#include "base/text/jsonw.h"
#include "cli/hist/blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL       0.05 /* the probability of any false alarm in a comparison */
#define PIECES_MOST 1e6  /* of a log: pieces are longer if it has gaps of years */

/* One percentile of one tag. */
struct row {
    const char *tag;
    double percentile;
    int64_t a, b;
    double p; /* corrected; -1 = not tested */
};

struct comparison {
    const struct hist_series *a, *b;
    const struct hist_view *view;
    double piece; /* s: the length of the pieces of time */
    struct row *rows;
    uint32_t count;
};

/* ---- the shares of a tag, piece by piece ---- */

struct gathering {
    uint32_t tag;
    struct candor_histogram *sum; /* or NULL */
    int64_t threshold;
    double piece, origin; /* s */
    struct block *blocks; /* or NULL */
    uint32_t count;
};

static int gather(void *context, uint32_t tag, double start, double length, const struct candor_histogram *h)
{
    struct gathering *g = context;
    (void)length;
    if (tag != g->tag)
        return 0;
    if (g->sum)
        return candor_histogram_add(g->sum, h);
    uint32_t at = (uint32_t)((start - g->origin) / g->piece + 1e-6);
    if (at < g->count) {
        double all = (double)candor_histogram_total(h);
        g->blocks[at].all += all;
        /* Values at the threshold count half, so that runs differ whose values are all the same, but not the same in both. */
        g->blocks[at].above +=
            all - (double)candor_histogram_count_between(h, 0, g->threshold) + (double)candor_histogram_count_at(h, g->threshold) / 2;
    }
    return 0;
}

static int sum_of(const struct hist_series *s, uint32_t tag, struct candor_histogram *sum)
{
    struct gathering g = {.tag = tag, .sum = sum};
    return series_windows(s, INFINITY, gather, &g);
}

/* When the first piece begins: with the first interval that was chosen. */
static double origin_of(const struct hist_series *s, double piece)
{
    return s->count ? floor(s->entries[0].start / piece + 1e-9) * piece : 0;
}

/* The pieces of a tag, from the first interval to the last one. The caller frees them. */
static struct block *pieces_of(const struct hist_series *s, uint32_t tag, int64_t threshold, double piece, uint32_t *count)
{
    struct gathering g = {.tag = tag, .threshold = threshold, .piece = piece, .origin = origin_of(s, piece)};
    g.count = (uint32_t)((s->end - g.origin) / piece + 0.5);
    g.blocks = calloc(g.count ? g.count : 1, sizeof *g.blocks);
    *count = g.count;
    if (g.blocks && series_windows(s, piece, gather, &g)) {
        free(g.blocks);
        return NULL;
    }
    return g.blocks;
}

/* ---- the rows ---- */

static int test_row(const struct comparison *c, struct row *row, uint32_t a_tag, uint32_t b_tag, int64_t threshold)
{
    uint32_t a_count, b_count;
    struct block *a = pieces_of(c->a, a_tag, threshold, c->piece, &a_count);
    struct block *b = pieces_of(c->b, b_tag, threshold, c->piece, &b_count);
    row->p = a && b ? blocks_test(a, a_count, b, b_count) : -1;
    int rc = a && b ? 0 : -ENOMEM;
    free(a);
    free(b);
    return rc;
}

/* Adds the rows of one tag. The threshold of a percentile is its value in both runs together: if the runs do not differ, the same share
 * of each is above it. */
static int compare_tag(struct comparison *c, uint32_t a_tag, uint32_t b_tag)
{
    struct candor_histogram a, b, both;
    int rc = series_histogram(c->a, &a);
    rc = rc ? rc : series_histogram(c->b, &b);
    rc = rc ? rc : series_histogram(c->a, &both);
    rc = rc ? rc : sum_of(c->a, a_tag, &a);
    rc = rc ? rc : sum_of(c->b, b_tag, &b);
    rc = rc ? rc : candor_histogram_add(&both, &a);
    rc = rc ? rc : candor_histogram_add(&both, &b);
    for (uint32_t i = 0; i < c->view->percentile_count && !rc; i++) {
        double percentile = c->view->percentiles[i];
        struct row *row = &c->rows[c->count++];
        *row = (struct row){c->a->tags[a_tag], percentile, candor_histogram_percentile(&a, percentile),
                            candor_histogram_percentile(&b, percentile), -1};
        if (c->piece > 0)
            rc = test_row(c, row, a_tag, b_tag, candor_histogram_percentile(&both, percentile));
    }
    candor_histogram_deinit(&a);
    candor_histogram_deinit(&b);
    candor_histogram_deinit(&both);
    return rc;
}

static int compare_all(struct comparison *c)
{
    double *p = calloc((size_t)c->a->tag_count * c->view->percentile_count + 1, sizeof *p);
    int rc = p ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < c->a->tag_count && !rc; i++)
        for (uint32_t k = 0; k < c->b->tag_count && !rc; k++)
            if (!strcmp(c->a->tags[i], c->b->tags[k]))
                rc = compare_tag(c, i, k);
    for (uint32_t i = 0; i < c->count && !rc; i++)
        p[i] = c->rows[i].p;
    if (!rc)
        blocks_correct(p, c->count);
    for (uint32_t i = 0; i < c->count && !rc; i++)
        c->rows[i].p = p[i];
    free(p);
    return rc;
}

/* The longest interval of both logs, in s: within it, nothing is known about the time of a value. */
static double longest_interval(const struct hist_series *a, const struct hist_series *b)
{
    double longest = 0;
    for (uint32_t i = 0; i < a->count; i++)
        longest = fmax(longest, a->entries[i].length);
    for (uint32_t i = 0; i < b->count; i++)
        longest = fmax(longest, b->entries[i].length);
    return longest;
}

static bool has_tag(const struct hist_series *s, const char *tag)
{
    for (uint32_t i = 0; i < s->tag_count; i++)
        if (!strcmp(s->tags[i], tag))
            return true;
    return false;
}

bool hist_have_common_tag(const struct hist_series *a, const struct hist_series *b)
{
    for (uint32_t i = 0; i < a->tag_count; i++)
        if (has_tag(b, a->tags[i]))
            return true;
    return false;
}

/* ---- printing ---- */

static void print_left_out(const struct hist_series *s, const struct hist_series *other, const char *name, FILE *out)
{
    const char *before = "";
    for (uint32_t i = 0; i < s->tag_count; i++) {
        if (has_tag(other, s->tags[i]))
            continue;
        if (!*before)
            fprintf(out, "only in %s, not compared: ", name);
        fprintf(out, "%s%s", before, *s->tags[i] ? s->tags[i] : "default");
        before = ", ";
    }
    fputs(*before ? "\n" : "", out);
}

static void put_left_out(struct jsonw *j, const char *key, const struct hist_series *s, const struct hist_series *other)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (uint32_t i = 0; i < s->tag_count; i++)
        if (!has_tag(other, s->tags[i]))
            jsonw_text(j, s->tags[i]);
    jsonw_array_end(j);
}

static const char *verdict(const struct row *row)
{
    return row->p < 0        ? "not tested"
           : row->p > LEVEL  ? "no difference shown"
           : row->b > row->a ? "higher"
           : row->b < row->a ? "lower"
                             : "same value";
}

static void print_text(const struct comparison *c, FILE *out)
{
    const struct hist_view *v = c->view;
    const char *tag = NULL;
    char name[32], change[32];
    uint32_t untested = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct row *row = &c->rows[i];
        if (!tag || strcmp(tag, row->tag))
            fprintf(out, "%s%-24s %14s %14s %9s %9s\n", tag ? "\n" : "", *row->tag ? row->tag : "default", "A", "B", "change", "p");
        tag = row->tag;
        snprintf(name, sizeof name, "p%.10g", row->percentile);
        snprintf(change, sizeof change, "%+.1f %%", row->a ? ((double)row->b / (double)row->a - 1) * 100 : 0);
        fprintf(out, "  %-22s %11.3f %-2s %11.3f %-2s %9s ", name, (double)row->a / v->ratio, v->unit, (double)row->b / v->ratio, v->unit,
                change);
        if (row->p < 0)
            fprintf(out, "%9s  %s\n", "-", verdict(row));
        else
            fprintf(out, "%9.4f  %s\n", row->p, verdict(row));
        untested += row->p < 0;
    }
    fputc('\n', out);
    print_left_out(c->a, c->b, "A", out);
    print_left_out(c->b, c->a, "B", out);
    if (untested < c->count)
        fprintf(out,
                "higher, lower: more than chance. p is the probability of such a difference by chance, corrected for the %" PRIu32
                " rows: in %g %% of all\n"
                "comparisons of runs that do not differ, at least one row says higher or lower. The unit of chance is a block of time, "
                "at least %.3g s long.\n",
                c->count - untested, LEVEL * 100, c->piece);
    if (c->count - untested > LEVEL * (BLOCKS_ASSIGNMENTS + 1))
        fputs("These are too many rows for any difference to be shown; choose some with --tags or --percentiles.\n", out);
    if (untested)
        fprintf(out,
                "not tested: a log has less than %d intervals, or one is much longer than the other; record longer, or with a shorter "
                "--log-interval.\n",
                BLOCKS_LEAST);
}

static void put_row(struct jsonw *j, const struct comparison *c, const struct row *row)
{
    jsonw_object(j);
    jsonw_member_text(j, "tag", row->tag);
    jsonw_member_number(j, "percentile", row->percentile);
    jsonw_member_number(j, "a", (double)row->a / c->view->ratio);
    jsonw_member_number(j, "b", (double)row->b / c->view->ratio);
    jsonw_key(j, "p");
    if (row->p < 0)
        jsonw_null(j);
    else
        jsonw_exact(j, row->p, false);
    jsonw_key(j, "differs");
    jsonw_bool(j, row->p >= 0 && row->p <= LEVEL && row->a != row->b);
    jsonw_object_end(j);
}

static void print_json(const struct comparison *c, FILE *out)
{
    struct jsonw j;
    jsonw_init(&j, out);
    j.line_depth = 2;
    jsonw_object(&j);
    jsonw_member_text_or_null(&j, "unit", c->view->unit);
    jsonw_member_number(&j, "ratio", c->view->ratio);
    jsonw_member_number(&j, "level", LEVEL);
    jsonw_member_number(&j, "piece_s", c->piece);
    put_left_out(&j, "only_a", c->a, c->b);
    put_left_out(&j, "only_b", c->b, c->a);
    jsonw_key(&j, "rows");
    jsonw_array(&j);
    for (uint32_t i = 0; i < c->count; i++)
        put_row(&j, c, &c->rows[i]);
    jsonw_array_end(&j);
    jsonw_object_end(&j);
    jsonw_finish(&j);
}

int hist_compare(const struct hist_series *a, const struct hist_series *b, const struct hist_view *view, FILE *out)
{
    struct comparison c = {.a = a, .b = b, .view = view, .piece = longest_interval(a, b)};
    if (c.piece > 0)
        c.piece = fmax(c.piece, fmax(a->end, b->end) / PIECES_MOST);
    c.rows = calloc((size_t)a->tag_count * view->percentile_count + 1, sizeof *c.rows);
    int rc = c.rows ? 0 : -ENOMEM;
    if (!rc)
        rc = compare_all(&c);
    if (!rc)
        (view->format == HIST_JSON ? (void)print_json(&c, out) : (void)print_text(&c, out));
    free(c.rows);
    return rc;
}
