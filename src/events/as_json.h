/* Writes one event as JSON, in the form of `jfr print --json` (docs/formats/print-json.md). References are followed, so the output can
 * be many times as large as the input. Therefore values deeper than AS_JSON_DEPTH_MAX are written as null, and so are the values of one
 * event beyond AS_JSON_VALUES_MAX. */
#ifndef CANDOR_EVENTS_AS_JSON_H
#define CANDOR_EVENTS_AS_JSON_H

#include "base/text/jsonw.h"
#include "jfr/read/reader.h"

enum { AS_JSON_DEPTH_MAX = 32, AS_JSON_VALUES_MAX = 1 << 18 };

struct as_json {
    struct jsonw json;
    uint32_t stack_depth; /* frames of a stack trace; 0 = all */
    uint64_t values;      /* number of values of the current event so far */
    uint64_t cut;         /* number of values that became null because they were too deep or too many */
};

/* Writes {"type": ..., "values": {...}} as one element, without an end of line. */
void as_json_event(struct as_json *w, struct jfr_event *event);
/* Formats a time, "2026-11-22T16:40:27.069119609Z". as_json_span formats a duration, "PT0.014744561S". Both return out. */
char *as_json_time(char out[40], int64_t epoch_ns);
char *as_json_span(char out[40], int64_t ns);

#endif
