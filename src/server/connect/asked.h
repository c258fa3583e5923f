/* Reads requests of Pyroscope's API querier.v1. All its messages consist of some of the same fields, so one struct takes any of them. A
 * message is in protocol buffers, or in JSON as protobuf maps it (both spellings of names, numbers as strings, unknown fields ignored).
 * Source: the interface definitions of grafana/pyroscope, api/querier/v1/querier.proto. */
#ifndef CANDOR_SERVER_CONNECT_ASKED_H
#define CANDOR_SERVER_CONNECT_ASKED_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asked_texts {
    char **list;
    uint32_t count, cap;
};

struct asked {
    struct asked_texts profile_type, selector, name; /* if such a field is repeated, the last value counts */
    struct asked_texts matchers, label_names, group_by, call_site;
    struct asked_texts profile_ids, trace_ids, span_ids;
    int64_t start, end; /* ms since the epoch */
    int64_t max_nodes, limit, format, aggregation, exemplars, heat;
    double step;            /* seconds */
    struct asked *sides[2]; /* the two requests of a comparison; NULL = empty */
};

enum asked_kind { ASKED_TEXT, ASKED_INT, ASKED_DOUBLE, ASKED_CALL_SITE, ASKED_LEFT, ASKED_RIGHT };

struct asked_field {
    uint32_t number;
    const char *name; /* as it is written in the interface definitions */
    enum asked_kind kind;
    size_t offset;             /* in struct asked */
    const char *const *values; /* for an enumeration: names of the values by number; NULL ends the list */
};

#define ASKED_TEXT_FIELD(number, name, member)                                                                                             \
    {                                                                                                                                      \
        number, name, ASKED_TEXT, offsetof(struct asked, member), NULL                                                                     \
    }
#define ASKED_INT_FIELD(number, name, member)                                                                                              \
    {                                                                                                                                      \
        number, name, ASKED_INT, offsetof(struct asked, member), NULL                                                                      \
    }
#define ASKED_DOUBLE_FIELD(number, name, member)                                                                                           \
    {                                                                                                                                      \
        number, name, ASKED_DOUBLE, offsetof(struct asked, member), NULL                                                                   \
    }

/* Reads a message. `fields` ends with an entry whose name is NULL. Returns 0, -ENOMEM, or -EINVAL with a message in e. Call asked_deinit in
 * each case. */
int asked_read(struct asked *a, const struct asked_field *fields, bool json, const uint8_t *bytes, size_t size, struct error *e);
void asked_deinit(struct asked *a);
/* Adds a text, for requests that are no message. Returns 0 or -ENOMEM. */
int asked_add(struct asked_texts *t, const char *text, size_t len);
/* Returns the last text, or "" if there is none. */
const char *asked_last(const struct asked_texts *t);

/* The fields of SelectMergeStacktraces. A comparison contains two such messages. */
extern const struct asked_field asked_stacktraces[];
extern const char *const asked_formats[]; /* the names of the formats of profiles */

#endif
