/* Computes what a report on a profile shows, and prints it. */
#ifndef CANDOR_REPORT_PROFILE_REPORT_H
#define CANDOR_REPORT_PROFILE_REPORT_H

#include "report/report.h"

/* report_text or report_json */
typedef int report_printer(FILE *out, const struct profile *p, struct stats *s, const struct report_options *o);

/* Prints a profile; this may change its stacks. Allocations and live objects have two views: the methods that allocate, and, from the
 * trees on, the classes of the objects as leaves. Locks have both views, too. source: folders of source code (profile/sources/sources.h);
 * NULL = none. Functions return 0 or a negative code. */
int profile_report(struct profile *p, FILE *out, report_printer *printer, const struct report_options *o, const char *source);
/* Prints as JSON only what a profile of its kind has besides samples: locks and their holders, or live sets, leak candidates and paths.
 * Samples of idle threads are left out. The profile has its samples again afterwards, but its stacks may have changed. */
int profile_report_particulars(struct profile *p, FILE *out);

#endif
