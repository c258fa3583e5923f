/* Collects the spans of a recording's samples for the viewer: which thread worked for which span of which trace, from its first sample to
 * its last, and what these samples weigh. It is separate from the page's data because a span has samples of several kinds. web/README.md
 * describes the format.
 *
 *   spans_init -> [ spans_add ]* (a profile of each kind) -> [ spans_add_event ]* -> spans_write -> spans_deinit
 *
 * A sample belongs to a span by its labels (docs/context.md, and the names that Datadog's tracer uses). Events of spans have exact times
 * (span_events.h). Functions return 0 or -ENOMEM. */
#ifndef CANDOR_FORMAT_PAGE_SPANS_H
#define CANDOR_FORMAT_PAGE_SPANS_H

#include "jfr/read/reader.h"
#include "profile/profile.h"

#include <stdio.h>

enum {
    PAGE_SPANS = 20000,       /* a page has about so many rows at most: those of the longest traces */
    PAGE_ENDPOINTS = 1000,    /* so many endpoints at most: those with most samples; the others are added up */
    SPAN_EVENTS_MAX = 1 << 20 /* the largest number of events that are kept; the others are counted */
};

enum spans_weight { SPANS_CPU, SPANS_WALL, SPANS_ALLOC, SPANS_LOCK, SPANS_WEIGHTS };

/* What one thread did for one span. */
struct span_row {
    uint32_t trace;                  /* index of spans.traces */
    uint32_t span, endpoint, thread; /* string ids of spans.texts; endpoint 0 = unknown */
    int64_t from_ns, to_ns;          /* of the first and the last sample, or of its events; since the epoch */
    bool is_exact;                   /* there are events, so that these are the times of the span */
    uint64_t weights[SPANS_WEIGHTS]; /* ns; bytes for SPANS_ALLOC */
    uint64_t samples;
};

struct span_trace {
    uint32_t id;  /* string id */
    bool by_root; /* the id is that of its root span, or of its only span, which no tracing system finds */
    int64_t from_ns, to_ns;
};

/* The samples with one endpoint, whether they have a span or not. */
struct span_endpoint {
    uint32_t id; /* string id; 0 = no endpoint */
    uint64_t traces, samples, weights[SPANS_WEIGHTS];
};

struct spans {
    struct strtab texts;
    struct span_row *rows;
    uint32_t row_count, row_cap;
    struct span_trace *traces;
    uint32_t trace_count, trace_cap;
    struct span_endpoint *endpoints;
    uint32_t endpoint_count, endpoint_cap;
    struct map endpoint_of; /* string id -> index */
    struct map trace_of;    /* string id -> index */
    struct map pairs;       /* (trace, span) -> number */
    struct map row_of;      /* (pair, thread) -> row */
    uint64_t without;       /* samples without a span, or without a time */
    uint64_t events;        /* that were added */
    uint64_t left_out;      /* events beyond SPAN_EVENTS_MAX */
};

/* A span, or a part of one, with its exact time. Each text may be empty. An event without a span's id is a trace by itself. */
struct span_event {
    struct jfr_text trace, span, endpoint, thread;
    int64_t from_ns, to_ns; /* since the epoch */
};

int spans_init(struct spans *s);
void spans_deinit(struct spans *s);
/* Adds the samples of a profile. Kinds that have no weight here are ignored. The profile is not used afterwards. */
int spans_add(struct spans *s, const struct profile *p);
/* Whether a sample or an event has a span or an endpoint. */
bool spans_any(const struct spans *s);
int spans_add_event(struct spans *s, const struct span_event *event);
/* Writes the spans as JSON, and orders the rows. link: template of the address of a trace (base/text/trace_link.h); NULL = none. Write
 * errors stay in the stream. */
int spans_write(FILE *out, struct spans *s, const char *link);

#endif
