/* A call of Pyroscope's query API. connect.c prepares the call, and one of the functions below writes the answer. */
#ifndef CANDOR_SERVER_CONNECT_CALL_H
#define CANDOR_SERVER_CONNECT_CALL_H

#include "server/connect/asked.h"
#include "server/connect/series.h"
#include "server/connect/wire.h"
#include "server/request/http.h"

enum { CALL_RECORDINGS_MAX = 256 };

struct call {
    struct http *http;
    struct store *store;
    struct asked asked;
    struct error error;
    struct missing missing; /* received data that the answer lacks */
    struct wire wire;
    uint64_t recordings[CALL_RECORDINGS_MAX]; /* those that the query is limited to, for call_query */
};

/* Writes the fields of an answer. Returns 0, or a code with a message in c->error: -EINVAL, -ENOTSUP, or a code of the store. */
typedef int call_answer(struct call *c);

call_answer calls_profile_types, calls_label_names, calls_label_values, calls_series; /* calls_labels.c */
call_answer calls_select_series;                                                      /* calls_series.c */
call_answer calls_heatmap;                                                            /* calls_heatmap.c */
call_answer calls_stacktraces, calls_span_profile, calls_profile, calls_diff;         /* calls_profiles.c */
call_answer calls_stats, calls_nothing, calls_version;                                /* calls_labels.c */
call_answer calls_health;                                                             /* calls_health.c */

/* Fills in the times and the selector of a store_query for profiles. *nothing: no data can match. Returns 0 or a code. */
int call_query(struct call *c, const struct asked *a, struct store_query *q, struct selector *s, char type[CATALOGUE_TYPE_MAX],
               bool *nothing);
/* Reads start and end. Returns -EINVAL if only one of them is set. recent: if neither is set, the last hour is used. */
int call_times(struct call *c, const struct asked *a, struct store_query *q, bool recent);
/* Loads the profile that is asked for into p, which must be initialized. keep: how many nodes of the call tree to keep; 0 = all. */
int call_profile(struct call *c, const struct asked *a, uint32_t keep, struct profile *p);
/* Reads max_nodes, or its default. Returns -EINVAL if it is not valid. */
int call_nodes(struct call *c, const struct asked *a, uint32_t *nodes);
/* Calls put for each value of the label `name` (NULL: for the name of each label), in order, each once. recent: as in call_times. */
int call_words(struct call *c, bool recent, const char *name, void (*put)(void *context, const char *word), void *context);
/* Returns Connect's name for a code. */
const char *call_code(int rc);
/* Adds the headers that say what the answer lacks. */
void call_say_missing(struct http *h, const struct missing *m);

#endif
