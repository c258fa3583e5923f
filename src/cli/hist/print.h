/* Prints tables of histogram logs, as text, CSV, hgrm or JSON: totals for each tag, and their course over time. */
#ifndef CANDOR_CLI_HIST_PRINT_H
#define CANDOR_CLI_HIST_PRINT_H

#include "cli/hist/series.h"

enum hist_format { HIST_TEXT, HIST_CSV, HIST_HGRM, HIST_HGRM_C, HIST_JSON };
enum { HIST_PERCENTILES_MAX = 16 };

struct hist_view {
    enum hist_format format;
    double ratio;     /* values are divided by it */
    const char *unit; /* "ms", or "" */
    int ticks;        /* for hgrm: reporting points in each half of the remaining distance to 100 % */
    double percentiles[HIST_PERCENTILES_MAX];
    uint32_t percentile_count;
};

/* Print to `out`. Return 0 or a negative code. */
int hist_print_totals(const struct hist_series *s, const struct hist_view *view, FILE *out);
int hist_print_times(const struct hist_series *s, const struct hist_view *view, double window, FILE *out);

#endif
