/* Picks the samples of some traces and spans out of the recordings that the server still has (kept.h), for profiles of a trace or a span. A
 * sample belongs to a trace by its label `trace_id`, and to a span by `span_id`, `root_span_id`, or `profile_id`, as Pyroscope's agents
 * for Go call it. */
#ifndef CANDOR_SERVER_SPANS_PICKED_H
#define CANDOR_SERVER_SPANS_PICKED_H

#include "server/request/http.h"

/* Ids in hexadecimal, in upper or lower case. If there are ids of traces and of spans, a sample must have one of each. Without ids, each
 * sample with a span matches. */
struct picked_wanted {
    char *const *traces, *const *spans; /* borrowed */
    uint32_t trace_count, span_count;
    bool sorted; /* both lists, by strcasecmp: they may be long */
};

/* Gets the samples of one recording that match, at least one. Returns 0, or a code that ends the search. */
typedef int picked_visit(void *context, const struct profile *p, uint64_t recording);

/* Visits the recordings that the query selects, one after the other. q->type NULL = CPU time. Sets in the result: the type, the number of
 * recordings that were read, the weight of the samples that match, and what is missing. Returns 0, or a code with a message in e. Call
 * store_result_deinit in each case. */
int picked_each(struct http *h, const struct store_query *q, const struct picked_wanted *w, picked_visit *visit, void *context,
                struct store_result *r, struct error *e);
/* Puts all samples that match into one profile, which must be empty and initialized. */
int picked_profile(struct http *h, const struct store_query *q, const struct picked_wanted *w, struct profile *p, struct store_result *r,
                   struct error *e);

#endif
