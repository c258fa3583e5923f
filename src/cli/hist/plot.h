/* Pictures of histogram logs: the percentile spectrum on a log axis, and the maximum over time; as SVG or a page with a table. */
#ifndef CANDOR_CLI_HIST_PLOT_H
#define CANDOR_CLI_HIST_PLOT_H

#include "cli/hist/print.h"

/* To `out`; page: HTML, else SVG. `window` in s as of series_windows. 0 or a negative code. */
int hist_plot(const struct hist_series *s, const struct hist_view *view, double window, bool page, FILE *out);

#endif
