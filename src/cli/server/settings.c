#include "cli/server/settings.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "base/ini.h"
#include "base/text/trace_link.h"
#include "profile/profile.h"
#include "server/forward/forward.h"
#include "server/remote/remote_write.h"
#include "server/request/origin.h"
#include "server/request/people.h"
#include "store/objects/s3.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DAY_NS          (86400 * NS_PER_S)
#define HOUR_NS         (3600 * NS_PER_S)
#define ANALYZE_PERCENT 2.0

enum { REMOTE_INTERVAL_S = 60, TOP_METHODS_MAX = 100 };

/* ---- kinds of values ---- */

static int read_size(const struct cli_args *args, const char *name, uint64_t otherwise, uint64_t *bytes, struct error *e)
{
    const char *text = cli_option(args, name);
    *bytes = otherwise;
    if (text && (units_parse_size(text, bytes) || !*bytes))
        return error_set(e, -EINVAL, "--%s must be a size like 500M or 20G, not '%.60s'", name, text);
    return 0;
}

/* Reads a size, or a share of `whole` such as "20%". 0 if the option is not given. */
static int read_share(const struct cli_args *args, const char *name, uint64_t whole, uint64_t *bytes, struct error *e)
{
    const char *text = cli_option(args, name);
    const char *end = text;
    uint64_t percent;
    *bytes = 0;
    if (!text)
        return 0;
    if (!number_take(&end, 10, 1, 100, &percent) && !strcmp(end, "%"))
        *bytes = whole / 100 * percent;
    else if (units_parse_size(text, bytes))
        *bytes = 0;
    return *bytes ? 0 : error_set(e, -EINVAL, "--%s must be a size like 500M, or a share of --max-disk like 20%%, not '%.60s'", name, text);
}

static int read_time(const struct cli_args *args, const char *name, uint64_t otherwise, uint64_t *ns, struct error *e)
{
    const char *text = cli_option(args, name);
    *ns = otherwise;
    if (text && units_parse_duration(text, ns))
        return error_set(e, -EINVAL, "--%s '%.40s' is not a duration; write it like 10ms or 30s", name, text);
    return 0;
}

static int read_count(const struct cli_args *args, const char *name, uint64_t otherwise, uint64_t *out, struct error *e)
{
    const char *text = cli_option(args, name);
    *out = otherwise;
    if (text && number_parse(text, 0, INT32_MAX, out))
        return error_set(e, -EINVAL, "--%s must be a number, not '%.60s'", name, text);
    return *out ? 0 : error_set(e, -EINVAL, "--%s 0 would refuse everything", name);
}

/* Reads how long sums are kept; 0 = none are made. */
static int read_tier(const struct cli_args *args, const char *name, uint64_t otherwise, uint64_t *ns, struct error *e)
{
    const char *text = cli_option(args, name);
    *ns = 0;
    return text && !strcmp(text, "0") ? 0 : read_time(args, name, otherwise, ns, e);
}

static bool is_none(const struct cli_args *args, const char *name)
{
    const char *text = cli_option(args, name);
    return text && !strcmp(text, "none");
}

/* Reads a number from `least` to `most`. or_none: `none` is 0. */
static int read_number(const struct cli_args *args, const char *name, uint64_t otherwise, uint64_t least, uint64_t most, bool or_none,
                       uint64_t *out, struct error *e)
{
    const char *text = cli_option(args, name);
    *out = otherwise;
    if (or_none && is_none(args, name))
        *out = 0;
    else if (text && number_parse(text, least, most, out))
        return error_set(e, -EINVAL, "--%s must be a number from %" PRIu64 " to %" PRIu64 "%s, not '%.60s'", name, least, most,
                         or_none ? ", or none" : "", text);
    return 0;
}

/* Reads the limits for labels, names, stacks and graphs that a Pyroscope server has, with its defaults. */
static int read_shapes(const struct cli_args *args, struct server_options *o, struct error *e)
{
    int rc = read_number(args, "max-symbol-length", 65535, 64, INT32_MAX, true, &o->symbol_bytes, e);
    rc = rc ? rc : read_number(args, "max-stack-depth", 1000, 2, PROFILE_DEPTH_MAX, true, &o->stack_frames, e);
    rc = rc ? rc : read_number(args, "max-labels", LABELS_MAX, 1, LABELS_MAX, false, &o->labels, e);
    rc = rc ? rc : read_number(args, "max-label-name", LABEL_NAME_MAX, strlen("service"), LABEL_NAME_MAX, false, &o->label_name, e);
    rc = rc ? rc : read_number(args, "max-label-value", LABEL_VALUE_MAX, 1, LABEL_VALUE_MAX, false, &o->label_value, e);
    rc = rc ? rc : read_number(args, "max-flamegraph-nodes", 1 << 20, 1, INT32_MAX, false, &o->nodes_most, e);
    return rc ? rc : read_number(args, "flamegraph-nodes", 8192, 1, 1 << 20, false, &o->nodes, e);
}

/* Reads the limits of sizes and times that a Pyroscope server has, with its defaults. 0 = none. */
static int read_pyroscope(const struct cli_args *args, struct server_options *o, struct error *e)
{
    uint64_t length = 0;
    bool bounded = cli_option(args, "max-query-length") && !is_none(args, "max-query-length");
    int rc = 0;
    o->profile_bytes = o->profile_samples = 0;
    if (!is_none(args, "max-profile"))
        rc = read_size(args, "max-profile", 4ull << 20, &o->profile_bytes, e);
    if (!rc && !is_none(args, "max-profile-samples"))
        rc = read_count(args, "max-profile-samples", 16000, &o->profile_samples, e);
    if (!rc && bounded)
        rc = read_time(args, "max-query-length", 0, &length, e);
    o->query_s = length / NS_PER_S;
    return !rc && bounded && !o->query_s ? error_set(e, -EINVAL, "--max-query-length must be at least 1s, or none") : rc;
}

static uint64_t longer(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- groups of options ---- */

/* Reads how long data is kept, and how much of it. */
static int read_retention(const struct cli_args *args, struct server_options *o, struct error *e)
{
    uint64_t retain, recordings, hours, days;
    int rc = read_time(args, "retain", 14 * DAY_NS, &retain, e);
    rc = rc ? rc : read_time(args, "retain-recordings", 0, &recordings, e);
    rc = rc ? rc : read_tier(args, "retain-hours", longer(90 * DAY_NS, retain), &hours, e);
    rc = rc ? rc : read_tier(args, "retain-days", longer(395 * DAY_NS, hours), &days, e);
    rc = rc ? rc : read_size(args, "max-disk", 10ull << 30, &o->max_disk, e);
    rc = rc ? rc : read_share(args, "max-recordings", o->max_disk, &o->max_raw, e);
    rc = rc ? rc : read_share(args, "max-disk-per-service", o->max_disk, &o->max_service, e);
    rc = rc ? rc : read_size(args, "dictionary-memory", 512ull << 20, &o->memory, e);
    if (rc)
        return rc;
    o->retain_s = retain / NS_PER_S;
    o->retain_raw_s = recordings / NS_PER_S;
    if (o->retain_s < 60)
        return error_set(e, -EINVAL, "--retain below 1m keeps nothing");
    if (hours && hours < retain)
        return error_set(e, -EINVAL, "--retain-hours must be at least --retain, or 0");
    if (hours && days < hours)
        return error_set(e, -EINVAL, "--retain-days must be at least --retain-hours");
    o->retain_hours_s = hours / NS_PER_S;
    o->retain_days_s = days / NS_PER_S;
    return 0;
}

static int read_limits(const struct cli_args *args, struct server_options *o, struct error *e)
{
    int rc = read_size(args, "max-body", 64ull << 20, &o->max_body, e);
    rc = rc ? rc : read_size(args, "max-answer", 256ull << 20, &o->max_answer, e);
    rc = rc ? rc : read_count(args, "max-connections", SERVER_CONNECTIONS, &o->connections, e);
    rc = rc ? rc : read_count(args, "max-connections-per-address", SERVER_CONNECTIONS_OF_ONE, &o->connections_of_one, e);
    rc = rc ? rc : read_time(args, "max-send-wait", SERVER_SEND_WAIT_S * NS_PER_S, &o->send_wait_ns, e);
    rc = rc ? rc : read_time(args, "client-timeout", SERVER_PATIENCE_S * NS_PER_S, &o->patience_ns, e);
    if (!rc && !o->send_wait_ns)
        rc = error_set(e, -EINVAL, "--max-send-wait must be more than 0: each recording waits for a moment");
    if (!rc && o->patience_ns < NS_PER_S)
        rc = error_set(e, -EINVAL, "--client-timeout below 1s leaves clients no time");
    return rc;
}

/* Reads the default limits, for tokens whose lines in --token-file do not set them. */
static int read_quotas(const struct cli_args *args, struct server_options *o, struct error *e)
{
    uint64_t *const defaults[QUOTAS] = {&o->requests_per_second, &o->bytes_per_second, &o->burst_bytes,   &o->bytes_per_minute,
                                        &o->bytes_per_hour,      &o->series_per_day,   &o->values_per_day};
    for (enum quota i = 0; i < QUOTAS; i++) {
        const char *text = cli_option(args, quotas_option(i));
        if (text && quotas_parse(i, text, defaults[i]))
            return error_set(e, -EINVAL, "--%s must be a number above 0, for bytes a size like 500M, or none; not '%.60s'",
                             quotas_option(i), text);
    }
    return 0;
}

/* Reads how recordings are judged. */
static int read_analysis(const struct cli_args *args, struct server_options *o, struct error *e)
{
    const char *text = cli_option(args, "analyze-cpu"), *end = text;
    double percent = ANALYZE_PERCENT;
    uint64_t resolve;
    if (text && (number_take_real(&end, 0, 100, &percent) || (strcmp(end, "%") && (*end || percent > 0))))
        return error_set(e, -EINVAL, "--analyze-cpu must be a share of one processor like 2%%, or 0, not '%.60s'", text);
    int rc = read_time(args, "resolve-after", DAY_NS, &resolve, e);
    o->analyze_ppm = (uint64_t)(percent * 10000 + 0.5);
    o->resolve_s = resolve / NS_PER_S;
    return rc;
}

/* Reads which metrics there are, and how often they are sent. */
static int read_metrics(const struct cli_args *args, struct server_options *o, struct error *e)
{
    const char *methods = cli_option(args, "top-methods");
    uint64_t interval;
    int rc = read_time(args, "remote-write-interval", REMOTE_INTERVAL_S * NS_PER_S, &interval, e);
    o->remote_interval_s = interval / NS_PER_S;
    if (!rc && !o->remote_interval_s)
        rc = error_set(e, -EINVAL, "--remote-write-interval must be at least 1s");
    if (!rc && methods && number_parse(methods, 0, TOP_METHODS_MAX, &o->top_methods))
        rc = error_set(e, -EINVAL, "--top-methods must be a number from 0 to %d, not '%.60s'", TOP_METHODS_MAX, methods);
    return rc;
}

/* Reads an address of n bytes: "HOST:PORT", "[::1]:PORT" or ":PORT". */
static int read_address(struct server_address *out, const char *text, size_t n, struct error *e)
{
    const char *colon = memrchr(text, ':', n), *host = text;
    size_t host_len = colon ? (size_t)(colon - text) : 0;
    uint64_t port;
    if (host_len > 1 && *host == '[' && host[host_len - 1] == ']') {
        host++;
        host_len -= 2;
    }
    if (!colon || host_len >= sizeof out->host || (size_t)(text + n - colon) > sizeof out->port)
        return error_set(e, -EINVAL, "--listen '%.*s' is not HOST:PORT", (int)(n < 60 ? n : 60), text);
    snprintf(out->host, sizeof out->host, "%.*s", (int)host_len, host);
    snprintf(out->port, sizeof out->port, "%.*s", (int)(text + n - colon - 1), colon + 1);
    if (number_parse(out->port, 0, UINT16_MAX, &port))
        return error_set(e, -EINVAL, "--listen '%.*s' is not HOST:PORT", (int)(n < 60 ? n : 60), text);
    return 0;
}

/* Reads the addresses, with commas between them. */
static int read_listen(struct settings *s, const struct cli_args *args, struct error *e)
{
    struct server_options *o = &s->options;
    const char *text = cli_option(args, "listen");
    o->listen = text ? text : "127.0.0.1:4041";
    o->address_count = 0;
    for (const char *at = o->listen;; at++) {
        size_t n = strcspn(at, ",");
        if (o->address_count == SERVER_ADDRESSES_MAX)
            return error_set(e, -EINVAL, "--listen has more than %d addresses", SERVER_ADDRESSES_MAX);
        int rc = read_address(&o->addresses[o->address_count++], at, n, e);
        at += n;
        if (rc || !*at)
            return rc;
    }
}

static int read_texts(struct settings *s, const struct cli_args *args, struct error *e)
{
    struct server_options *o = &s->options;
#define READ(name, option)                                                                                                                 \
    if (strcmp(option, "listen"))                                                                                                          \
        o->name = cli_option(args, option);
    SERVER_TEXTS(READ)
#undef READ
    if (o->data && !*o->data)
        return error_set(e, -EINVAL, "--data is empty");
    if (o->store && strncmp(o->store, SERVER_STORE_CLICKHOUSE, strlen(SERVER_STORE_CLICKHOUSE)))
        return error_set(e, -EINVAL, "--store must be like clickhouse:http://localhost:8123/candor, not '%.100s'", o->store);
    if (o->weights && strcmp(o->weights, "exact") && strcmp(o->weights, "rounded"))
        return error_set(e, -EINVAL, "--weights must be exact or rounded, not '%.20s'", o->weights);
    int rc = remote_write_check(o, e);
    rc = rc || !o->forward ? rc : forward_check(o->forward, e);
    rc = rc || !o->trace_link ? rc : trace_link_check(o->trace_link, e);
    rc = rc || !o->origin ? rc : origin_check(o->origin, e);
    return rc || !o->proxy_from ? rc : people_check_from(o->proxy_from, e);
}

/* Reads what is about object storage: where recordings become objects, and when; where they arrive; where servers agree. */
static int read_objects(const struct cli_args *args, struct server_options *o, struct error *e)
{
    int rc = read_time(args, "cold-after", HOUR_NS, &o->cold_after_ns, e);
    rc = rc ? rc : read_size(args, "cold-cache", 1ull << 30, &o->cold_cache_bytes, e);
    static const char *const places[] = {"cold", "arrivals", "keeper"};
    for (size_t i = 0; !rc && i < sizeof places / sizeof *places; i++) {
        const char *url = cli_option(args, places[i]);
        if (url && !s3_is_url(url))
            rc = error_set(e, -EINVAL, "--%s must be like s3://BUCKET/PREFIX, not '%.100s'", places[i], url);
    }
    return rc;
}

/* Reads every option, and checks it by itself. */
static int read_each(struct settings *s, const struct cli_args *args, struct error *e)
{
    int rc = read_retention(args, &s->options, e);
    rc = rc ? rc : read_limits(args, &s->options, e);
    rc = rc ? rc : read_pyroscope(args, &s->options, e);
    rc = rc ? rc : read_shapes(args, &s->options, e);
    rc = rc ? rc : read_quotas(args, &s->options, e);
    rc = rc ? rc : read_analysis(args, &s->options, e);
    rc = rc ? rc : read_metrics(args, &s->options, e);
    rc = rc ? rc : read_texts(s, args, e);
    rc = rc ? rc : read_objects(args, &s->options, e);
    rc = rc ? rc : read_listen(s, args, e);
    return rc ? rc : read_size(args, "max-unpacked", 1ull << 30, &s->unpacked, e);
}

/* Checks that the options about clients go together. */
static int check_clients(const struct server_options *o, struct error *e)
{
    bool people = o->proxy_user_header || o->proxy_from;
    if (!o->proxy_user_header != !o->proxy_from)
        return error_set(e, -EINVAL, "--proxy-user-header and --proxy-from go together");
    if (o->proxy_groups_header && !people)
        return error_set(e, -EINVAL, "--proxy-groups-header needs --proxy-user-header and --proxy-from");
    if (o->client_ca && !o->certificate)
        return error_set(e, -EINVAL, "--tls-client-ca needs --tls-cert and --tls-key");
    if ((people || o->client_ca) && !o->token_file)
        return error_set(e, -EINVAL, "%s needs --token-file, which says what the clients may do",
                         people ? "--proxy-user-header" : "--tls-client-ca");
    if (!o->token_file && (o->requests_per_second || o->bytes_per_second || o->burst_bytes || o->bytes_per_minute || o->bytes_per_hour ||
                           o->series_per_day || o->values_per_day))
        return error_set(e, -EINVAL, "a limit of tokens, such as --max-bytes-per-hour, needs --token-file");
    return 0;
}

/* Checks that the options about other servers go together. */
static int check_forward(const struct server_options *o, struct error *e)
{
    const char *const others[][2] = {
        {o->store, "store"},  {o->cold, "cold"}, {o->alerts, "alerts"}, {o->pull, "pull"}, {o->remote_write, "remote-write"},
        {o->keeper, "keeper"}};
    if (!o->forward && (o->forward_token || o->forward_ca))
        return error_set(e, -EINVAL, "--forward-token-file and --forward-ca need --forward");
    if (o->receive_only && !o->forward == !o->arrivals)
        return error_set(e, -EINVAL, "--receive-only needs --forward or --arrivals, and not both");
    if (o->arrivals && o->keeper && !o->forward)
        return error_set(e, -EINVAL, "--arrivals with --keeper needs --forward: the keeper sends what it takes over to the other servers");
    for (size_t i = 0; o->receive_only && i < sizeof others / sizeof *others; i++)
        if (others[i][0])
            return error_set(e, -EINVAL, "--receive-only keeps nothing: give --%s to the server to which it forwards", others[i][1]);
    return 0;
}

/* Checks that the options go together. */
static int check_together(const struct server_options *o, bool raw_set, struct error *e)
{
    if (raw_set && (o->retain_raw_s < 60 || o->retain_raw_s > o->retain_s))
        return error_set(e, -EINVAL, "--retain-recordings must be at least 1m, and at most --retain");
    if (!o->store && (o->store_user || o->store_password || o->store_ca))
        return error_set(e, -EINVAL, "--store-user, --store-password-file and --store-ca need --store");
    if (!o->cold && (o->cold_after || o->cold_cache || o->cold_take_over))
        return error_set(e, -EINVAL, "--cold-after, --cold-cache and --cold-take-over need --cold");
    if (!o->certificate != !o->key)
        return error_set(e, -EINVAL, "--tls-cert and --tls-key go together");
    if (o->no_auth && o->token_file)
        return error_set(e, -EINVAL, "--no-auth and --token-file exclude each other");
    int rc = check_forward(o, e);
    return rc ? rc : check_clients(o, e);
}

/* ---- the file ---- */

static int row_of(const struct cli_command *command, const char *name)
{
    static const char *const line_only[] = {"config", "new-token", "check",      "check-alerts", "check-pull",
                                            "backup", "restore",   "copy-store", "copy-cold"}; /* what to do, not how */
    for (size_t i = 0; i < sizeof line_only / sizeof *line_only; i++)
        if (!strcmp(name, line_only[i]))
            return -1;
    for (int i = 0; command->options[i].name; i++)
        if (!strcmp(name, command->options[i].name))
            return i;
    return -1;
}

static const char *name_at(const void *context, size_t i)
{
    return ((const struct cli_option *)context)[i].name;
}

static int unknown(const struct cli_command *command, const char *name, struct error *e)
{
    const char *near = cli_nearest(name, name_at, command->options);
    if (!near || row_of(command, near) < 0)
        return error_set(e, -EINVAL, "'%.60s' is not an option that a file may have", name);
    return error_set(e, -EINVAL, "no option '%.60s'; did you mean '%s'?", name, near);
}

/* Takes a line of the file, and checks its value as if it was the only option. */
static int take(void *settings, const char *section, const char *name, const char *value, struct error *e)
{
    struct settings *s = settings, one = {.args = {.command = s->args.command}};
    int row = name ? row_of(s->args.command, name) : -1;
    if (!name)
        return error_set(e, -EINVAL, "no section [%.60s] here: write NAME = VALUE", section);
    if (row < 0)
        return unknown(s->args.command, name, e);
    if (s->texts[row])
        return error_set(e, -EINVAL, "--%s is given twice", name);
    bool is_switch = !s->args.command->options[row].value, no = !strcmp(value, "no");
    if (is_switch && !no && strcmp(value, "yes"))
        return error_set(e, -EINVAL, "--%s must be yes or no, not '%.60s'", name, value);
    s->texts[row] = strdup(is_switch ? "" : value);
    if (!s->texts[row])
        return error_set(e, -ENOMEM, "out of memory");
    if (!is_switch || !no)
        one.args.values[row] = s->texts[row];
    int rc = read_each(&one, &one.args, e);
    if (!rc && !s->args.values[row])
        s->args.values[row] = one.args.values[row];
    return rc;
}

/* ---- all ---- */

/* Finds the default folder, ~/.local/share/candor/server, and creates it with the folders above it. */
static int default_data(char *path, size_t size, struct error *e)
{
    const char *share = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if ((!share || !*share) && (!home || !*home))
        return error_set(e, -EINVAL, "neither HOME nor XDG_DATA_HOME is set: give the folder with --data");
    snprintf(path, size, "%s%s/candor/server", share && *share ? share : home, share && *share ? "" : "/.local/share");
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    return 0;
}

struct settings *settings_new(void)
{
    return calloc(1, sizeof(struct settings));
}

void settings_free(void *settings)
{
    struct settings *s = settings;
    for (int i = 0; s && i < CLI_OPTIONS_MAX; i++)
        free(s->texts[i]);
    free(s);
}

int settings_read(struct settings *s, const struct cli_args *line, struct error *e)
{
    const char *file = cli_option(line, "config");
    s->args = *line;
    int rc = file ? ini_read(file, take, s, e) : 0;
    rc = rc ? rc : read_each(s, &s->args, e);
    rc = rc ? rc : check_together(&s->options, cli_option(&s->args, "retain-recordings") != NULL, e);
    if (!rc && !s->options.data)
        rc = default_data(s->data, sizeof s->data, e);
    s->options.data = s->options.data ? s->options.data : s->data;
    return rc;
}
