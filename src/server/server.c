#include "server/server.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "server/alerts/alerts.h"
#include "server/answers/storage.h"
#include "server/arrivals/take.h"
#include "server/fleet/judge.h"
#include "server/forward/forward.h"
#include "server/front/listen.h"
#include "server/keeper/keeper.h"
#include "server/load.h"
#include "server/profiles/profiles.h"
#include "server/pull/pull.h"
#include "server/reload.h"
#include "server/logs/audit.h"
#include "server/logs/journal.h"
#include "server/logs/tell.h"
#include "server/remote/remote_write.h"
#include "store/objects/objects_backup.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAINTAIN_S = 10, MAINTAIN_SOON_S = 2, REREAD_WAIT_S = 10 };

/* stop: NULL, or a flag; once it is set, the store's work ends soon. */
static struct store_options options_of(const struct server_options *o, const atomic_bool *stop)
{
    return (struct store_options){.path = o->data,
                                  .limits = reload_store_limits(o),
                                  .load = load_recording,
                                  .round_weights = o->weights && !strcmp(o->weights, "rounded"),
                                  .clickhouse = o->store ? o->store + strlen(SERVER_STORE_CLICKHOUSE) : NULL,
                                  .clickhouse_user = o->store_user,
                                  .clickhouse_password_file = o->store_password,
                                  .clickhouse_ca = o->store_ca,
                                  .cold = o->cold,
                                  .cold_after_ns = o->cold_after_ns,
                                  .cold_cache = o->cold_cache_bytes,
                                  .cold_take_over = o->cold_take_over != NULL,
                                  .s3_endpoint = o->s3_endpoint,
                                  .s3_region = o->s3_region,
                                  .s3_credentials = o->s3_credentials,
                                  .s3_ca = o->s3_ca,
                                  .tell = tell_line,
                                  .stop = stop};
}

/* stop: NULL = a command that needs all recordings, which waits until they are read again if the catalog was lost. */
static int open_store(struct store **store, const struct server_options *o, const atomic_bool *stop, struct error *e)
{
    struct store_options options = options_of(o, stop);
    options.reread_wait_ns = stop ? REREAD_WAIT_S * NS_PER_S : 0;
    return store_open(store, &options, e);
}

static bool is_loopback(const char *host)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    bool loopback = *host && !getaddrinfo(host, NULL, &hints, &list);
    for (struct addrinfo *a = list; a; a = a->ai_next) {
        const uint8_t *v4 = a->ai_family == AF_INET ? (const uint8_t *)&((struct sockaddr_in *)(void *)a->ai_addr)->sin_addr : NULL;
        const struct in6_addr *v6 = a->ai_family == AF_INET6 ? &((struct sockaddr_in6 *)(void *)a->ai_addr)->sin6_addr : NULL;
        loopback = loopback && ((v4 && *v4 == 127) || (v6 && IN6_IS_ADDR_LOOPBACK(v6)));
    }
    if (list)
        freeaddrinfo(list);
    return loopback;
}

static int check_access(struct server *s, struct error *e)
{
    const struct server_options *o = s->options;
    s->loopback = !o->token_file && !o->no_auth;
    if (o->token_file)
        return tokens_read(&s->tokens, o->token_file, e);
    for (uint32_t i = 0; i < o->address_count && !o->no_auth; i++)
        if (!is_loopback(o->addresses[i].host))
            return error_set(e, -EPERM, "--listen %s:%s is open to others: give --token-file (and --tls-cert, --tls-key), or say --no-auth",
                             o->addresses[i].host, o->addresses[i].port);
    return 0;
}

static void put_deleted(struct buffer *text, uint64_t before, uint64_t after, const char *what, enum store_why why)
{
    if (after > before)
        buffer_printf(text, "%s%" PRIu64 " %s (%s)", text->len ? ", " : "", after - before, what, storage_reasons[why]);
}

/* Maintains the store, and notes in the audit log what it has deleted. Returns after how many seconds to do it again: soon if there was
 * more to merge than fits into its time. */
static unsigned maintain_store(struct server *s)
{
    struct buffer text;
    struct store_deleted before = store_deleted(s->store);
    bool more = store_maintain(s->store);
    struct store_deleted after = store_deleted(s->store);
    buffer_init(&text, 2048);
    for (int why = 0; why < DELETED_REASONS; why++) {
        put_deleted(&text, before.days[why], after.days[why], "days of services", (enum store_why)why);
        put_deleted(&text, before.raw_files[why], after.raw_files[why], "recordings, whose samples stay", (enum store_why)why);
    }
    buffer_u8(&text, 0);
    if (text.len > 1 && !text.failed)
        audit_event(s->audit, "delete", (const char *)text.data);
    buffer_deinit(&text);
    return more ? MAINTAIN_SOON_S : MAINTAIN_S;
}

/* Maintains the store until a signal requests the end. Meanwhile, reads the configuration again when that is requested. */
static void maintain(struct server *s, struct listener *l, const struct server_source *source)
{
    enum stop_request request = STOP_NOTHING;
    unsigned wait_s = MAINTAIN_S;
    while (request != STOP_END) {
        tell_rest();
        if (request == STOP_RELOAD)
            reload_all(s, l, source, tell_line);
        else if (s->store)
            wait_s = maintain_store(s);
        request = stop_wait(&s->stop, request == STOP_RELOAD ? 0 : wait_s);
    }
}

/* Does what the server does besides answering: it maintains the store, and judges recordings. */
static void work(struct server *s, struct listener *l, const struct server_source *source)
{
    struct judge *judge = NULL;
    struct error e;
    if (s->store && judge_start(&judge, s, &e))
        tell_line(e.text);
    maintain(s, l, source);
    judge_stop(judge);
}

/* Prints where it listens, a line for each address. */
static void print_addresses(const struct server_options *o, const unsigned *ports)
{
    for (uint32_t i = 0; i < o->address_count; i++) {
        char port[8], address[LISTEN_TEXT];
        snprintf(port, sizeof port, "%u", ports[i]);
        listen_write(&o->addresses[i], port, address, sizeof address);
        printf("listening on %s://%s\n", o->certificate ? "https" : "http", address);
    }
    fflush(stdout);
}

/* Serves, and notes the beginning and the end in the audit log. */
static int serve(struct server *s, const struct server_source *source, struct error *e)
{
    struct remote_write *remote = NULL;
    struct listener *l;
    unsigned ports[SERVER_ADDRESSES_MAX];
    int rc = journal_start(&s->journal, s->options->access_log, tell_line, e);
    rc = rc ? rc : listen_start(&l, s, ports, tell_line, e);
    if (!rc) {
        audit_event(s->audit, "start", "candor server " CANDOR_VERSION);
        print_addresses(s->options, ports);
        rc = s->options->remote_write ? remote_write_start(&remote, s, *ports, tell_line, e) : 0;
        if (!rc)
            work(s, l, source);
        remote_write_stop(remote);
        listen_stop(l);
        audit_event(s->audit, "stop", "candor server " CANDOR_VERSION);
    }
    journal_stop(s->journal);
    return rc;
}

/* Serves, with alerts if there are rules, and pulls if there are targets. */
static int serve_with_all(struct server *s, const struct server_source *source, struct error *e)
{
    struct take *take = NULL;
    int rc = stop_start(&s->stop, tell_line, e); /* before all threads, which then do not get its signals */
    rc = rc || !s->store ? rc : store_start_moving(s->store, e);
    rc = rc ? rc : forward_start(s->forward, e);
    rc = rc ? rc : keeper_start(s->keeper, e);
    rc = rc || !s->store ? rc : profiles_start(&s->profiles, s, tell_line, e);
    if (!rc && s->options->alerts)
        rc = alerts_start(&s->alerts, s, tell_line, e);
    if (!rc && s->options->pull)
        rc = pull_start(&s->pull, s, tell_line, e);
    if (!rc && s->arrivals && s->store)
        rc = take_start(&take, s, s->arrivals, e);
    rc = rc ? rc : serve(s, source, e);
    take_stop(take);
    pull_stop(s->pull);
    alerts_stop(s->alerts);
    profiles_stop(s->profiles);
    return rc;
}

static int open_arrivals(struct server *s, struct error *e)
{
    const struct server_options *o = s->options;
    const struct s3_options s3 = {o->s3_endpoint, o->s3_region, o->s3_credentials, o->s3_ca};
    return o->arrivals ? arrivals_open(&s->arrivals, o->arrivals, &s3, &s->stop.asked, tell_line, e) : 0;
}

static int open_forward(struct server *s, struct error *e)
{
    const struct server_options *o = s->options;
    const struct forward_options options = {.data = o->data,
                                            .urls = o->forward,
                                            .token_file = o->forward_token,
                                            .ca = o->forward_ca,
                                            .receive_only = o->receive_only != NULL,
                                            .arrivals = o->receive_only ? s->arrivals : NULL,
                                            .most = &s->limits.max_disk,
                                            .stop = &s->stop.asked,
                                            .load = load_recording,
                                            .tell = tell_line};
    return forward_open(&s->forward, &options, e);
}

/* Opens what says which server is the keeper. name: where the name of this one is kept. */
static int open_keeper(struct server *s, char name[KEEPER_NAME], struct error *e)
{
    const struct server_options *o = s->options;
    char host[HOST_NAME_MAX + 1] = "";
    if (!o->keeper)
        return 0;
    gethostname(host, sizeof host - 1);
    snprintf(name, KEEPER_NAME, "%s:%s", host, o->addresses[0].port);
    const struct keeper_options options = {
        .url = o->keeper, .s3 = {o->s3_endpoint, o->s3_region, o->s3_credentials, o->s3_ca}, .name = name, .tell = tell_line};
    return keeper_open(&s->keeper, &options, e);
}

/* Opens the store, and serves. Opening may take long. A signal at that time ends the process at once, and the next start continues the
 * repair. */
static int run(struct server *s, const struct server_source *source, struct error *e)
{
    char name[KEEPER_NAME];
    int rc = s->options->receive_only ? 0 : open_store(&s->store, s->options, &s->stop.asked, e);
    if (rc)
        return rc;
    rc = open_arrivals(s, e);
    rc = rc ? rc : open_forward(s, e);
    rc = rc ? rc : open_keeper(s, name, e);
    rc = rc ? rc : serve_with_all(s, source, e);
    keeper_close(s->keeper);
    atomic_store_explicit(&s->stop.asked, true, memory_order_relaxed); /* if it could not serve, requests to other servers end, too */
    forward_close(s->forward);
    arrivals_close(s->arrivals);
    store_close(s->store);
    if (!rc)
        stop_end(&s->stop);
    return rc;
}

int server_run(const struct server_options *o, const struct server_source *source, struct error *e)
{
    sigset_t hangup;
    static struct server s; /* static, because the thread that waits for signals may outlive this function */
    s = (struct server){.options = o};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &hangup, NULL); /* while the store opens; stop_start then begins to receive it */
    reload_limits(&s.limits, o);
    pthread_mutex_init(&s.counters.lock, NULL);
    pthread_mutex_init(&s.readiness.lock, NULL);
    turns_init(&s.readers, (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    turns_init(&s.viewers, ((unsigned)sysconf(_SC_NPROCESSORS_ONLN) + 1) / 2);
    tokens_init(&s.tokens);
    s.quotas = quotas_new();
    int rc = s.quotas ? check_access(&s, e) : error_set(e, -ENOMEM, "out of memory");
    rc = rc ? rc : audit_open(&s.audit, o->audit_log, tell_line, e);
    rc = rc ? rc : run(&s, source, e);
    audit_close(s.audit);
    quotas_free(s.quotas);
    tokens_deinit(&s.tokens);
    return rc;
}

/* ---- check, backup, restore, copy ---- */

struct checking {
    struct store *store;
    uint64_t *ids;
    uint32_t count, cap;
};

static int note_recording(void *context, const struct catalogue_recording *r)
{
    struct checking *c = context;
    if (!r->raw)
        return 0;
    if (ARRAY_GROW(c->ids, c->cap, c->count))
        return -ENOMEM;
    c->ids[c->count++] = r->id;
    return 0;
}

static uint64_t check_recordings(struct checking *c, struct error *e)
{
    uint64_t bad = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        struct envelope v;
        if (store_recording(c->store, c->ids[i], &v, e)) {
            puts(e->text);
            bad++;
        } else {
            envelope_close(&v);
        }
    }
    return bad;
}

/* Checks all segments, and returns the number of damaged files. Every row is read once; store_check puts damaged segments aside. *unread:
 * how many recordings could not be read again after the catalog was lost. */
static uint64_t check_segments(struct store *s, int64_t to, uint64_t *unread, struct error *e)
{
    uint64_t bad = 0;
    struct store_result result;
    int rc = store_check(s, to, &result, e);
    if (rc)
        puts(e->text);
    for (size_t i = 0; i < result.unreadable.len; i++)
        bad += result.unreadable.data[i] == '\n';
    *unread = result.missing.sums[MISSING_REREAD].parts;
    if (result.unreadable.len)
        fwrite(result.unreadable.data, 1, result.unreadable.len, stdout);
    store_result_deinit(&result);
    return bad + (rc != 0);
}

/* Returns options that delete nothing, because the directory's server may have other limits. */
static struct server_options without_limits(const struct server_options *o)
{
    struct server_options all = *o;
    all.retain_s = all.retain_hours_s = all.retain_days_s = UINT64_C(100) * 366 * 86400;
    all.retain_raw_s = all.max_disk = all.max_raw = all.max_service = 0;
    return all;
}

int server_check(const struct server_options *o, uint64_t *bad, struct error *e)
{
    struct checking c = {0};
    struct server_options all = without_limits(o);
    int64_t to = (int64_t)(clock_realtime_ns() / NS_PER_S) + 2 * 86400;
    int rc = open_store(&c.store, &all, NULL, e);
    if (rc)
        return rc;
    rc = catalogue_recordings(store_catalogue(c.store), 0, to, NULL, note_recording, &c, e);
    if (!rc) {
        uint64_t unread;
        *bad = check_recordings(&c, e) + check_segments(c.store, to, &unread, e);
        store_maintain(c.store);
        if (unread)
            rc = error_set(e, -EAGAIN, "%s: %" PRIu64 " recordings are not read again yet; check it again when they can be read", o->data,
                           unread);
    }
    free(c.ids);
    store_close(c.store);
    return rc;
}

/* A backup as objects is a folder beside the data on its way. */
static int open_objects(struct s3 **out, const struct server_options *o, const char *url, const char *end, char folder[DISK_PATH_MAX],
                        struct error *e)
{
    const struct s3_options options = {o->s3_endpoint, o->s3_region, o->s3_credentials, o->s3_ca};
    int rc = disk_beside(folder, DISK_PATH_MAX / 2, o->data, end, e);
    rc = rc ? rc : s3_open(out, url, &options, NULL, e);
    if (!rc && objects_remove_folder(folder)) /* of a command that was killed */
        rc = error_set(e, -EEXIST, "%s: is in the way, and cannot be removed", folder);
    return rc;
}

static int restore_objects(const struct server_options *o, const char *url, struct error *e)
{
    struct s3 *objects = NULL;
    char folder[DISK_PATH_MAX];
    int rc = open_objects(&objects, o, url, "fetched", folder, e);
    if (!rc) {
        rc = objects_restore(objects, folder, e);
        rc = rc ? rc : store_restore(folder, o->data, e);
        objects_remove_folder(folder);
    }
    s3_close(objects);
    return rc;
}

int server_restore(const struct server_options *o, const char *backup, uint64_t *bad, struct error *e)
{
    int rc = s3_is_url(backup) ? restore_objects(o, backup, e) : store_restore(backup, o->data, e);
    return rc ? rc : server_check(o, bad, e);
}

static int backup_objects(const struct server_options *o, struct store *store, const char *url, struct error *e)
{
    struct s3 *objects = NULL;
    char folder[DISK_PATH_MAX];
    int rc = open_objects(&objects, o, url, "sending", folder, e);
    if (!rc) {
        rc = store_backup(store, folder, e);
        rc = rc ? rc : objects_backup(objects, folder, e);
        objects_remove_folder(folder);
    }
    s3_close(objects);
    return rc;
}

int server_backup(const struct server_options *o, const char *path, struct error *e)
{
    struct store *store;
    struct server_options all = without_limits(o);
    int rc = open_store(&store, &all, NULL, e);
    if (!rc)
        rc = s3_is_url(path) ? backup_objects(o, store, path, e) : store_backup(store, path, e);
    store_close(store);
    return rc;
}

static atomic_bool interrupted; /* it orders no other memory access */

static void note_interrupt(int signal)
{
    atomic_store_explicit(&interrupted, true, memory_order_relaxed);
}

/* Lets SIGINT and SIGTERM set `interrupted`; a second one ends the command at once. */
static void catch_interrupts(void)
{
    const struct sigaction once = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};
    signal(SIGXFSZ, SIG_IGN);
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
}

int server_copy_cold(const struct server_options *o, const char *to, store_copy_progress *progress, struct store_cold_copied *out,
                     struct error *e)
{
    struct server_options all = without_limits(o);
    struct store_options options = options_of(&all, &interrupted);
    catch_interrupts();
    return store_copy_cold(&options, to, progress, out, e);
}

int server_copy(const struct server_options *o, const char *to, store_copy_progress *progress, uint64_t *bad, struct error *e)
{
    struct server_options all = without_limits(o);
    struct store_options options = options_of(&all, &interrupted);
    catch_interrupts();
    return store_copy(&options, to, progress, bad, e);
}
