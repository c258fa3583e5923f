#include "agent/control/requests.h"

#include "agent/control/options.h"
#include "base/agreed/control_protocol.h"
#include "base/text/percent.h"
#include "base/text/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static void call(void (*hook)(void))
{
    if (hook)
        hook();
}

static void nothing(void)
{
}

/* Returns no hooks for the event safepoint, because its collector calls Java itself, and no thread has a clock. */
static const struct hooks *hooks_of(unsigned events, const struct hooks *hooks)
{
    static const struct hooks none;
    return events == COLLECT_SAFEPOINT ? &none : hooks;
}

int requests_start(const struct collect_options *options, const struct hooks *hooks, bool late, struct error *e)
{
    if (!options->file[0])
        return error_set(e, -EINVAL, "start needs file=/absolute/path");
    if (options->live.paths_ns && !(options->events & COLLECT_LIVE))
        return error_set(e, -EINVAL, "paths needs the event live, such as event=cpu,live");
    if (collect_running())
        return collect_start(options, late, nothing, e);
    hooks = hooks_of(options->events, hooks);
    call(hooks->session_begin);
    int rc = collect_start(options, late, hooks->bind_threads ? hooks->bind_threads : nothing, e);
    if (rc)
        call(hooks->session_end);
    return rc;
}

/* Ends a recording. The end of the last one also ends the use of Java. */
int requests_stop(uint32_t id, const struct hooks *hooks, uint64_t *bytes, uint64_t *samples, struct error *e)
{
    uint64_t unused;
    uint32_t ids[COLLECT_AT_ONCE];
    bool is_last = collect_ids(ids) == 1;
    hooks = hooks_of(collect_events(id), hooks);
    call(hooks->bind_threads);
    if (is_last)
        call(hooks->session_end);
    return collect_stop(id, bytes ? bytes : &unused, samples ? samples : &unused, e);
}

void requests_stop_all(const struct hooks *hooks)
{
    struct error ignored;
    while (collect_running())
        requests_stop(0, hooks, NULL, NULL, &ignored);
}

/* ---- which recording a request is about ---- */

/* Returns the recording that the client's process began last; 0 = none. */
static uint32_t own_of(pid_t client, const uint32_t *ids, uint32_t count)
{
    static struct collect_status s;
    uint32_t own = 0;
    for (uint32_t i = 0; client && i < count; i++)
        if (!collect_status(ids[i], &s) && s.client == client)
            own = ids[i];
    return own;
}

/* Returns the only recording without a client's name, which is one that a user began; 0 = there is none, or there are several. */
static uint32_t unnamed(const uint32_t *ids, uint32_t count)
{
    static struct collect_status s;
    uint32_t found = 0, n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!collect_status(ids[i], &s) && !s.name[0]) {
            found = ids[i];
            n++;
        }
    return n == 1 ? found : 0;
}

/* Returns the recording that a request means; 0 = unclear. A client that does not give an id means its own recording, or the only one. */
static uint32_t meant(uint32_t recording, pid_t client)
{
    uint32_t ids[COLLECT_AT_ONCE], count = collect_ids(ids), own = own_of(client, ids, count);
    return recording ? recording : own ? own : count == 1 ? ids[0] : unnamed(ids, count);
}

static int find_meant(uint32_t recording, const struct asker *asker, uint32_t *id, struct error *e)
{
    char all[512];
    uint32_t ids[COLLECT_AT_ONCE];
    *id = meant(recording, asker->client);
    if (*id || collect_ids(ids) < 2)
        return 0;
    return error_set(e, -EINVAL, "several recordings are running: %s; choose one with recording=NUMBER",
                     collect_describe_all(all, sizeof all));
}

/* Finds the recording that a client wants to end. Without a number, a client may end only its own recording, or one without a name. A
 * recording with a name belongs to a program, such as the daemon: if it is the only one left, the recording that the client meant has
 * already ended. */
static int find_to_stop(uint32_t recording, const struct asker *asker, uint32_t *id, struct error *e)
{
    static struct collect_status s;
    char all[512];
    int rc = find_meant(recording, asker, id, e);
    if (rc || recording || !*id || collect_status(*id, &s) || !s.name[0] || s.client == asker->client)
        return rc;
    return error_set(e, -EINVAL, "only this recording is running: %s; to end it, use recording=%" PRIu32,
                     collect_describe_all(all, sizeof all), *id);
}

/* ---- answers ---- */

static void put_text(struct buffer *b, const char *key, const char *value)
{
    buffer_printf(b, "%s=", key);
    percent_encode(b, value);
    buffer_u8(b, '\n');
}

static void put_number(struct buffer *b, const char *key, uint64_t value)
{
    buffer_printf(b, "%s=%" PRIu64 "\n", key, value);
}

static void put_error(struct buffer *b, const struct error *e)
{
    buffer_text(b, "error ");
    for (const char *p = e->text; *p; p++)
        buffer_u8(b, *p == '\n' ? ' ' : (uint8_t)*p);
    buffer_u8(b, '\n');
}

static void put_keep(struct buffer *b, const struct collect_status *s)
{
    if (!keep_is_limited(&s->keep))
        return;
    put_number(b, "keep_ns", s->keep.ns);
    put_number(b, "max_bytes", s->keep.bytes);
    put_number(b, "kept_ns", s->kept_ns);
}

static void put_dumps(struct buffer *b, const struct dumps *d)
{
    if (!d->options.rule.text[0])
        return;
    put_text(b, "dump_on", d->options.rule.text);
    put_number(b, "dump_max", d->options.max);
    put_number(b, "dumps", d->made);
    put_number(b, "dumps_failed", d->failed);
    if (d->file[0])
        put_text(b, "dump_file", d->file);
    if (d->error[0])
        put_text(b, "dump_error", d->error);
}

static void put_ids(struct buffer *b)
{
    uint32_t ids[COLLECT_AT_ONCE], count = collect_ids(ids);
    buffer_text(b, "recordings=");
    for (uint32_t i = 0; i < count; i++)
        buffer_printf(b, "%s%" PRIu32, i ? "," : "", ids[i]);
    buffer_u8(b, '\n');
}

static int put_status(uint32_t id, struct buffer *b)
{
    static struct collect_status s;
    char events[COLLECT_EVENTS_BYTES];
    bool runs = !collect_status(id, &s);
    buffer_text(b, "ok\n");
    put_text(b, "version", CANDOR_VERSION);
    put_number(b, "protocol", CONTROL_PROTOCOL);
    put_number(b, "protocol_minor", CONTROL_PROTOCOL_MINOR);
    put_number(b, "pid", (uint64_t)getpid());
    put_text(b, "state", runs ? "running" : "idle");
    put_number(b, "recordings_max", COLLECT_AT_ONCE);
    if (s.fault[0])
        put_text(b, "fault", s.fault);
    if (!runs)
        return 0;
    put_ids(b);
    put_number(b, "recording", s.id);
    if (s.name[0])
        put_text(b, "name", s.name);
    put_text(b, "file", s.file);
    bool counts = clock_counts(&s.clock);
    put_text(b, "event", counts ? s.clock.counter.name : collect_events_text(events, s.events));
    if (s.events & COLLECT_CPU) {
        put_text(b, "clock", clock_names[s.clock.kind]);
        put_text(b, "clocks", s.clocks);
        put_number(b, "clock_resolution_ns", s.resolution_ns);
        put_number(b, "cpu_ns", (uint64_t)s.cpu_ns);
    }
    if (counts)
        put_number(b, "event_interval", s.interval_ns);
    else if (s.events & COLLECT_BY_INTERVAL)
        put_number(b, "interval_ns", s.interval_ns);
    if (s.events & COLLECT_CPU && !counts)
        put_number(b, "pace_ns", s.pace_ns);
    if (s.wall_interval_ns)
        put_number(b, "wall_interval_ns", s.wall_interval_ns);
    if (s.paths_ns)
        put_number(b, "paths_ns", s.paths_ns);
    put_number(b, "elapsed_ns", s.elapsed_ns);
    if (s.jfr)
        put_text(b, "jfr", s.jfr);
    put_number(b, "samples", s.samples);
    put_number(b, "lost", s.lost);
    put_number(b, "threads", s.threads);
    put_number(b, "bytes", s.bytes);
    put_keep(b, &s);
    put_dumps(b, s.dumps);
    if (s.warning[0])
        put_text(b, "warning", s.warning);
    if (s.error[0])
        put_text(b, "error", s.error);
    return 0;
}

/* Takes the descriptor of a request that writes a file. */
static int take_descriptor(struct collect_options *options, int passed, struct error *e)
{
    if (options->passed && passed < 0)
        return error_set(e, -EBADF,
                         "the open file did not arrive: a security module (SELinux, AppArmor) keeps it from this JVM; "
                         "start it with -agentpath:.../libcandor.so=file=...");
    options->descriptor = passed;
    return 0;
}

static int answer_start(char *arguments, const struct asker *asker, const struct hooks *hooks, bool late, struct buffer *b, struct error *e)
{
    static struct collect_options options;
    int rc = options_parse(&options, arguments, e);
    options.client = asker->client;
    if (!rc)
        rc = take_descriptor(&options, asker->passed, e);
    if (!rc)
        rc = requests_start(&options, hooks, late, e);
    if (!rc)
        put_status(collect_newest(), b);
    return rc;
}

static int answer_dump(char *arguments, const struct asker *asker, struct buffer *b, struct error *e)
{
    static struct collect_options options;
    static struct collect_status status;
    uint64_t bytes = 0;
    uint32_t id = 0;
    int rc = options_parse_about(&options, arguments, REQUEST_DUMP, e);
    if (!rc)
        rc = take_descriptor(&options, asker->passed, e);
    if (!rc)
        rc = find_meant(options.recording, asker, &id, e);
    if (!rc)
        rc = collect_dump(id, options.file, options.passed ? asker->passed : -1, options.live.paths_ns, &bytes, e);
    if (rc)
        return rc;
    collect_status(id, &status);
    buffer_text(b, "ok\n");
    put_number(b, "recording", status.id);
    put_text(b, "file", options.file[0] ? options.file : status.file);
    put_number(b, "bytes", bytes);
    put_number(b, "elapsed_ns", status.elapsed_ns);
    if (status.jfr)
        put_text(b, "jfr", status.jfr);
    return 0;
}

static int answer_stop(char *arguments, const struct asker *asker, const struct hooks *hooks, struct buffer *b, struct error *e)
{
    static struct collect_options options;
    static struct collect_status status;
    uint64_t bytes = 0, samples = 0, asked_ns = clock_monotonic_ns();
    uint32_t id = 0;
    int rc = options_parse_about(&options, arguments, REQUEST_STOP, e);
    if (!rc)
        rc = find_to_stop(options.recording, asker, &id, e);
    if (rc)
        return rc;
    if (collect_status(id, &status) && id && collect_running())
        return error_set(e, -ENOENT, "no recording %" PRIu32 " is running", id);
    if (!status.id)
        return error_set(e, -ENOENT, "no recording is running%s%s", status.fault[0] ? ": " : "", status.fault);
    rc = requests_stop(id, hooks, &bytes, &samples, e);
    buffer_text(b, "ok\n");
    put_number(b, "recording", status.id);
    put_text(b, "file", status.file);
    put_number(b, "bytes", bytes);
    put_number(b, "samples", samples);
    put_number(b, "elapsed_ns",
               status.elapsed_ns + clock_monotonic_ns() -
                   asked_ns); /* counted up to now, because the search for paths may have taken long */
    if (status.jfr)
        put_text(b, "jfr", status.jfr);
    if (status.fault[0])
        put_text(b, "fault", status.fault);
    if (rc)
        put_text(b, "error", e->text);
    return 0;
}

/* Answers `status`. If it is unclear which recording is meant, the answer is about the oldest. */
static int answer_status(char *arguments, const struct asker *asker, struct buffer *b, struct error *e)
{
    static struct collect_options options;
    static struct collect_status status;
    int rc = options_parse_about(&options, arguments, REQUEST_STATUS, e);
    if (rc)
        return rc;
    uint32_t id = meant(options.recording, asker->client);
    if (options.recording && collect_status(id, &status))
        return error_set(e, -ENOENT, "no recording %" PRIu32 " is running", id);
    return put_status(id, b);
}

void requests_answer(char *request, const struct asker *asker, const struct hooks *hooks, bool late, struct buffer *answer)
{
    struct error e = {""};
    char *arguments = strchr(request, ' ');
    char none[1] = "";
    int rc;
    if (arguments)
        *arguments++ = 0;
    else
        arguments = none;
    if (!strcmp(request, "status"))
        rc = answer_status(arguments, asker, answer, &e);
    else if (!strcmp(request, "start"))
        rc = answer_start(arguments, asker, hooks, late, answer, &e);
    else if (!strcmp(request, "dump"))
        rc = answer_dump(arguments, asker, answer, &e);
    else if (!strcmp(request, "stop"))
        rc = answer_stop(arguments, asker, hooks, answer, &e);
    else
        rc = error_set(&e, -EINVAL, "unknown command '%.64s'", request);
    if (rc)
        put_error(answer, &e);
}
