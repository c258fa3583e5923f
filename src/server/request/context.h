/* Shared by all of the server: its options, its store, the permissions. */
#ifndef CANDOR_SERVER_REQUEST_CONTEXT_H
#define CANDOR_SERVER_REQUEST_CONTEXT_H

#include "server/request/counters.h"
#include "server/request/stop.h"
#include "server/request/tokens.h"
#include "store/store.h"

#include <semaphore.h>

struct server_options {
    const char *host, *port; /* of --listen */
    const char *data;
    uint64_t retain_s, retain_raw_s, max_disk, max_raw, max_service; /* as in struct store_options */
    uint64_t max_body, max_answer;
    uint32_t connections, connections_of_one; /* at most: of all addresses, of one */
    uint64_t patience_ns;                     /* with clients: for a whole head, and between two packets of a body or an answer */
    const char *token_file;                   /* NULL = none */
    bool no_auth;
    const char *origin;            /* of --origin: what browsers see, behind a proxy; NULL = none */
    const char *certificate, *key; /* files; NULL = plain HTTP */
};

enum {
    SERVER_CONNECTIONS = 10000, /* unless options say otherwise, as the next two */
    SERVER_CONNECTIONS_OF_ONE = 1000,
    SERVER_PATIENCE_S = 30,
    SERVER_HEAD_BYTES = 32 << 10,
    SERVER_RATE = 1024,   /* bytes per second of a body and of an answer, once the patience is over */
    SERVER_QUERY_S = 120, /* that a query may take */
};

struct server {
    const struct server_options *options;
    struct store *store;
    struct tokens tokens;
    struct counters counters;
    struct stop stop;
    sem_t readers; /* recordings that are read at once */
    bool loopback; /* and without tokens: only who says so in Host is answered */
};

#endif
