/* Finds the samples of traces and spans. Rows in segments have no labels, so it reads the recordings as they were sent, if these are still
 * kept. A sample belongs to a trace by its label `trace_id`, and to a span by `span_id`, `root_span_id`, or `profile_id`, as Pyroscope's
 * agents for Go call it.
 *
 * A recording that was deleted (--retain-recordings, --max-recordings) counts as missing, with all that it had of the type. */
#ifndef CANDOR_SERVER_TRACES_KEPT_H
#define CANDOR_SERVER_TRACES_KEPT_H

#include "server/request/context.h"

/* Ids in hexadecimal, in any case. If there are of both, a sample must have one of each. Without any, each sample with a span matches. */
struct kept_wanted {
    char *const *traces, *const *spans; /* borrowed */
    uint32_t trace_count, span_count;
};

/* Gets the samples of one recording that match, at least one. Returns 0, or a code that ends the search. */
typedef int kept_visit(void *context, const struct profile *p, uint64_t recording);

/* Visits the recordings that the query selects, one after the other. q->type NULL = CPU time. Sets in the result: the type, the number of
 * recordings that were read, the weight of the samples that match, the time of these recordings, and what is missing. Returns 0, or a code
 * with a message in e; -EBUSY if too many recordings are read already. Call store_result_deinit in each case. */
int kept_each(struct server *s, const struct store_query *q, const struct kept_wanted *w, kept_visit *visit, void *context,
              struct store_result *r, struct error *e);
/* Puts all samples that match into one profile, which must be empty and initialized. */
int kept_profile(struct server *s, const struct store_query *q, const struct kept_wanted *w, struct profile *p, struct store_result *r,
                 struct error *e);

#endif
