/* One event as JSON, as docs/formats/print-json.md describes it: the form of `jfr print --json`. References are followed, so
 * the output can be many times the input: values deeper than AS_JSON_DEPTH_MAX, and those of one event beyond
 * AS_JSON_VALUES_MAX, are null. */
#ifndef CANDOR_EVENTS_AS_JSON_H
#define CANDOR_EVENTS_AS_JSON_H

#include "base/text/jsonw.h"
#include "jfr/read/reader.h"

enum { AS_JSON_DEPTH_MAX = 32, AS_JSON_VALUES_MAX = 1 << 18 };

struct as_json {
    struct jsonw json;
    uint32_t stack_depth; /* frames of a stack trace, 0 = all */
    uint64_t values;      /* of the event at hand */
    uint64_t cut;         /* values that became null since they were too deep or too many */
};

/* Writes {"type": ..., "values": {...}} as one element, without an end of line. */
void as_json_event(struct as_json *w, struct jfr_event *event);
/* A time as text, "2026-11-22T16:40:27.069119609Z", and a span, "PT0.014744561S". Return out. */
char *as_json_time(char out[40], int64_t epoch_ns);
char *as_json_span(char out[40], int64_t ns);

#endif
