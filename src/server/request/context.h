/* The state that all of the server shares: its options, its store, and the permissions. */
#ifndef CANDOR_SERVER_REQUEST_CONTEXT_H
#define CANDOR_SERVER_REQUEST_CONTEXT_H

#include "server/request/counters.h"
#include "server/request/stop.h"
#include "server/access/tokens.h"
#include "server/access/turns.h"
#include "store/store.h"

#include <stdatomic.h>

/* The limits that may change while the server runs, with their options. The first eight are those of struct store_limits. profile_bytes,
 * profile_samples, symbol_bytes, stack_frames: limits for a profile that is pushed, as Pyroscope has them; labels, label_name, label_value:
 * how many labels a recording has, and the bytes of each; nodes, nodes_most: those of a flame graph that Pyroscope's clients ask for;
 * query_s: the longest time that a query may ask for; 0 = none of these limits. connections and connections_of_one are for all addresses
 * together, and for one. send_wait_ns: how long a recording may wait for a thread before it is refused. patience_ns: how long to wait for a
 * whole head, and between two packets of a body or an answer. analyze_ppm: the share of one processor that findings may take, in
 * millionths; 0 = none are looked for. resolve_s: a finding that was not seen for this time is resolved. requests_per_second to
 * values_per_day are the defaults of access/quotas.h; 0 = none. remote_interval_s: how often metrics are sent. top_methods: how many
 * methods of a service are metrics. */
#define SERVER_LIMITS(X)                                                                                                                   \
    X(retain_s, "retain")                                                                                                                  \
    X(retain_raw_s, "retain-recordings")                                                                                                   \
    X(retain_hours_s, "retain-hours")                                                                                                      \
    X(retain_days_s, "retain-days")                                                                                                        \
    X(max_disk, "max-disk")                                                                                                                \
    X(max_raw, "max-recordings")                                                                                                           \
    X(max_service, "max-disk-per-service")                                                                                                 \
    X(memory, "dictionary-memory")                                                                                                         \
    X(max_body, "max-body")                                                                                                                \
    X(max_answer, "max-answer")                                                                                                            \
    X(profile_bytes, "max-profile")                                                                                                        \
    X(profile_samples, "max-profile-samples")                                                                                              \
    X(symbol_bytes, "max-symbol-length")                                                                                                   \
    X(stack_frames, "max-stack-depth")                                                                                                     \
    X(labels, "max-labels")                                                                                                                \
    X(label_name, "max-label-name")                                                                                                        \
    X(label_value, "max-label-value")                                                                                                      \
    X(nodes, "flamegraph-nodes")                                                                                                           \
    X(nodes_most, "max-flamegraph-nodes")                                                                                                  \
    X(query_s, "max-query-length")                                                                                                         \
    X(connections, "max-connections")                                                                                                      \
    X(connections_of_one, "max-connections-per-address")                                                                                   \
    X(send_wait_ns, "max-send-wait")                                                                                                       \
    X(patience_ns, "client-timeout")                                                                                                       \
    X(analyze_ppm, "analyze-cpu")                                                                                                          \
    X(resolve_s, "resolve-after")                                                                                                          \
    X(requests_per_second, "max-requests-per-second")                                                                                      \
    X(bytes_per_second, "max-bytes-per-second")                                                                                            \
    X(burst_bytes, "max-burst-bytes")                                                                                                      \
    X(bytes_per_minute, "max-bytes-per-minute")                                                                                            \
    X(bytes_per_hour, "max-bytes-per-hour")                                                                                                \
    X(series_per_day, "max-series-per-day")                                                                                                \
    X(values_per_day, "max-label-values-per-day")                                                                                          \
    X(remote_interval_s, "remote-write-interval")                                                                                          \
    X(top_methods, "top-methods")

/* The other options. They need a restart. listen: as it was given, before it was split into addresses. token_file: NULL = no tokens.
 * no_auth: NULL, or "". origin: the address that browsers see behind a proxy; NULL = none. certificate, key: files; NULL = plain HTTP.
 * access_log, audit_log: NULL = none. alerts: the file with rules of alerts; NULL = none. pull: the file with
 * programs whose profiles are fetched; NULL = none. proxy_*: people.h; NULL = no proxy. client_ca:
 * the certificates that sign those of clients; NULL = clients are not asked for certificates.
 * remote_write: the URL that metrics are sent to; NULL = none. remote_protocol, remote_token, remote_ca: its version (NULL = 1.0), and
 * files; NULL = none. store: "clickhouse:URL", where the rows of recordings are; NULL = in files of `data`. store_user: NULL = default;
 * store_password, store_ca: files; NULL = none, the system's. weights: NULL, "exact" or "rounded". trace_link: the address of a trace in a
 * tracing system (base/text/trace_link.h); NULL = none. cold: where recordings become objects; NULL = nowhere. cold_take_over: NULL, or "".
 * s3_*: as in struct s3_options of store/objects/s3.h. forward: URLs of other servers, with commas; NULL = none. forward_token,
 * forward_ca: files; NULL = none, the system's. receive_only: NULL, or "". arrivals: where receivers leave recordings; NULL = nowhere.
 * keeper: where servers agree which one is the keeper; NULL = this one is alone. */
#define SERVER_TEXTS(X)                                                                                                                    \
    X(listen, "listen")                                                                                                                    \
    X(data, "data")                                                                                                                        \
    X(store, "store")                                                                                                                      \
    X(store_user, "store-user")                                                                                                            \
    X(store_password, "store-password-file")                                                                                               \
    X(store_ca, "store-ca")                                                                                                                \
    X(weights, "weights")                                                                                                                  \
    X(cold, "cold")                                                                                                                        \
    X(cold_after, "cold-after")                                                                                                            \
    X(cold_cache, "cold-cache")                                                                                                            \
    X(cold_take_over, "cold-take-over")                                                                                                    \
    X(s3_endpoint, "s3-endpoint")                                                                                                          \
    X(s3_region, "s3-region")                                                                                                              \
    X(s3_credentials, "s3-credentials")                                                                                                    \
    X(s3_ca, "s3-ca")                                                                                                                      \
    X(token_file, "token-file")                                                                                                            \
    X(no_auth, "no-auth")                                                                                                                  \
    X(origin, "origin")                                                                                                                    \
    X(certificate, "tls-cert")                                                                                                             \
    X(access_log, "access-log")                                                                                                            \
    X(audit_log, "audit-log")                                                                                                              \
    X(key, "tls-key")                                                                                                                      \
    X(unpacked, "max-unpacked")                                                                                                            \
    X(alerts, "alerts")                                                                                                                    \
    X(pull, "pull")                                                                                                                        \
    X(proxy_user_header, "proxy-user-header")                                                                                              \
    X(proxy_groups_header, "proxy-groups-header")                                                                                          \
    X(proxy_from, "proxy-from")                                                                                                            \
    X(client_ca, "tls-client-ca")                                                                                                          \
    X(remote_write, "remote-write")                                                                                                        \
    X(remote_protocol, "remote-write-protocol")                                                                                            \
    X(remote_token, "remote-write-token-file")                                                                                             \
    X(remote_ca, "remote-write-ca")                                                                                                        \
    X(trace_link, "trace-link")                                                                                                            \
    X(forward, "forward")                                                                                                                  \
    X(forward_token, "forward-token-file")                                                                                                 \
    X(forward_ca, "forward-ca")                                                                                                            \
    X(receive_only, "receive-only")                                                                                                        \
    X(arrivals, "arrivals")                                                                                                                \
    X(keeper, "keeper")

struct arrivals; /* server/forward/arrivals.h */
struct forward;  /* server/forward/forward.h */
struct keeper;   /* server/keeper/keeper.h */
struct alerts;   /* server/alerts/alerts.h */
struct profiles; /* server/profiles/profiles.h */
struct pull;     /* server/pull/pull.h */

#define SERVER_STORE_CLICKHOUSE "clickhouse:" /* `store` begins with it */

enum { SERVER_ADDRESSES_MAX = 8 };

/* Where to listen. host: "" = every address of IPv4. */
struct server_address {
    char host[256], port[8];
};

struct server_options {
#define SERVER_LIMIT(name, option) uint64_t name;
    SERVER_LIMITS(SERVER_LIMIT)
#undef SERVER_LIMIT
#define SERVER_TEXT(name, option) const char *name;
    SERVER_TEXTS(SERVER_TEXT)
#undef SERVER_TEXT
    struct server_address addresses[SERVER_ADDRESSES_MAX]; /* of `listen` */
    uint32_t address_count;
    uint64_t cold_after_ns, cold_cache_bytes; /* of `cold_after` and `cold_cache` */
};

/* Reads the options again, from where they came. `read` returns 0 with options that exist until `release`, or a code with a message in
 * e. */
struct server_source {
    int (*read)(const struct server_source *s, struct server_options *out, void **reading, struct error *e);
    void (*release)(void *reading);
    const void *context;
};

/* The limits in force. One thread sets them, and any thread reads them; each is independent of the others. */
struct server_limits {
#define SERVER_LIMIT(name, option) atomic_uint_fast64_t name;
    SERVER_LIMITS(SERVER_LIMIT)
#undef SERVER_LIMIT
};

enum {
    SERVER_CONNECTIONS = 10000, /* default for this limit, as for the next two */
    SERVER_CONNECTIONS_OF_ONE = 1000,
    SERVER_PATIENCE_S = 30,
    SERVER_SEND_WAIT_S = 5,
    SERVER_HEAD_BYTES = 32 << 10,
    SERVER_RATE = 1024,   /* the least bytes per second of a body and of an answer, once the patience is over */
    SERVER_QUERY_S = 120, /* how long a query may take */
};

/* The last check of whether the server can do its work. */
struct readiness {
    pthread_mutex_t lock; /* protects the other members */
    bool checking;        /* a thread checks now, without the lock */
    uint64_t checked_ns;
    int result;
    struct error problem;
};

struct audit;   /* request/audit.h */
struct journal; /* request/journal.h */

struct server {
    const struct server_options *options; /* those of the start; `limits` has the limits */
    struct server_limits limits;
    struct store *store;       /* NULL with --receive-only */
    struct forward *forward;   /* NULL = nothing is sent on */
    struct arrivals *arrivals; /* NULL = receivers leave nothing in object storage */
    struct keeper *keeper;     /* NULL = this server is alone */
    struct tokens tokens;
    struct quotas *quotas;
    struct counters counters;
    struct journal *journal;
    struct audit *audit; /* NULL = none */
    struct readiness readiness;
    struct stop stop;
    struct profiles *profiles;
    struct alerts *alerts;             /* NULL = there are none */
    struct pull *pull;                 /* NULL = nothing is pulled */
    struct turns readers;              /* of the large recordings that are read at the same time */
    struct turns viewers;              /* of the pages of recordings that are made at the same time */
    atomic_uint_fast64_t viewed_bytes; /* of all recordings that are being sent to be looked at */
    bool loopback; /* listens only on loopback addresses, without tokens: Host must name one of them, localhost, or a name of --origin */
};

#endif
