/* candor hist compare: the percentiles of two logs, and which of them differ by more than chance. */
#ifndef CANDOR_CLI_HIST_COMPARE_H
#define CANDOR_CLI_HIST_COMPARE_H

#include "cli/hist/print.h"

bool hist_have_common_tag(const struct hist_series *a, const struct hist_series *b);
/* Compares the tags that both have, at the percentiles of the view, and prints text or JSON. Returns 0 or a negative code. */
int hist_compare(const struct hist_series *a, const struct hist_series *b, const struct hist_view *view, FILE *out);

#endif
