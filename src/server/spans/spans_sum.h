/* Sums up the samples of each span, from the recordings that the server still has. The list of spans, their heat map, and the profile of
 * some of them begin with these sums. */
#ifndef CANDOR_SERVER_SPANS_SPANS_SUM_H
#define CANDOR_SERVER_SPANS_SPANS_SUM_H

#include "base/map.h"
#include "base/strtab.h"
#include "server/spans/kept.h"

/* The values by which spans are ordered: types of weight, and last the time from the first sample to the last. */
enum { SPANS_ORDERS = 4, SPANS_WEIGHTS = SPANS_ORDERS - 1 };
extern const struct spans_order {
    const char *order, *type, *member; /* in questions; in the store, NULL = none; in answers */
} spans_orders[SPANS_ORDERS];

enum { SPANS_MAX = 500000 }; /* the most spans that are summed up */

struct span {
    uint32_t trace, id, root, endpoint, service, host; /* string ids */
    uint32_t samples;
    int64_t from_ns, to_ns; /* of the first and the last sample */
    uint64_t recording;     /* a recording with samples of the span */
    uint64_t weights[SPANS_WEIGHTS];
};

struct spans {
    const struct question *query;
    struct kept kept; /* kept_init it before spans_sum */
    struct strtab texts;
    struct map traces; /* (trace, id) -> its number */
    struct map places; /* (that number, service) -> place in the list */
    struct span *list;
    uint32_t count, cap;
    uint64_t without; /* samples without a span */
    uint64_t beyond;  /* samples of spans for which there was no room */
};

/* Returns 0 or -ENOMEM. Call spans_sum_deinit in both cases. */
int spans_sum_init(struct spans *t);
void spans_sum_deinit(struct spans *t);
/* Reads the recordings that the query selects. Returns 0, or a code with a message in e. */
int spans_sum(struct spans *t, struct http *h, const struct question *query, struct error *e);
/* Returns the value of a span by which that order sorts. */
uint64_t spans_value(const struct span *s, unsigned order);

#endif
