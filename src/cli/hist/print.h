/* Tables of histogram logs: totals per tag and their course over time, as text, CSV, hgrm or JSON. */
#ifndef CANDOR_CLI_HIST_PRINT_H
#define CANDOR_CLI_HIST_PRINT_H

#include "cli/hist/series.h"

enum hist_format { HIST_TEXT, HIST_CSV, HIST_HGRM, HIST_HGRM_C, HIST_JSON };
enum { HIST_PERCENTILES_MAX = 16 };

struct hist_view {
    enum hist_format format;
    double ratio;     /* values are divided by it */
    const char *unit; /* "ms", or "" */
    int ticks;        /* of hgrm, per half of the distance */
    double percentiles[HIST_PERCENTILES_MAX];
    uint32_t percentile_count;
};

/* Print to `out`. 0 or a negative code. */
int hist_print_totals(const struct hist_series *s, const struct hist_view *view, FILE *out);
int hist_print_times(const struct hist_series *s, const struct hist_view *view, double window, FILE *out);

#endif
