/* Pictures of histogram logs: the percentile spectrum on a log axis, and the maximum over time; as SVG or a page with a table. */
#ifndef CANDOR_CLI_HIST_PLOT_H
#define CANDOR_CLI_HIST_PLOT_H

#include "cli/hist/print.h"

/* Writes a plot to `out`. page: as HTML, else as SVG. `window` in s, as in series_windows. 0 or a negative code. */
int hist_plot(const struct hist_series *s, const struct hist_view *view, double window, bool page, FILE *out);

#endif
