/* The state that all of the server shares: its options, its store, and the permissions. */
#ifndef CANDOR_SERVER_REQUEST_CONTEXT_H
#define CANDOR_SERVER_REQUEST_CONTEXT_H

#include "server/request/counters.h"
#include "server/request/stop.h"
#include "server/request/tokens.h"
#include "store/store.h"

#include <semaphore.h>

struct server_options {
    const char *host, *port; /* from --listen */
    const char *data;
    uint64_t retain_s, retain_raw_s, max_disk, max_raw, max_service; /* as in struct store_options */
    uint64_t max_body, max_answer;
    uint32_t connections, connections_of_one; /* limits: for all addresses together, and for one */
    uint64_t patience_ns;                     /* how long to wait for a whole head, and between two packets of a body or an answer */
    const char *token_file;                   /* NULL = none */
    bool no_auth;
    const char *origin;            /* from --origin: the address that browsers see behind a proxy; NULL = none */
    const char *certificate, *key; /* files; NULL = plain HTTP */
};

enum {
    SERVER_CONNECTIONS = 10000, /* default for this limit, as for the next two */
    SERVER_CONNECTIONS_OF_ONE = 1000,
    SERVER_PATIENCE_S = 30,
    SERVER_HEAD_BYTES = 32 << 10,
    SERVER_RATE = 1024,   /* the least bytes per second of a body and of an answer, once the patience is over */
    SERVER_QUERY_S = 120, /* how long a query may take */
};

struct server {
    const struct server_options *options;
    struct store *store;
    struct tokens tokens;
    struct counters counters;
    struct stop stop;
    sem_t readers; /* limits the recordings that are read at the same time */
    bool loopback; /* listens only on loopback addresses, without tokens: Host must name one of them, localhost, or a name of --origin */
};

#endif
