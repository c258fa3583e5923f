/* Counters of the server since its start. Any thread. Each incoming recording ends in exactly one place:
 *
 *     received = stored + duplicates + the sum of refused + those on their way */
#ifndef CANDOR_SERVER_REQUEST_COUNTERS_H
#define CANDOR_SERVER_REQUEST_COUNTERS_H

#include <pthread.h>
#include <stdint.h>

/* Why a recording was refused: the name in /metrics. */
#define COUNTERS_REFUSALS(X)                                                                                                               \
    X(NOT_ALLOWED, "not_allowed")                                                                                                          \
    X(LABELS, "labels")                                                                                                                    \
    X(TOO_LARGE, "too_large")                                                                                                              \
    X(FORMAT, "format")                                                                                                                    \
    X(CONTENT, "content")                                                                                                                  \
    X(TIME, "time")                                                                                                                        \
    X(DISK, "disk")                                                                                                                        \
    X(MEMORY, "memory")                                                                                                                    \
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

/* How a recording came: the name in /metrics. */
#define COUNTERS_PROTOCOLS(X) X(RECORDINGS, "recordings") X(INGEST, "ingest") X(PUSH, "push") X(OTLP, "otlp")

enum protocol {
#define COUNTERS_PROTOCOL(name, word) BY_##name,
    COUNTERS_PROTOCOLS(COUNTERS_PROTOCOL)
#undef COUNTERS_PROTOCOL
        PROTOCOLS
};

/* What becomes of connections, and of requests that are none. */
enum connection_event {
    CONNECTION_ACCEPTED,
    CONNECTION_CLOSED, /* of those */
    CONNECTION_TOO_MANY,
    CONNECTION_TOO_MANY_OF_ONE,
    CONNECTION_SLOW_HANDSHAKE,
    CONNECTION_SLOW_HEAD,
    CONNECTION_SLOW_BODY,
    CONNECTION_SLOW_READER,
    CONNECTION_MALFORMED,
    CONNECTION_EVENTS
};

struct counters {
    pthread_mutex_t lock;
    uint64_t connections[CONNECTION_EVENTS];
    uint64_t received[PROTOCOLS], ended[REFUSALS], bytes;
    uint64_t left_out;                                 /* recordings of which something is not kept for queries */
    uint64_t queries, queries_timed_out, queries_left; /* left: their clients were gone */
    uint64_t query_ns;
};

extern const char *const counters_names[REFUSALS];
extern const char *const counters_protocols[PROTOCOLS];

void counters_received(struct counters *c, enum protocol by);
void counters_ended(struct counters *c, enum refusal how, uint64_t bytes);
void counters_left_out(struct counters *c);
void counters_connection(struct counters *c, enum connection_event what);
void counters_query(struct counters *c, uint64_t ns);
/* Call it when a query has failed with this code. It counts queries that were abandoned. */
void counters_gave_up(struct counters *c, int rc);
/* A consistent copy of all counters. */
struct counters counters_read(struct counters *c);

#endif
