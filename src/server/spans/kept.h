/* Reads the recordings that a query selects, as they were sent. They contain data that the store's rows lack: the ids of traces and
 * spans, and times to the nanosecond. The server keeps recordings for a shorter time than rows, and reading them takes longer. So an
 * answer reads the newest ones, for a limited time, and says how many it has not read. */
#ifndef CANDOR_SERVER_SPANS_KEPT_H
#define CANDOR_SERVER_SPANS_KEPT_H

#include "server/request/question.h"

enum { KEPT_SECONDS = 20, KEPT_DEFAULT = 1000, KEPT_MAX = 100000 };

struct kept {
    uint32_t most;        /* recordings that are read */
    uint64_t read;        /* recordings that were read */
    uint64_t gone;        /* the server no longer has the recording, only its rows */
    uint64_t unread;      /* beyond `most` or the time */
    uint64_t unreadable;  /* damaged */
    uint64_t unreachable; /* objects that cannot be fetched now (store/cold/cold.h) */
    struct missing missing;
};

/* The recording's profiles are valid during the call; the visitor may take one of them, and then leaves zeros. Returns 0 or a code. */
typedef int kept_visit(void *context, uint64_t id, const struct labels *labels, struct store_profiles *profiles);

/* Reads the parameter `recordings`, the most that are read. Returns 0, or a code if it has already answered with an error. */
int kept_init(struct kept *k, struct http *h);
/* Visits the recordings that may have samples within the question's time, the newest first. Returns 0 or a code with a message in e. */
int kept_read(struct kept *k, struct http *h, const struct question *query, kept_visit *visit, void *context, struct error *e);
/* Returns the second, since the epoch, in which a time is. */
int64_t kept_second(int64_t ns);
/* Whether the sample is within the question's time, and its labels match the selector. */
bool kept_has(const struct question *query, const struct profile *p, const struct profile_sample *s);
/* Returns the value of a label of a sample, or "". */
const char *kept_label(const struct profile *p, const struct profile_sample *s, const char *key);
/* Writes the members recordings and complete. more: the answer lacks something else. */
void kept_put(struct jsonw *j, const struct kept *k, bool more);

#endif
