/* What a client asks for: the messages of Pyroscope's querier.v1, all of which have a few of the same fields, read from protocol
 * buffers or from JSON as protobuf maps it (both spellings of names, numbers as strings, unknown fields ignored).
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
    struct asked_texts profile_type, selector, name; /* of these the last one counts */
    struct asked_texts matchers, label_names, group_by, call_site;
    struct asked_texts profile_ids, trace_ids, span_ids;
    int64_t start, end; /* ms since the epoch */
    int64_t max_nodes, limit, format, aggregation, exemplars;
    double step;            /* seconds */
    struct asked *sides[2]; /* of a comparison; NULL = empty */
};

enum asked_kind { ASKED_TEXT, ASKED_INT, ASKED_DOUBLE, ASKED_CALL_SITE, ASKED_LEFT, ASKED_RIGHT };

struct asked_field {
    uint32_t number;
    const char *name; /* as in the interface definitions */
    enum asked_kind kind;
    size_t offset;             /* in struct asked */
    const char *const *values; /* an enumeration's, by number; NULL at the end */
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

/* fields ends with one whose name is NULL. 0, -ENOMEM, or -EINVAL with its line; in either case asked_deinit. */
int asked_read(struct asked *a, const struct asked_field *fields, bool json, const uint8_t *bytes, size_t size, struct error *e);
void asked_deinit(struct asked *a);
/* The last of them, or "". */
const char *asked_last(const struct asked_texts *t);

/* The fields of SelectMergeStacktraces, of which a comparison has two. */
extern const struct asked_field asked_stacktraces[];

#endif
