/* Counts what the server has done since its start. Any thread may count. Each received recording ends in exactly one of these counters:
 *
 *     received = stored + duplicates + the sum of refused + those that are still being received */
#ifndef CANDOR_SERVER_REQUEST_COUNTERS_H
#define CANDOR_SERVER_REQUEST_COUNTERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Why a recording was refused, with the name in /metrics. */
#define COUNTERS_REFUSALS(X)                                                                                                               \
    X(NOT_ALLOWED, "not_allowed")                                                                                                          \
    X(LABELS, "labels")                                                                                                                    \
    X(TOO_LARGE, "too_large")                                                                                                              \
    X(FORMAT, "format")                                                                                                                    \
    X(CONTENT, "content")                                                                                                                  \
    X(TIME, "time")                                                                                                                        \
    X(DISK, "disk")                                                                                                                        \
    X(MEMORY, "memory")                                                                                                                    \
    X(LIMIT, "limit")                                                                                                                      \
    X(BUSY, "busy")                                                                                                                        \
    X(CUT_OFF, "cut_off")                                                                                                                  \
    X(SLOW, "slow")                                                                                                                        \
    X(INTERNAL, "internal")

enum refusal {
    STORED,
    DUPLICATE,
#define COUNTERS_ENUM(name, word) REFUSED_##name,
    COUNTERS_REFUSALS(COUNTERS_ENUM)
#undef COUNTERS_ENUM
        REFUSALS
};

/* The protocol by which a recording was received, with its name in /metrics. */
#define COUNTERS_PROTOCOLS(X)                                                                                                              \
    X(RECORDINGS, "recordings")                                                                                                            \
    X(INGEST, "ingest") X(PUSH, "push") X(OTLP, "otlp") X(PULL, "pull") X(FORWARDED, "forwarded") X(ARRIVAL, "arrivals")

enum protocol {
#define COUNTERS_PROTOCOL(name, word) BY_##name,
    COUNTERS_PROTOCOLS(COUNTERS_PROTOCOL)
#undef COUNTERS_PROTOCOL
        PROTOCOLS
};

/* Groups of routes, with their names in /metrics. */
#define COUNTERS_GROUPS(X) X(SEND, "send") X(QUERY, "query") X(CALL, "call") X(PAGE, "page") X(OTHER, "other")

enum route_group {
#define COUNTERS_GROUP(name, word) GROUP_##name,
    COUNTERS_GROUPS(COUNTERS_GROUP)
#undef COUNTERS_GROUP
        GROUPS
};

/* An example of what a counter counts, for OpenMetrics. */
enum { COUNTERS_ID = 33 };
struct counters_exemplar {
    char id[COUNTERS_ID]; /* of a trace, or of a recording; "" = there is none */
    double value;
    int64_t at_ms;
};

/* What became of samples that are sent by remote write, and how many requests failed or wait. */
enum remote_count { REMOTE_SENT, REMOTE_DROPPED_QUEUE, REMOTE_DROPPED_REFUSED, REMOTE_FAILED, REMOTE_WAITING, REMOTE_COUNTS };

/* The requests of a group by how long they took, from their head to the last byte of the answer. A request is in the first bucket whose
 * limit it does not exceed; the last bucket has none. */
enum { COUNTERS_BUCKETS = 9 };
struct latencies {
    uint64_t buckets[COUNTERS_BUCKETS], sum_ns;
    struct counters_exemplar exemplars[COUNTERS_BUCKETS]; /* the latest requests of known traces */
};
extern const uint64_t counters_limits_ns[COUNTERS_BUCKETS - 1];

/* What happened to connections, and to bytes that are no request. */
enum connection_event {
    CONNECTION_ACCEPTED,
    CONNECTION_CLOSED, /* an accepted connection was closed */
    CONNECTION_TOO_MANY,
    CONNECTION_TOO_MANY_OF_ONE,
    CONNECTION_SLOW_HANDSHAKE,
    CONNECTION_SLOW_HEAD,
    CONNECTION_SLOW_BODY,
    CONNECTION_SLOW_READER,
    CONNECTION_MALFORMED,
    CONNECTION_FLOODED,          /* HTTP/2: closed after too many frames that ask for nothing */
    CONNECTION_TOO_MANY_STREAMS, /* HTTP/2: a request beyond the limit for requests at once */
    CONNECTION_EVENTS
};

struct counters {
    pthread_mutex_t lock;
    uint64_t connections[CONNECTION_EVENTS];
    uint64_t received[PROTOCOLS], ended[REFUSALS], bytes;
    uint64_t left_out;                                 /* recordings with data that is not kept for queries */
    uint64_t queries, queries_timed_out, queries_left; /* queries_left: queries whose client has closed the connection */
    uint64_t query_ns;
    struct latencies latencies[GROUPS];
    uint64_t received_bytes, sent_bytes; /* heads and bodies of all requests and answers */
    uint64_t analyze_ns;                 /* CPU time for findings */
    struct counters_exemplar stored;     /* the latest recording that was stored */
    uint64_t remote[REMOTE_COUNTS];
};

extern const char *const counters_names[REFUSALS];
extern const char *const counters_protocols[PROTOCOLS];
extern const char *const counters_groups[GROUPS];

void counters_received(struct counters *c, enum protocol by);
void counters_ended(struct counters *c, enum refusal how, uint64_t bytes);
void counters_left_out(struct counters *c);
void counters_connection(struct counters *c, enum connection_event what);
void counters_query(struct counters *c, uint64_t ns);
/* Counts a request that is over. traceparent: the header of that name (W3C Trace Context); NULL = none. */
void counters_request(struct counters *c, enum route_group group, uint64_t ns, uint64_t received, uint64_t sent, const char *traceparent);
/* Notes the recording that was stored last. */
void counters_stored(struct counters *c, uint64_t recording);
void counters_remote(struct counters *c, enum remote_count what, uint64_t n);
void counters_remote_waiting(struct counters *c, uint64_t requests);
void counters_analyzed(struct counters *c, uint64_t ns);
/* Counts a query that failed with this code, if it was abandoned. */
void counters_gave_up(struct counters *c, int rc);
/* Returns a consistent copy of all counters. */
struct counters counters_read(struct counters *c);

#endif
