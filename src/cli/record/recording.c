/* How a recording is to be made. */
#include "cli/record/recording.h"

#include "base/alarm_rule.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool recording_counts(const struct recording *r)
{
    return event_list_counts(r->event);
}

static int check_counter(const struct recording *r, const struct cli_args *args)
{
    char *end;
    if (!recording_counts(r) && r->event_interval)
        return cli_usage(args->command, "--event-interval: it is of an event that perf counts, such as -e page-faults");
    if (!recording_counts(r))
        return CLI_OK;
    if (cli_option(args, "interval"))
        return cli_usage(args->command, "--interval is a time, and -e %.60s has none: use --event-interval", r->event);
    if (r->max_overhead || r->max_rate)
        return cli_usage(args->command, "--max-overhead, --max-rate: they are of -e cpu; use --event-interval");
    if (r->clock && (!strcmp(r->clock, "timer") || !strcmp(r->clock, "itimer")))
        return cli_usage(args->command, "--clock %s knows CPU time alone: leave it out to count %.60s", r->clock, r->event);
    if (!r->event_interval)
        return CLI_OK;
    errno = 0;
    unsigned long long number = strtoull(r->event_interval, &end, 10);
    if (*r->event_interval < '0' || *r->event_interval > '9' || *end || errno || !number || number > 1ull << 40)
        return cli_usage(args->command, "--event-interval wants a number of events, not '%.40s'", r->event_interval);
    if (number < event_list_least(r->event))
        return cli_usage(args->command, "--event-interval %.40s: for -e %.60s use %" PRIu64 " or more; below that the program would do "
                         "little but take samples", r->event_interval, r->event, event_list_least(r->event));
    return CLI_OK;
}

/* What the event safepoint cannot do. */
static int check_safepoint(const struct recording *r, const struct cli_args *args)
{
    if (!r->event || strcmp(r->event, "safepoint"))
        return CLI_OK;
    if (r->interval_ns < 1000000)
        return cli_usage(args->command, "--interval below 1ms: each sample of -e safepoint stops all threads; use 1ms or more");
    if (r->clock && strcmp(r->clock, "auto"))
        return cli_usage(args->command, "--clock %s: -e safepoint uses no clock; leave it out", r->clock);
    if (r->carrier_frames)
        return cli_usage(args->command, "--carrier-frames: -e safepoint shows carriers only; leave it out");
    if (r->max_overhead || r->max_rate)
        return cli_usage(args->command, "--max-overhead, --max-rate: -e safepoint has its interval only; leave them out");
    if (r->code)
        return cli_usage(args->command, "--asm: -e safepoint does not see where in the code a thread is; leave it out");
    if (r->recompile)
        return cli_usage(args->command, "--recompile: at safepoints all code is described; leave it out");
    return CLI_OK;
}

static bool records(const struct recording *r, const char *event)
{
    return event_list_has(r->event, event);
}

/* What is told of what happens, and looks at no thread, has neither a clock nor its budget. */
static int check_clock(const struct recording *r, const struct cli_args *args)
{
    bool has_interval = records(r, "cpu") || records(r, "wall") || records(r, "safepoint");
    if (!has_interval && ((r->clock && strcmp(r->clock, "auto")) || r->max_overhead || r->max_rate))
        return cli_usage(args->command, "--clock, --max-overhead, --max-rate: -e %s has no clock; leave them out, or use -e cpu,%s",
                         r->event, r->event);
    return CLI_OK;
}

static int check_alloc(const struct recording *r, const struct cli_args *args)
{
    uint64_t value;
    uint32_t number = 0;
    bool live = records(r, "live");
    if (!live && !records(r, "alloc") && (r->alloc_rate || r->alloc_interval))
        return cli_usage(args->command, "--alloc-rate, --alloc-interval: they are of -e alloc or -e cpu,alloc");
    if (!live && r->live_max)
        return cli_usage(args->command, "--live-max: it is of -e live or -e cpu,live");
    if (!live && r->paths_ns)
        return cli_usage(args->command, "--paths: it is of -e live or -e cpu,live");
    if (cli_number(args, "live-max", 1024, &number))
        return CLI_USAGE;
    if (number < 64 || number > 16384)
        return cli_usage(args->command, "--live-max %s: use a number of objects from 64 to 16384", r->live_max);
    if (r->alloc_rate && r->alloc_interval)
        return cli_usage(args->command, "--alloc-rate, --alloc-interval: use one of them");
    if (r->alloc_rate && (units_parse_rate(r->alloc_rate, &value) || value > 1000000))
        return cli_usage(args->command, "--alloc-rate '%.40s': use samples per second, from 1/s to 1000000/s, such as 100/s",
                         r->alloc_rate);
    if (r->alloc_interval && (units_parse_size(r->alloc_interval, &value) || value < 1024 || value > INT32_MAX))
        return cli_usage(args->command, "--alloc-interval '%.40s': use a size from 1k to 2047m, such as 512k", r->alloc_interval);
    return CLI_OK;
}

static int check_lock(const struct recording *r, const struct cli_args *args)
{
    uint64_t value;
    bool all = r->lock_threshold && !strcmp(r->lock_threshold, "0");
    if (!records(r, "lock") && (r->lock_threshold || r->lock_rate))
        return cli_usage(args->command, "--lock-threshold, --lock-rate: they are the event lock's; add -e lock or -e cpu,lock");
    if (r->lock_threshold && !all && (units_parse_duration(r->lock_threshold, &value) || value > 10000000000u))
        return cli_usage(args->command, "--lock-threshold '%.40s': use a duration up to 10s, such as 1ms, or 0 for all waits",
                         r->lock_threshold);
    if (r->lock_rate && (units_parse_rate(r->lock_rate, &value) || !value || value > 1000000))
        return cli_usage(args->command, "--lock-rate '%.40s': use waits recorded per second, from 1/s to 1000000/s", r->lock_rate);
    return CLI_OK;
}

static int check_wall(const struct recording *r, const struct cli_args *args)
{
    uint64_t value;
    if (!records(r, "wall") && (r->wall_interval || r->wall_rate))
        return cli_usage(args->command, "--wall-interval, --wall-rate: they are the event wall's; add -e wall or -e cpu,wall");
    if (r->wall_interval && (units_parse_duration(r->wall_interval, &value) || value < 1000000 || value > 10000000000u))
        return cli_usage(args->command, "--wall-interval '%.40s': use a duration from 1ms to 10s", r->wall_interval);
    if (r->wall_rate && (units_parse_rate(r->wall_rate, &value) || !value || value > 100000))
        return cli_usage(args->command, "--wall-rate '%.40s': use looks at threads per second, from 1/s to 100000/s", r->wall_rate);
    if (!records(r, "wall") || records(r, "cpu"))
        return CLI_OK;
    if (r->interval_ns < 1000000)
        return cli_usage(args->command, "--interval below 1ms: -e wall takes a look at 1ms or more; use 1ms or more");
    if (r->clock && strcmp(r->clock, "auto"))
        return cli_usage(args->command, "--clock %s: -e wall uses no clock; leave it out", r->clock);
    if (r->max_overhead || r->max_rate)
        return cli_usage(args->command, "--max-overhead, --max-rate: the budget of -e wall is --wall-rate; leave them out");
    return CLI_OK;
}

static int check_limits(const struct recording *r, const struct cli_args *args)
{
    uint64_t rate;
    double share;
    if (r->max_rate && units_parse_rate(r->max_rate, &rate))
        return cli_usage(args->command, "--max-rate '%.40s': use samples per second, such as 600/s", r->max_rate);
    if (r->max_overhead && units_parse_percent(r->max_overhead, &share))
        return cli_usage(args->command, "--max-overhead '%.40s': use a share of the JVM's CPU time, such as 1%%", r->max_overhead);
    return CLI_OK;
}

static int check_keep(const struct recording *r, const struct cli_args *args)
{
    uint64_t value;
    if (r->keep && (units_parse_duration(r->keep, &value) || value < 1000000000))
        return cli_usage(args->command, "--keep '%.40s': use a duration of 1s or more, such as 5m", r->keep);
    if (r->max_size && (units_parse_size(r->max_size, &value) || value < 1 << 20 || value > 1 << 30))
        return cli_usage(args->command, "--max-size '%.40s': use a size from 1MB to 1GB, such as 100MB", r->max_size);
    return CLI_OK;
}

static int check_dumps(const struct recording *r, const struct cli_args *args)
{
    struct alarm_rule rule;
    struct error e;
    uint64_t value;
    uint32_t number;
    if (!r->dump_on && (r->dump_dir || r->dump_max || r->dump_pause))
        return cli_usage(args->command, "--dump-dir, --dump-max and --dump-pause need --dump-on, which says when to dump");
    if (r->dump_on && alarm_rule_parse(&rule, r->dump_on, &e))
        return cli_usage(args->command, "--%s", e.text);
    if (r->dump_dir && strlen(r->dump_dir) >= PATH_MAX)
        return cli_usage(args->command, "--dump-dir '%.40s...': the path is too long; use one of less than %d bytes",
                         r->dump_dir, PATH_MAX);
    if (r->dump_dir && *r->dump_dir != '/')
        return cli_usage(args->command, "--dump-dir '%.200s': use an absolute path, as the JVM sees it", r->dump_dir);
    if (r->dump_pause && (units_parse_duration(r->dump_pause, &value) || value < 1000000000))
        return cli_usage(args->command, "--dump-pause '%.40s': use a duration of 1s or more", r->dump_pause);
    int status = cli_number(args, "dump-max", 1, &number);
    if (!status && (!number || number > 1000))
        return cli_usage(args->command, "--dump-max %s: use a number from 1 to 1000", r->dump_max);
    return status;
}

int recording_read(struct recording *r, const struct cli_args *args)
{
    *r = (struct recording){.event = cli_option(args, "event"), .clock = cli_option(args, "clock"), .file = {.fd = -1, .replaced = -1}};
    r->carrier_frames = cli_option(args, "carrier-frames") ? "on" : NULL;
    r->recompile = cli_option(args, "recompile") ? "on" : NULL;
    r->alloc_rate = cli_option(args, "alloc-rate");
    r->alloc_interval = cli_option(args, "alloc-interval");
    r->live_max = cli_option(args, "live-max");
    r->code = cli_option(args, "asm") ? "on" : NULL;
    r->event_interval = cli_option(args, "event-interval");
    r->max_overhead = cli_option(args, "max-overhead");
    r->max_rate = cli_option(args, "max-rate");
    r->wall_interval = cli_option(args, "wall-interval");
    r->wall_rate = cli_option(args, "wall-rate");
    r->lock_threshold = cli_option(args, "lock-threshold");
    r->lock_rate = cli_option(args, "lock-rate");
    r->keep = cli_option(args, "keep");
    r->max_size = cli_option(args, "max-size");
    r->dump_on = cli_option(args, "dump-on");
    r->dump_dir = cli_option(args, "dump-dir");
    r->dump_max = cli_option(args, "dump-max");
    r->dump_pause = cli_option(args, "dump-pause");
    r->jfr = cli_option(args, "jfr");
    if (r->jfr && !strcmp(r->jfr, "off"))
        r->jfr = NULL;
    int status = event_list_check(args->command, r->event);
    if (!status)
        status = paths_option_read(args, &r->paths_ns);
    if (status)
        return status;
    bool wall = records(r, "wall") && !records(r, "cpu");
    status = cli_duration(args, "interval", wall ? 50000000 : 10000000, &r->interval_ns);
    if (!status)
        status = cli_duration(args, "duration", 0, &r->duration_ns);
    if (status)
        return status;
    if (r->interval_ns < 100000)
        return cli_usage(args->command, "--interval below 100us would only measure the profiler");
    if (r->interval_ns > 10000000000u)
        return cli_usage(args->command, "--interval '%.40s': use a duration from 100us to 10s", cli_option(args, "interval"));
    status = check_limits(r, args);
    if (!status)
        status = check_counter(r, args);
    if (!status && recording_counts(r))
        r->interval_ns = 0;
    if (!status)
        status = check_safepoint(r, args);
    if (!status)
        status = check_clock(r, args);
    if (!status)
        status = check_alloc(r, args);
    if (!status)
        status = check_wall(r, args);
    if (!status)
        status = check_lock(r, args);
    if (!status)
        status = check_keep(r, args);
    if (!status)
        status = check_dumps(r, args);
    if (status)
        return status;
    if (cli_option(args, "duration") && !r->duration_ns)
        return cli_usage(args->command, "--duration 0 would record nothing");
    const char *file = cli_option(args, "output");
    if (file && (!*file || !strcmp(file, "-")))
        return cli_usage(args->command, "--output must be a file: the JVM itself writes it");
    if (r->paths_ns)
        paths_option_say(r->paths_ns, "at the recording's end");
    return CLI_OK;
}

int recording_choose_file(struct recording *r, const struct cli_args *args, const char *name)
{
    char made[160], stamp[32];
    struct tm local;
    time_t now = time(NULL);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
    snprintf(made, sizeof made, "candor-%s-%s.jfr", name, stamp);
    const char *file = cli_option(args, "output");
    return recording_file_choose(&r->file, file ? file : made);
}

static void duration_option(struct control_request *request, const char *key, unsigned long long ns)
{
    char text[32];
    snprintf(text, sizeof text, "%lluns", ns);
    control_option(request, key, text);
}

void recording_options(const struct recording *r, struct control_request *request, unsigned long long guard_ns)
{
    recording_file_option(&r->file, request);
    if (r->interval_ns)
        duration_option(request, "interval", r->interval_ns);
    if (r->duration_ns)
        duration_option(request, "duration", r->duration_ns + guard_ns);
    control_option(request, "clock", r->clock);
    control_option(request, "event", r->event);
    control_option(request, "event-interval", r->event_interval);
    control_option(request, "alloc-rate", r->alloc_rate);
    control_option(request, "alloc-interval", r->alloc_interval);
    control_option(request, "live-max", r->live_max);
    if (r->paths_ns)
        duration_option(request, "paths", r->paths_ns);
    control_option(request, "max-overhead", r->max_overhead);
    control_option(request, "max-rate", r->max_rate);
    control_option(request, "wall-interval", r->wall_interval);
    control_option(request, "wall-rate", r->wall_rate);
    control_option(request, "lock-threshold", r->lock_threshold);
    control_option(request, "lock-rate", r->lock_rate);
    control_option(request, "carrier-frames", r->carrier_frames);
    control_option(request, "recompile", r->recompile);
    control_option(request, "asm", r->code);
    control_option(request, "jfr", r->jfr);
    control_option(request, "keep", r->keep);
    control_option(request, "max-size", r->max_size);
    control_option(request, "dump-on", r->dump_on);
    control_option(request, "dump-dir", r->dump_dir);
    control_option(request, "dump-max", r->dump_max);
    control_option(request, "dump-pause", r->dump_pause);
}
