/* Writes and reads the percentile spectrum as text: two dialects and CSV. */
#include "base/text/number.h"
#include "candor/histogram.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct printer {
    FILE *out;
    enum candor_hgrm dialect;
    int digits;
    double ratio;
};

static void print_step(void *context, int64_t value, double percentile, int64_t total)
{
    const struct printer *p = context;
    double shown = (double)value / p->ratio, share = percentile / 100, inverse = 1 / (1 - share);
    bool last = percentile >= 100;
    switch (p->dialect) {
    case CANDOR_HGRM_JAVA:
        fprintf(p->out, "%12.*f %2.12f %10" PRId64, p->digits, shown, share, total);
        if (!last)
            fprintf(p->out, " %14.2f", inverse);
        break;
    case CANDOR_HGRM_C:
        fprintf(p->out, "%12.*f %12f %12" PRId64, p->digits, shown, share, total);
        if (last)
            fputs("          inf", p->out);
        else
            fprintf(p->out, " %12.2f", inverse);
        break;
    case CANDOR_HGRM_CSV:
        fprintf(p->out, "%.*f,%.12f,%" PRId64 ",", p->digits, shown, share, total);
        if (last)
            fputs("Infinity", p->out);
        else
            fprintf(p->out, "%.2f", inverse);
        break;
    }
    fputc('\n', p->out);
}

static void print_footer(const struct candor_histogram *h, const struct printer *p, int digits)
{
    fprintf(p->out, "#[Mean    = %12.*f, StdDeviation   = %12.*f]\n", digits, candor_histogram_mean(h) / p->ratio, digits,
            candor_histogram_stddev(h) / p->ratio);
    fprintf(p->out, "#[Max     = %12.*f, Total count    = %12" PRId64 "]\n", digits, (double)candor_histogram_max(h) / p->ratio,
            candor_histogram_total(h));
    fprintf(p->out, "#[Buckets = %12d, SubBuckets     = %12d]\n", (h->counts_len >> h->half_magnitude) - 1, 2 << h->half_magnitude);
}

void candor_histogram_print_hgrm(const struct candor_histogram *h, FILE *out, int ticks, double ratio, enum candor_hgrm dialect)
{
    struct printer p = {out, dialect, h->digits, ratio};
    if (dialect == CANDOR_HGRM_CSV)
        fputs("\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\n", out);
    else if (dialect == CANDOR_HGRM_C)
        fprintf(out, "%12s %12s %12s %12s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    else
        fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    candor_histogram_spectrum(h, ticks, print_step, &p);
    if (dialect != CANDOR_HGRM_CSV)
        print_footer(h, &p, dialect == CANDOR_HGRM_C ? 3 : h->digits);
}

/* Reads the first three numbers of a row "VALUE PERCENTILE TOTAL ...", separated by blanks or commas. */
static bool read_row(const char *line, double *value, double *share, int64_t *total)
{
    if (number_take_real(&line, -INFINITY, INFINITY, value))
        return false;
    line += *line == ',';
    if (number_take_real(&line, -INFINITY, INFINITY, share))
        return false;
    line += *line == ',';
    return !number_take_signed(&line, INT64_MIN, INT64_MAX, total);
}

int candor_histogram_read_hgrm(struct candor_histogram *h, FILE *in, double ratio)
{
    char line[512];
    int64_t so_far = 0, total;
    double value, share = 0;
    bool any = false;
    while (fgets(line, sizeof line, in)) {
        size_t blank = strspn(line, " \r\n");
        if (!line[blank] || line[blank] == '#' || line[blank] == '"' || !strncmp(line + blank, "Value", 5))
            continue;
        if (!read_row(line, &value, &share, &total) || total < so_far || !(value >= 0 && value * ratio < 9e18) ||
            !(share >= 0 && share <= 1))
            return -EBADMSG;
        any = true;
        if (total > so_far && !candor_histogram_record_n(h, llround(value * ratio), total - so_far))
            return -ERANGE;
        so_far = total;
    }
    /* A table that ends before 100 % is truncated. */
    return any && share == 1 ? 0 : -EBADMSG;
}
