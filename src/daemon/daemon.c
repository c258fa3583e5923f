#include "daemon/daemon.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "daemon/demand/demand.h"
#include "daemon/fleet.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/spool/ship.h"
#include "daemon/spool/spool_folder.h"
#include "daemon/status.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { TICK_MS = 200, STATUS_S = 2, STOP_S = 10, LAST_SEND_S = 5, ONCE_SEND_S = 60 };

struct run {
    const struct config *config;
    struct spool_folder spool;
    struct outbox outbox;
    struct ship ship;
    struct attacher attacher;
    struct fleet fleet;
    struct demand demand;
    int signals;
    uint64_t began_epoch_ns, next_look_ns, next_status_ns, end_ns; /* end_ns: 0 = when a signal is received */
};

static void end_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
}

/* Lets a second signal end the daemon at once. Spooled data is then as safe as after kill -9. */
static void let_signals_kill(void)
{
    sigset_t set;
    end_signals(&set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Allows more descriptors, because each JVM needs two. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int open_signals(struct error *e)
{
    sigset_t set;
    end_signals(&set);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? error_set(e, -errno, "signalfd: %s", strerror(errno)) : fd;
}

static void warn_of_open_token(const struct config *c)
{
    const char *host = c->target.base + 7;
    if (*c->token_file && !strncmp(c->target.base, "http://", 7) && strncmp(host, "127.", 4) && strncmp(host, "localhost", 9) &&
        strncmp(host, "[::1]", 5))
        log_warning("the token is sent to %s unencrypted; use https", c->server);
}

static int start_sending(struct run *r, struct error *e)
{
    const struct config *c = r->config;
    const struct ship_files files = {.token = c->token_file, .ca = c->ca_file, .certificate = c->cert_file, .key = c->key_file};
    return ship_start(&r->ship, &r->outbox, &c->target, &files, e);
}

static int begin(struct run *r, const struct agent_library *library, struct error *e)
{
    raise_descriptor_limit();
    r->began_epoch_ns = clock_realtime_ns();
    r->signals = open_signals(e);
    int code = r->signals < 0 ? r->signals : spool_folder_open(&r->spool, r->config->spool, e);
    if (!code)
        code = outbox_open(&r->outbox, r->spool.queue, r->config->spool_max, e);
    if (!code)
        code = attacher_start(&r->attacher, library, r->config->timeout_ns, e);
    if (code)
        return code;
    fleet_init(&r->fleet, r->config, &r->attacher, &r->outbox, r->spool.live);
    code = fleet_adopt(&r->fleet, e); /* before anything is sent, because it looks up in the outbox where recordings ended */
    if (!code)
        code = start_sending(r, e);
    if (code)
        return code;
    log_info("candor daemon " CANDOR_VERSION " host=%s server=%s spool=%s waiting=%" PRIu64, r->config->host, r->config->server,
             r->config->spool, r->outbox.waiting.recordings);
    warn_of_open_token(r->config);
    return 0;
}

static void write_status(struct run *r, bool running)
{
    const struct status status = {.config = r->config,
                                  .outbox = &r->outbox,
                                  .ship = &r->ship,
                                  .members = r->fleet.members,
                                  .member_count = r->fleet.count,
                                  .began_epoch_ns = r->began_epoch_ns,
                                  .live_bytes = r->fleet.follow.live_bytes,
                                  .running = running};
    status_write(&status, r->spool.folder);
    metrics_write(&status, r->config->metrics_file);
}

static void look(struct run *r)
{
    struct error e;
    if (fleet_look(&r->fleet, &e))
        log_error("%s", e.text);
    r->next_look_ns = clock_monotonic_ns() + r->config->look_ns;
}

static bool told_to_end(struct run *r)
{
    struct signalfd_siginfo info;
    if (read(r->signals, &info, sizeof info) != sizeof info)
        return false;
    log_info("ending: signal %u", info.ssi_signo);
    return true;
}

static void go_on(struct run *r)
{
    struct pollfd fds[] = {{r->signals, POLLIN, 0}, {r->attacher.event, POLLIN, 0}};
    do {
        uint64_t now = clock_monotonic_ns();
        if (r->end_ns && now >= r->end_ns)
            break;
        if (now >= r->next_look_ns)
            look(r);
        fleet_tick(&r->fleet);
        if (r->demand.fleet)
            demand_tick(&r->demand);
        if (now >= r->next_status_ns) {
            write_status(r, true);
            r->next_status_ns = now + STATUS_S * NS_PER_S;
        }
        poll(fds, 2, TICK_MS);
    } while (!told_to_end(r));
}

static void finish(struct run *r, uint64_t send_ns)
{
    demand_stop(&r->demand);
    fleet_stop(&r->fleet, STOP_S * NS_PER_S);
    ship_stop(&r->ship, send_ns);
    write_status(r, false);
    log_info("ended waiting=%" PRIu64, r->outbox.waiting.recordings);
}

int daemon_run(const struct config *config, const struct agent_library *library, bool once, struct error *e)
{
    struct run r = {.config = config};
    int code = begin(&r, library, e);
    if (code)
        return code; /* the program ends, which closes everything */
    if (!once && demand_start(&r.demand, &r.fleet, e))
        log_error("no recordings on demand: %s", e->text);
    if (once)
        r.end_ns = clock_monotonic_ns() + config->min_age_ns + config->chunk_ns;
    go_on(&r);
    let_signals_kill();
    finish(&r, (once ? ONCE_SEND_S : LAST_SEND_S) * NS_PER_S);
    uint64_t waiting = r.outbox.waiting.recordings;
    fleet_deinit(&r.fleet);
    outbox_close(&r.outbox);
    spool_folder_close(&r.spool);
    close(r.signals);
    if (!once || !waiting)
        return 0;
    return error_set(e, -EIO, "%" PRIu64 " recordings remain in the spool: %s did not accept them", waiting, config->server);
}
