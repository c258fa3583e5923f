/* The labels of samples, as the store keeps them: the endpoint, and other labels that the program or its tracer set. A set of labels is a
 * context, and a dictionary has a number for each.
 *
 * Numbers, ids of traces and spans, and other labels that differ from request to request are not kept: a request's samples are few, so
 * such a label would cost more than all the rest of its row. The recording still has them, as long as it exists.
 *
 * A program may still set a label to anything. So a dictionary, which is for a service's day, has at most CONTEXT_SETS_MAX sets. For a
 * sample with a further set the endpoint is kept; its other labels become `(other)`. If there are too many endpoints, so does the
 * endpoint. No sample is lost: its weight is under `(other)`. */
#ifndef CANDOR_STORE_FILES_CONTEXTS_H
#define CANDOR_STORE_FILES_CONTEXTS_H

#include "profile/profile.h"

/* The number of a context: CONTEXT_NONE is the empty set, higher numbers are CONTEXT_NONE + the set's id in dictionary.names. The labels of
 * CONTEXT_UNKNOWN are unknown, because a version of the server stored the row that kept no labels. */
enum { CONTEXT_UNKNOWN, CONTEXT_NONE };

enum {
    CONTEXT_SETS_MAX = 10000,     /* 100 endpoints for each of 100 tenants; half a megabyte of memory */
    CONTEXT_ENDPOINTS_MAX = 2000, /* twice as many as the agent distinguishes */
    CONTEXT_KEY_MAX = 200,        /* bytes; a label with a longer key is not kept */
    CONTEXT_VALUE_MAX = 1024,     /* bytes; a label with a longer value is not kept */
};

#define CONTEXT_ENDPOINT      "endpoint"
#define CONTEXT_OTHER         "(other)" /* the value of labels that are not distinguished; also the key of the label that marks such sets */
#define CONTEXT_UNKNOWN_VALUE "(unknown)" /* the value of every label of CONTEXT_UNKNOWN */

/* Whether the store keeps the label. The class of an object or lock is no label, because it becomes a frame. */
bool contexts_keep(const struct profile *p, const struct profile_label *label);
/* Finds or adds the contexts of all samples of `from` in `names`. of: an element for each label set of `from`; set for those that samples
 * have. Returns 0 or -ENOMEM. */
int contexts_take(struct profile *names, const struct profile *from, uint32_t *of);

/* The labels of a context. The texts exist as long as the dictionary, even if it grows. */
struct context_labels {
    const char *keys[PROFILE_LABELS_MAX], *values[PROFILE_LABELS_MAX]; /* the last label first */
    uint32_t count;
    bool unknown; /* it is CONTEXT_UNKNOWN */
};
void contexts_list(const struct profile *names, uint32_t context, struct context_labels *out);
/* Returns the value of a label; "" = the context has no such label. contexts_value_of does the same for a context that is not listed. */
const char *contexts_value(const struct context_labels *of, const char *key);
const char *contexts_value_of(const struct profile *names, uint32_t context, const char *key);

#endif
