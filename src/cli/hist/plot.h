/* Draws histogram logs: percentiles on a logarithmic axis, and the maximum over time. The result is SVG, or an HTML page with a table. */
#ifndef CANDOR_CLI_HIST_PLOT_H
#define CANDOR_CLI_HIST_PLOT_H

#include "cli/hist/print.h"

/* Writes a plot to `out`, as HTML if `page`, else as SVG. `window` is in s, as in series_windows. Returns 0 or a negative code. */
int hist_plot(const struct hist_series *s, const struct hist_view *view, double window, bool page, FILE *out);

#endif
