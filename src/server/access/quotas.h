/* Limits how much the holders of a token may ask and send: requests and bytes in a second, bytes in a minute and an hour, and different
 * labels in a day. A limit counts in windows of the clock, which begin with each second, minute, hour, and day of UTC. The bytes in a
 * second are a rate: at most a burst may come at once, and what is more than a second allows is counted in the seconds after it. Tokens
 * of the same name share their limits, so a second token, or a reload, gives nobody more.
 *
 * The refusal of a limit is a code of its own, from which quotas_refused, quotas_retry_s and the message are known. No system call
 * returns such a code. Any thread may call these functions. */
#ifndef CANDOR_SERVER_ACCESS_QUOTAS_H
#define CANDOR_SERVER_ACCESS_QUOTAS_H

#include "base/error.h"
#include "store/files/labels.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The limits: their option, the length of their window in seconds, and what they count, for messages. A day is one of UTC, as in the
 * store. Series are different sets of labels of recordings. Label values are different pairs of a name and a value. */
#define QUOTAS_LIMITS(X)                                                                                                                   \
    X(REQUESTS, "max-requests-per-second", 1, "requests in a second")                                                                      \
    X(SECOND_BYTES, "max-bytes-per-second", 1, "bytes of recordings in a second, on average")                                              \
    X(BURST, "max-burst-bytes", 1, "bytes of recordings at once")                                                                          \
    X(MINUTE_BYTES, "max-bytes-per-minute", 60, "bytes of recordings in a minute")                                                         \
    X(HOUR_BYTES, "max-bytes-per-hour", 3600, "bytes of recordings in an hour")                                                            \
    X(DAY_SERIES, "max-series-per-day", 86400, "different sets of labels in a day")                                                        \
    X(DAY_VALUES, "max-label-values-per-day", 86400, "different values of labels in a day")

enum quota {
#define QUOTAS_ENUM(name, option, seconds, words) QUOTA_##name,
    QUOTAS_LIMITS(QUOTAS_ENUM)
#undef QUOTAS_ENUM
        QUOTAS
};

enum { QUOTAS_LABELS_MAX = 1000000 }; /* the highest limit for labels: each series and value that was seen takes 16 to 32 bytes */
#define QUOTA_NONE UINT64_MAX         /* without limit */

struct quota_limits {
    uint64_t most[QUOTAS]; /* 0 = not in the token's line: the server's default, or no limit */
};

/* Bytes that were taken from the limits, and when, so that those that never come can be given back. */
struct quota_charge {
    uint64_t bytes, at_s;
};

struct quotas;

struct quotas *quotas_new(void); /* NULL = no memory */
void quotas_free(struct quotas *q);

/* Finds the limit by its option, which is n characters long. Returns QUOTAS if there is no such limit. */
enum quota quotas_named(const char *option, size_t n);
const char *quotas_option(enum quota limit);
/* Reads a limit: a number, for bytes also a size such as 2G, or none. Returns 0 or -EINVAL. */
int quotas_parse(enum quota limit, const char *text, uint64_t *most);
/* Sets each limit that the token's line does not mention to its default. */
void quotas_fill(struct quota_limits *limits, const uint64_t defaults[QUOTAS]);

/* Each of the following functions counts something for the tokens of this name. It returns 0, or a code with a message in e if a limit
 * refuses it; then nothing was counted but the refusal. */
int quotas_take_request(struct quotas *q, const char *name, const struct quota_limits *limits, struct error *e);
/* Takes more bytes for a body, before or while it is received. Returns -EFBIG if the body alone exceeds a limit. */
int quotas_take_bytes(struct quotas *q, const char *name, const struct quota_limits *limits, uint64_t bytes, struct quota_charge *charge,
                      struct error *e);
/* Ends a body: gives back the bytes that were taken and did not come, as far as their windows are not over. */
void quotas_end_bytes(struct quotas *q, const char *name, struct quota_charge *charge, uint64_t came);
/* Counts the labels of a recording. The same labels count once in a day. */
int quotas_take_labels(struct quotas *q, const char *name, const struct quota_limits *limits, const struct labels *labels, struct error *e);

/* Whether a limit has refused something with this code. */
bool quotas_refused(int code);
/* Returns after how many seconds it makes sense to try again. For the limits of a day it is an hour at most, because an operator may raise
 * them. */
uint32_t quotas_retry_s(int code);

/* What was asked in the name of a token since the server's start. */
struct quota_use {
    uint64_t requests, bytes; /* bytes of recordings */
    uint64_t last_s;          /* the last request, in seconds since the epoch; 0 = none */
};
struct quota_use quotas_use(struct quotas *q, const char *name);

/* Forgets what was counted for names for which `is_kept` is false. */
void quotas_forget(struct quotas *q, bool (*is_kept)(void *context, const char *name), void *context);
/* Writes what was counted, by the name of the token, for /metrics. */
void quotas_put_metrics(struct quotas *q, FILE *out);

#endif
