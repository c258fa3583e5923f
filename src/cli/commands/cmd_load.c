/* candor load: sends requests by a schedule that does not wait for answers. */
#include "base/time_units.h"
#include "cli/cli.h"

#include "base/buffer.h"
#include "base/text/units.h"
#include "cli/interrupt.h"
#include "cli/load/agent.h"
#include "cli/load/agents.h"
#include "cli/load/find.h"
#include "cli/load/load_page.h"
#include "cli/load/print.h"
#include "cli/load/profiled.h"
#include "cli/load/scripts.h"
#include "cli/load/store.h"
#include "format/write/output.h"
#include "load/schedule/arrivals.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECTIONS_MOST = 65000, THREADS_MOST = 256 };

static const struct cli_option options[] = {
    {0, "mode", "MODE", "throughput|throttle|fixed",
     "fixed or throttle: follow a schedule; throughput: send as fast as possible (see above; default fixed with --rate, otherwise "
     "throughput)"},
    {'r', "rate", "RATE", NULL, "requests per second, or comma-separated steps RATE[-RATE]:TIME, such as 0-1000:10s,1000"},
    {0, "arrivals", "HOW", "even|poisson" CLI_OPEN,
     "even: requests of a second are due at equal distances (default); poisson: at random, independent moments; or a file with a time in "
     "seconds on each line, instead of --rate"},
    {0, "find-rate", "LIMIT", NULL,
     "find the highest rate at which a limit on response times holds, such as 'p99<20ms' or 'max<1s': a run of --duration for each rate "
     "that "
     "is tried, beginning with --rate (default 1000)"},
    {0, "think", "TIME", NULL,
     "with --mode throughput: wait this long after each answer, as users of a closed system do; a slow server then gets fewer requests"},
    {'d', "duration", "TIME", NULL, "how long to measure (default 10s)"},
    {'w', "warm-up", "TIME", NULL, "how long to send before measuring (default 0)"},
    {'c', "connections", "N", NULL, "connections, each with one request at a time (default 10)"},
    {'t', "threads", "N", NULL, "threads that share the connections (default 1)"},
    {'o', "log", "FILE", NULL, "write an HDR histogram log: a line for each kind of time and each interval"},
    {0, "log-interval", "TIME", NULL, "length of the intervals of the log, and time between two lines of output (default 1s)"},
    {'X', "method", "METHOD", NULL, "HTTP method (default GET, or POST with --body)"},
    {0, "body", "TEXT", NULL, "body of the request; @FILE reads it from FILE"},
    {'H', "headers", "LINES", NULL, "headers for every request, as 'Name: value'; separate several with '|'"},
    {0, "requests", "LIST", NULL,
     "types of requests, comma-separated: NAME=WEIGHT[:METHOD[:PATH[:BODY]]], such as insert=1:POST:/x,read=9:GET:/y"},
    {0, "request-file", "FILE", NULL, "file with types of requests, one a line: NAME WEIGHT METHOD PATH [BODY | @FILE]"},
    {0, "no-keep-alive", NULL, NULL, "open a new connection for each request"},
    {0, "timeout", "TIME", NULL, "give up a request after this time, and count it with the time that it took (default 30s)"},
    {0, "drain", "TIME", NULL, "after the end, continue for this time to send requests that are overdue (default 0)"},
    {0, "spin", NULL, NULL, "poll the clock instead of sleeping: requests are sent more punctually, but a whole processor is busy"},
    {0, "insecure", NULL, NULL, "accept any certificate of a server with TLS"},
    {0, "workload", "WORKLOAD", NULL,
     "operations on records of a store: a to f (YCSB's core workloads), a YCSB property file, or ops(NAME=WEIGHT,...) with read, update, "
     "insert, scan and read-modify-write"},
    {0, "phase", "PHASE", "load|run", "load: fill the table with the workload's records; run: do its operations (default run)"},
    {0, "properties", "LIST", NULL, "YCSB properties of the workload, such as recordcount=100000,fieldlength=10"},
    {0, "in-flight", "N", NULL, "with a driver: requests in progress on each connection at once (default 1)"},
    {0, "driver", "FILE", NULL, "reach the URL by the driver in this shared library (include/candor/load_driver.h)"},
    {0, "password-file", "FILE", NULL, "read the password of the URL's login from FILE"},
    {0, "mock", "MODEL", NULL,
     "use a simulated server: delay=TIME answers after TIME; hiccup[=TIME-TIME] stops everything now and then, for a time in this range"},
    {0, "virtual-time", NULL, NULL, "with --mock: skip waiting times, so that a simulated minute takes moments"},
    {0, "seed", "N", NULL, "seed of all random numbers: the mock, poisson arrivals, records of a workload (default 1)"},
    {0, "command", NULL, NULL, "run the program after '--' for each request; at most -c of them at once"},
    {'q', "quiet", NULL, NULL, "do not print a line per second"},
    {'f', "format", "FORMAT", "text|json|ycsb|cassandra-stress|prometheus",
     "how to print the result (default text); ycsb and cassandra-stress: as these tools do, for scripts that read their output"},
    {0, "json", NULL, NULL, "the same as --format json"},
    {0, "agents", "HOSTS", NULL,
     "generators that follow one schedule together, comma-separated: local, or a host that ssh reaches and that has candor"},
    {0, "agent", "I/N", NULL, "used by --agents: send every N-th request, from I on, when standard input says when to start"},
    {0, "profile", "PID|NAME", NULL,
     "record the server's JVM on this host during the run (events cpu, wall and halt), and explain the slowest second"},
    {0, "profile-file", "FILE", NULL, "with --profile: the recording (default candor-NAME-DATE-TIME.jfr here)"},
    {0, "profile-jfr", "MODE", "off|existing|on", "with --profile: what 'candor record --jfr' does: on also has safepoints (default off)"},
    {0, "report", "FILE", NULL, "write an HTML page: figures, percentiles, the course over time, what omission would hide"},
    {0},
};

/* ---- the schedule ---- */

static int set_mode(const struct cli_args *args, struct load_config *c)
{
    const char *mode = cli_option(args, "mode"), *rate = cli_option(args, "rate"), *arrivals = cli_option(args, "arrivals");
    bool trace = arrivals && strcmp(arrivals, "even") && strcmp(arrivals, "poisson");
    struct error e;
    bool find = cli_option(args, "find-rate") != NULL;
    if (find && (arrivals || (rate && strpbrk(rate, "-,:"))))
        return cli_usage(args->command, "--find-rate begins with one even rate: leave out --arrivals, ramps and steps");
    if (find && (cli_option(args, "log") || cli_option(args, "report")))
        return cli_usage(args->command, "--find-rate writes no log and no report: run once more at the rate that it finds");
    rate = find && !rate ? "1000" : rate;
    if (trace && rate)
        return cli_usage(args->command, "--arrivals %.60s has the times of all requests: leave out --rate", arrivals);
    if (!mode)
        mode = rate || arrivals ? "fixed" : "throughput";
    c->mode = !strcmp(mode, "fixed") ? LOAD_FIXED : !strcmp(mode, "throttle") ? LOAD_THROTTLE : LOAD_THROUGHPUT;
    if (c->mode == LOAD_THROUGHPUT && rate)
        return cli_usage(
            args->command,
            "--mode throughput has no rate: it sends as fast as answers come; leave --rate out, or use --mode throttle or fixed");
    if (c->mode == LOAD_THROUGHPUT && arrivals)
        return cli_usage(args->command, "--mode throughput has no arrivals: a request is sent when an answer has come");
    if (trace)
        return arrivals_read(&c->schedule, arrivals, &e) ? cli_fail("%s", e.text) : CLI_OK;
    if (c->mode != LOAD_THROUGHPUT && !rate)
        return cli_usage(args->command, "--mode %s needs --rate", mode);
    return rate && schedule_parse(&c->schedule, rate, &e) ? cli_usage(args->command, "%s", e.text) : CLI_OK;
}

static int set_times(const struct cli_args *args, struct load_config *c)
{
    unsigned long long duration, warm_up, drain, timeout, interval, think;
    int status = cli_duration(args, "duration", 10 * NS_PER_S, &duration);
    if (!status)
        status = cli_duration(args, "warm-up", 0, &warm_up);
    if (!status)
        status = cli_duration(args, "drain", 0, &drain);
    if (!status)
        status = cli_duration(args, "timeout", 30 * NS_PER_S, &timeout);
    if (!status)
        status = cli_duration(args, "think", 0, &think);
    if (!status)
        status = cli_duration(args, "log-interval", NS_PER_S, &interval);
    if (status)
        return status;
    if (!duration || !timeout)
        return cli_usage(args->command, "--%s 0 leaves nothing to measure; use a longer time", duration ? "timeout" : "duration");
    if (interval < 10000000)
        return cli_usage(args->command, "--log-interval must be at least 10ms");
    if (duration > 1000000000000000 || warm_up > 1000000000000000 || drain > 1000000000000000 || timeout > 1000000000000000)
        return cli_usage(args->command, "a time must be at most 11 days");
    if (think && c->mode != LOAD_THROUGHPUT)
        return cli_usage(args->command, "--think is for --mode throughput: on a schedule, requests do not wait for answers");
    if (c->schedule.arrivals && !cli_option(args, "duration"))
        duration = c->schedule.arrivals[c->schedule.arrival_count - 1] + NS_PER_S;
    c->think = think;
    c->duration = duration, c->warm_up = warm_up, c->drain = drain, c->timeout = timeout, c->log_interval = interval;
    return CLI_OK;
}

static int set_sizes(const struct cli_args *args, struct load_config *c)
{
    int status = cli_number(args, "connections", 10, &c->connections);
    if (!status)
        status = cli_number(args, "threads", 1, &c->threads);
    if (status)
        return status;
    if (!c->connections || c->connections > CONNECTIONS_MOST)
        return cli_usage(args->command, "--connections must be a number from 1 to %d", CONNECTIONS_MOST);
    if (!c->threads || c->threads > THREADS_MOST)
        return cli_usage(args->command, "--threads must be a number from 1 to %d", THREADS_MOST);
    if (c->threads > c->connections)
        c->threads = c->connections;
    return CLI_OK;
}

static int set_arrivals(const struct cli_args *args, struct load_config *c)
{
    const char *arrivals = cli_option(args, "arrivals");
    struct error e;
    uint32_t seed;
    int status = cli_number(args, "seed", 1, &seed);
    if (status || !arrivals || strcmp(arrivals, "poisson"))
        return status;
    return arrivals_poisson(&c->schedule, c->warm_up + c->duration, seed, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

/* ---- the target ---- */

static int set_mock(const struct cli_args *args, struct load_config *c)
{
    struct error e;
    uint32_t seed;
    int status = cli_number(args, "seed", 1, &seed);
    if (status)
        return status;
    c->target.kind = TARGET_MOCK;
    if (mock_parse(&c->target.mock, cli_option(args, "mock"), seed, &e))
        return cli_usage(args->command, "%s", e.text);
    if (!c->target.mock.hiccup && !c->target.mock.delay && c->virtual_time && c->mode == LOAD_THROUGHPUT)
        return cli_usage(args->command, "--virtual-time needs a mock with a delay, or --rate: otherwise virtual time would never advance");
    return CLI_OK;
}

static int set_target(const struct cli_args *args, struct load_store *store, struct load_config *c)
{
    static const char *const of_stores[] = {"workload", "phase", "properties", "in-flight", "password-file"};
    struct error e;
    bool mock = cli_option(args, "mock") != NULL, command = cli_switch(args, "command");
    if (store_is_meant(args) && !mock && !command) {
        if (args->operand_count > 1)
            return cli_usage(args->command, "'%.60s' is one argument too many", args->operands[1]);
        return store_set(args, store, c);
    }
    for (size_t i = 0; i < sizeof of_stores / sizeof *of_stores; i++)
        if (cli_option(args, of_stores[i]))
            return cli_usage(args->command, "--%s needs a URL of a store or --driver: %s", of_stores[i], drivers_schemes());
    if (c->virtual_time && !mock)
        return cli_usage(args->command, "--virtual-time needs --mock");
    if (mock && command)
        return cli_usage(args->command, "--mock and --command exclude each other");
    if (!mock && !args->operand_count)
        return cli_usage(args->command, command ? "the program to run is missing: candor load --command ... -- PROGRAM"
                                                : "the URL is missing: candor load [OPTION...] URL");
    if (mock && args->operand_count)
        return cli_usage(args->command, "--mock is used instead of a URL: leave out '%.60s'", args->operands[0]);
    if (mock)
        return set_mock(args, c);
    if (command) {
        c->target.kind = TARGET_COMMAND;
        c->target.command = args->operands;
        c->target.command[args->operand_count] = NULL; /* there is room: the operands moved to the options' place in argv */
        return CLI_OK;
    }
    if (args->operand_count > 1)
        return cli_usage(args->command, "'%.60s' is one argument too many", args->operands[1]);
    c->target.kind = TARGET_HTTP;
    return url_parse(&c->target.url, args->operands[0], &e) ? cli_usage(args->command, "%s", e.text) : CLI_OK;
}

/* ---- the requests ---- */

static int read_body(const char *text, struct buffer *body)
{
    uint8_t *room;
    size_t n;
    if (text[0] != '@') {
        buffer_text(body, text);
        return CLI_OK;
    }
    FILE *f = fopen(text + 1, "re");
    if (!f)
        return cli_fail("cannot read %.200s: %s", text + 1, strerror(errno));
    while ((room = buffer_reserve(body, 65536)) && (n = fread(room, 1, 65536, f)) > 0)
        buffer_advance(body, n);
    bool bad = ferror(f) || body->failed;
    fclose(f);
    return bad ? cli_fail("cannot read %.200s, or it has more than 64 MB", text + 1) : CLI_OK;
}

static int set_single(const struct cli_args *args, const char *path, struct load_config *c)
{
    const char *method = cli_option(args, "method"), *text = cli_option(args, "body");
    struct buffer body;
    struct error e;
    char name[64];
    buffer_init(&body, 64 << 20);
    int status = text ? read_body(text, &body) : CLI_OK;
    method = method ? method : text ? "POST" : "GET";
    bool sent = c->target.kind == TARGET_HTTP || c->target.kind == TARGET_DRIVER;
    snprintf(name, sizeof name, "%s", sent ? method : c->target.kind == TARGET_MOCK ? "mock" : "command");
    for (char *l = name; *l; l++)
        *l = *l >= 'A' && *l <= 'Z' ? (char)(*l - 'A' + 'a') : *l;
    if (!status && mix_single(&c->mix, name, method, path, body.data ? (char *)body.data : "", body.len, &e))
        status = cli_usage(args->command, "%s", e.text);
    buffer_deinit(&body);
    return status;
}

/* Writes "A: b|C: d" as header lines. Returns a status. */
static int render(const struct cli_args *args, struct load_config *c)
{
    const char *headers = cli_option(args, "headers");
    struct buffer lines;
    buffer_init(&lines, 32 << 10);
    while (headers && *headers) {
        size_t n = strcspn(headers, "|"), colon = strcspn(headers, ":");
        if (!colon || colon >= n || memchr(headers, '\n', n)) {
            buffer_deinit(&lines);
            return cli_usage(args->command, "--headers '%.60s' is not 'Name: value'", headers);
        }
        buffer_put(&lines, headers, n);
        buffer_text(&lines, "\r\n");
        headers += n + (headers[n] == '|');
    }
    buffer_u8(&lines, 0);
    int rc = lines.failed ? -ENOMEM : mix_render(&c->mix, c->target.url.authority, (char *)lines.data, c->target.keep_alive);
    buffer_deinit(&lines);
    return rc ? cli_fail("no memory for the requests") : CLI_OK;
}

static int set_mix(const struct cli_args *args, const struct load_store *store, struct load_config *c)
{
    const char *list = cli_option(args, "requests"), *file = cli_option(args, "request-file");
    const char *path = c->target.kind == TARGET_HTTP ? c->target.url.path : store->endpoint.path[0] ? store->endpoint.path : "/";
    struct error e;
    if (list && file)
        return cli_usage(args->command, "--requests and --request-file exclude each other");
    if (c->target.workload)
        return list || file || cli_option(args, "method") || cli_option(args, "body")
                   ? cli_usage(args->command, "--workload has its own operations: leave out the options for requests")
                   : render(args, c);
    if ((list || file) && (cli_option(args, "method") || cli_option(args, "body")))
        return cli_usage(args->command, "--method and --body are for one type of request; give them in --%s",
                         list ? "requests" : "request-file");
    if (list && mix_parse(&c->mix, list, path, &e))
        return cli_usage(args->command, "%s", e.text);
    if (file && mix_read(&c->mix, file, &e))
        return cli_fail("%s", e.text);
    int status = list || file ? CLI_OK : set_single(args, path, c);
    c->target.keep_alive = !cli_switch(args, "no-keep-alive");
    return status ? status : render(args, c);
}

/* ---- the run ---- */

static bool was_interrupted(void)
{
    return interrupt_signal() != 0;
}

struct ticking {
    bool quiet;
    struct output log; /* file NULL = none */
    bool log_grows;    /* otherwise it is written at the end */
    struct load_intervals intervals;
    bool ran; /* so the log has what was measured */
};

/* Publishes the log at the end of the first interval, so that it has its name and can be watched, and stays if candor is killed. */
static void on_tick(void *context, const struct load_tick *tick)
{
    struct ticking *t = context;
    if (t->log.file && t->log_grows)
        output_publish(&t->log);
    load_intervals_note(&t->intervals, tick);
    if (!t->quiet)
        load_print_tick(tick);
}

/* Returns the status of the command. Answers that are errors belong to the result, but if there are no other answers, the command fails. */
static int judge(const struct load_config *c, const struct outcome *o)
{
    uint64_t errors = o->kinds[OUTCOME_REFUSED] + o->kinds[OUTCOME_WRONG];
    const char *what = c->target.kind == TARGET_HTTP ? "a status of 400 or more" : "a status other than 0";
    if (o->kinds[OUTCOME_ANSWERED])
        return CLI_OK;
    if (!errors)
        return cli_fail("not one request was answered%s%s", o->has_problem ? ": " : "", o->first_problem);
    if (c->target.kind == TARGET_DRIVER && !o->statuses[4] && !o->statuses[5])
        return cli_fail("not one request succeeded: all %" PRIu64 " answers are errors%s%s", errors, o->has_problem ? "; the first: " : "",
                        o->first_problem);
    if (!o->statuses[4] != !o->statuses[5])
        what = o->statuses[4] ? "a status of 400 to 499; check the address and the path" : "a status of 500 to 599; check the server";
    return cli_fail("not one request succeeded: all %" PRIu64 " answers have %s", errors, what);
}

static bool wants_json(const struct cli_args *args)
{
    const char *format = cli_option(args, "format");
    return cli_switch(args, "json") || (format && !strcmp(format, "json"));
}

/* Prints the result as --format says. Returns 0 or a negative code. */
static int print_result(const struct cli_args *args, const struct load_config *c, const struct load_result *result,
                        const struct profiled *profile)
{
    static const struct {
        const char *name;
        int (*print)(const struct load_config *config, const struct load_result *result);
    } scripts[] = {{"ycsb", load_print_ycsb}, {"cassandra-stress", load_print_stress}, {"prometheus", load_print_prometheus}};
    const char *wanted = cli_option(args, "format");
    if (wants_json(args))
        return load_print_json(c, result, profile);
    for (size_t i = 0; wanted && i < sizeof scripts / sizeof *scripts; i++)
        if (!strcmp(wanted, scripts[i].name))
            return scripts[i].print(c, result);
    return load_print_text(c, result, profile);
}

/* One run, here or by agents. Returns a status; the result is filled in any case. */
static int run_load(const struct cli_args *args, struct load_config *c, struct load_result *result)
{
    struct error e;
    if (cli_option(args, "agents"))
        return agents_run(args, c, result);
    return load_run(c, result, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static int find_and_print(const struct cli_args *args, struct load_config *c)
{
    struct find_limit limit;
    struct find_result found;
    struct find_runs runs = {args, c, run_load};
    struct error e;
    if (find_parse(&limit, cli_option(args, "find-rate"), &e))
        return cli_usage(args->command, "%s", e.text);
    interrupt_catch();
    int status = find_rate(&runs, &limit, &found);
    if (status)
        return status;
    (wants_json(args) ? find_print_json : find_print_text)(&limit, &found);
    int finished = cli_finish_output();
    return found.holds ? finished : cli_fail("the limit %s does not hold at any rate that was tried", limit.text);
}

/* Writes the page. Returns a status. */
static int write_page(const char *file, const struct load_intervals *intervals, const struct cli_args *args, const struct load_config *c,
                      const struct load_result *result, const struct profiled *profile)
{
    /* Not the URL of a driver, which may have a password. */
    const char *target = c->target.kind == TARGET_HTTP     ? c->target.url.authority
                         : c->target.kind == TARGET_DRIVER ? c->target.driver->name
                         : c->target.kind == TARGET_MOCK   ? "a mock"
                                                           : args->operands[0];
    struct output o;
    struct error e;
    if (output_open(&o, file, &e))
        return cli_fail("%s", e.text);
    if (load_page_write(intervals, o.file, target, c, result, profile)) {
        output_abandon(&o);
        return cli_fail("no memory for the page");
    }
    return output_close(&o, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

/* Prints the result, and writes the page. Returns a status. */
static int show(const struct cli_args *args, const struct load_config *c, const struct load_result *result, const struct profiled *profile)
{
    const struct ticking *t = c->context;
    int status = print_result(args, c, result, profile) ? cli_fail("no memory for the result") : CLI_OK;
    if (!status && cli_option(args, "report"))
        status = write_page(cli_option(args, "report"), &t->intervals, args, c, result, profile);
    fflush(stdout);
    return status;
}

/* Shows the result. If there is no profile, because the server has crashed, for instance, the times are shown without it. */
static int show_all(const struct cli_args *args, const struct load_config *c, const struct load_result *result, struct profiled *profile)
{
    struct ticking *t = c->context;
    int unprofiled = profile ? profiled_end(profile, &t->intervals) : CLI_OK;
    int status = show(args, c, result, unprofiled ? NULL : profile);
    if (!status)
        status = judge(c, &result->outcome);
    return status ? status : unprofiled;
}

static int run_and_show(const struct cli_args *args, struct load_config *c, struct profiled *profile)
{
    struct ticking *t = c->context;
    struct load_result result;
    int status = run_load(args, c, &result);
    t->ran = !status;
    if (!status)
        status = show_all(args, c, &result, profile);
    load_result_deinit(&result);
    int finished = cli_finish_output();
    return status ? status : finished;
}

static int run_as_agent(struct load_config *c)
{
    struct load_result result;
    struct error e;
    struct agent_ticking ticking = {.out = stdout};
    int status = agent_wait(c);
    interrupt_catch();
    c->log = stdout;
    c->tick = agent_tick;
    c->context = &ticking;
    c->interrupted = agent_is_interrupted;
    if (status)
        return status;
    status = load_run(c, &result, &e) ? cli_fail("%s", e.text) : CLI_OK;
    if (!status)
        agent_put_result(&result, stdout);
    load_result_deinit(&result);
    int finished = cli_finish_output();
    return status ? status : finished;
}

static int profile_and_run(const struct cli_args *args, struct load_config *c)
{
    struct profiled profile;
    interrupt_catch();
    if (!profiled_is_wanted(args))
        return run_and_show(args, c, NULL);
    int status = profiled_begin(&profile, args, c->warm_up + c->duration + c->drain);
    if (!status)
        status = run_and_show(args, c, &profile);
    profiled_close(&profile);
    return status;
}

static int connect_and_run(const struct cli_args *args, struct load_store *store, struct load_config *c)
{
    const char *log = cli_option(args, "log");
    bool here = !cli_option(args, "agents"); /* otherwise the agents connect */
    struct error e;
    if (here && c->target.kind == TARGET_HTTP && load_resolve(&c->target, &e))
        return cli_fail("%s", e.text);
    if (here && c->target.kind == TARGET_DRIVER && store_connect(store))
        return CLI_FAILED;
    c->target.driver_target = store->target;
    if (c->target.url.tls && tls_new(&c->target.tls, c->target.url.host, cli_switch(args, "insecure"), &e))
        return cli_fail("%s", e.text);
    if (cli_option(args, "agent"))
        return run_as_agent(c);
    struct ticking ticking = {.quiet = cli_switch(args, "quiet"), .log_grows = here};
    if (log && output_open(&ticking.log, log, &e))
        return cli_fail("%s", e.text);
    c->log = ticking.log.file;
    c->context = &ticking;
    c->tick = log || !ticking.quiet || cli_option(args, "report") || profiled_is_wanted(args) ? on_tick : NULL;
    int status = cli_option(args, "find-rate") ? find_and_print(args, c) : profile_and_run(args, c);
    load_intervals_deinit(&ticking.intervals);
    if (log && !ticking.ran && ticking.log.temporary)
        output_abandon(&ticking.log); /* nothing was measured: an earlier log stays */
    else if (log && output_close(&ticking.log, &e) && !status)
        status = cli_fail("%s", e.text);
    return status;
}

static int check_profile(const struct cli_args *args)
{
    bool wanted = profiled_is_wanted(args);
    if (!wanted && (cli_option(args, "profile-file") || cli_option(args, "profile-jfr")))
        return cli_usage(args->command, "--profile-%s needs --profile", cli_option(args, "profile-file") ? "file" : "jfr");
    if (wanted && (cli_option(args, "find-rate") || cli_switch(args, "virtual-time")))
        return cli_usage(args->command, "--profile goes with one run in real time: leave out --find-rate and --virtual-time");
    return CLI_OK;
}

static int load_command(const struct cli_args *args)
{
    struct load_config c = {
        .interrupted = was_interrupted, .spin = cli_switch(args, "spin"), .virtual_time = cli_switch(args, "virtual-time")};
    struct load_store store = {0};
    int status = check_profile(args);
    if (!status)
        status = agent_set(args, &c);
    if (!status)
        status = set_mode(args, &c);
    if (!status)
        status = set_times(args, &c);
    if (!status)
        status = set_sizes(args, &c);
    if (!status)
        status = set_target(args, &store, &c);
    if (!status)
        status = set_mix(args, &store, &c);
    if (!status)
        status = set_arrivals(args, &c);
    if (!status)
        status = connect_and_run(args, &store, &c);
    store_deinit(&store);
    tls_free(c.target.tls);
    load_target_deinit(&c.target);
    mix_deinit(&c.mix);
    schedule_deinit(&c.schedule);
    return status;
}

const struct cli_command command_load = {
    .name = "load",
    .arguments = "[OPTION...] (URL | --mock MODEL | --command -- PROGRAM...)",
    .summary = "put load on a server or a store and measure response times without coordinated omission",
    .about = "Sends requests to URL: by HTTP/1.1 (http, https), HTTP/2 (h2, h2s) or gRPC (grpc, grpcs), or operations on records "
             "(--workload) to "
             "Redis (redis, rediss), memcached, PostgreSQL (postgresql) or Cassandra (cql, cqls). With --rate they are due on a schedule "
             "that does not wait for "
             "answers: request n is due n/rate after the start, however slow the server is. A request that finds every "
             "connection busy waits, and this wait is part of its response time, as it would be for a caller.\n\n"
             "Three times are measured for each request. The service time is the time from sending to the end of the answer. The wait is "
             "the time from the moment the request was due until it was sent. The response time is their sum. The wait is divided into "
             "waiting for a free "
             "connection and the generator's own lateness. Timeouts, errors and requests that have no answer at the end are counted, with "
             "the time that they had taken by then.\n\n"
             "Modes: 'fixed' shows the response time, and 'throttle' the service time on the same schedule. 'throughput' sends the next "
             "request on a connection as soon as the answer has come, and measures only service times.\n\n"
             "The log (-o) is for 'candor hist' and other readers of HDR histogram logs; its tags are NAME-rt, NAME-st "
             "and NAME-wt for each type of request, generator-lateness and connection-wait. Values are ns.\n\n"
             "docs/load.md describes servers, stores and workloads; docs/formats/load.md describes --json, the log's tags and the file of "
             "requests.",
    .examples = "candor load -r 1000 -d 30s -o run.hlog http://localhost:8080/\n"
                "    a thousand requests per second, logged\n"
                "candor load -r 0-2000:20s,2000 --requests insert=1:POST:/items,read=9:GET:/items "
                "http://localhost:8080\n"
                "    two types of requests, after a ramp of 20 s\n"
                "candor load --workload a --phase load redis://localhost\n"
                "    fill a table in Redis with the records of YCSB's workload a\n"
                "candor load --workload a -r 20000 --in-flight 16 -d 60s redis://localhost\n"
                "    its operations, 20,000 per second\n"
                "candor load --mock delay=4ms -c 1 -r 1000 -d 60s --virtual-time\n"
                "    why the service time alone misleads: it is 4 ms, while callers wait 45 s\n"
                "candor load --command -r 5 -c 4 -- grep -r word /usr/share/doc\n"
                "    a program as the operation\n",
    .often = "mode,rate,duration,connections,log",
    .options = options,
    .operand = CLI_NOTHING,
    .operands_min = 0,
    .operands_max = -1,
    .dash_dash = true,
    .run = load_command,
};
