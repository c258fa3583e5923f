/* What single recordings, or single spans, have in each step of time: for heat maps, and for the exemplars of series. */
#ifndef CANDOR_SERVER_CONNECT_SINGLES_H
#define CANDOR_SERVER_CONNECT_SINGLES_H

#include "base/strtab.h"
#include "server/connect/call.h"

struct single {
    uint32_t series; /* text: the values of the labels to split by, with STORE_BY_SEPARATOR between them */
    int64_t step;
    uint64_t recording, weight;
    uint32_t span, trace; /* texts; 0 = none */
};

struct singles {
    struct single *list; /* sorted by series, then by step, then by weight, the heaviest first */
    uint32_t count, cap;
    struct strtab texts;
};

/* Fill in the values of all that the query selects. step: seconds, from q->from on. by: labels, with STORE_BY_SEPARATOR between them.
 * singles_of_spans reads the recordings as they were sent. Return 0, or a code with a message in c->error, and add to c->missing. Call
 * singles_deinit in each case. */
int singles_of_recordings(struct call *c, const struct store_query *q, int64_t step, const char *by, struct singles *out);
int singles_of_spans(struct call *c, const struct store_query *q, int64_t step, const char *by, struct singles *out);
/* Returns the heaviest value of the series and step. NULL = there is none. */
const struct single *singles_heaviest(struct singles *v, const char *series, int64_t step);
void singles_deinit(struct singles *v);

/* Writes a message Exemplar: an example of what a point or a cell stands for. at_ms: its time. Its labels are those of its recording that
 * the series does not have. Returns 0, or a code with a message in c->error. */
int singles_put_exemplar(struct call *c, uint32_t number, const struct singles *of, const struct single *v, int64_t at_ms);

#endif
