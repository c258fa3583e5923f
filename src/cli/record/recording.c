/* Reads and checks the parameters of a recording. */
#include "cli/record/recording.h"

#include "base/agreed/alarm_rule.h"
#include "base/time_units.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <time.h>

bool recording_counts(const struct recording *r)
{
    return event_list_counts(r->given[OPTION_EVENT]);
}

static int check_counter(const struct recording *r, const struct cli_args *args, uint64_t number)
{
    const char *event = r->given[OPTION_EVENT], *clock = r->given[OPTION_CLOCK];
    if (!recording_counts(r) && r->given[OPTION_EVENT_INTERVAL])
        return cli_usage(args->command, "--event-interval needs an event that perf counts, such as -e page-faults; leave it out");
    if (!recording_counts(r))
        return CLI_OK;
    if (cli_option(args, "interval"))
        return cli_usage(args->command, "--interval is a time, but -e %.60s is not sampled by time: use --event-interval", event);
    if (r->given[OPTION_MAX_OVERHEAD] || r->given[OPTION_MAX_RATE])
        return cli_usage(args->command, "--max-overhead and --max-rate need -e cpu; use --event-interval instead");
    if (clock && (!strcmp(clock, "timer") || !strcmp(clock, "itimer")))
        return cli_usage(args->command, "--clock %s measures only CPU time: leave it out to count %.60s", clock, event);
    if (r->given[OPTION_EVENT_INTERVAL] && number < event_list_least(event))
        return cli_usage(args->command,
                         "--event-interval %.40s: for -e %.60s use %" PRIu64
                         " or more; below that the program would spend most of its time on samples",
                         r->given[OPTION_EVENT_INTERVAL], event, event_list_least(event));
    return CLI_OK;
}

/* Refuses options that the event safepoint does not support. */
static int check_safepoint(const struct recording *r, const struct cli_args *args)
{
    if (!r->given[OPTION_EVENT] || strcmp(r->given[OPTION_EVENT], "safepoint"))
        return CLI_OK;
    if (r->interval_ns < NS_PER_MS)
        return cli_usage(args->command, "--interval below 1ms: each sample of -e safepoint stops all threads; use 1ms or more");
    if (r->given[OPTION_CLOCK] && strcmp(r->given[OPTION_CLOCK], "auto"))
        return cli_usage(args->command, "--clock %s: -e safepoint uses no clock; leave it out", r->given[OPTION_CLOCK]);
    if (r->given[OPTION_CARRIER_FRAMES])
        return cli_usage(args->command, "--carrier-frames: -e safepoint shows only carrier threads; leave it out");
    if (r->given[OPTION_MAX_OVERHEAD] || r->given[OPTION_MAX_RATE])
        return cli_usage(args->command, "--max-overhead and --max-rate do not limit -e safepoint; use --interval instead");
    if (r->given[OPTION_ASM])
        return cli_usage(args->command, "--asm: -e safepoint does not record the address of the code; leave it out");
    if (r->given[OPTION_RECOMPILE] || (r->given[OPTION_HEAL] && strcmp(r->given[OPTION_HEAL], "off")))
        return cli_usage(args->command, "--heal and --recompile are not needed: all code has exact lines at safepoints; leave them out");
    return CLI_OK;
}

static bool records(const struct recording *r, const char *event)
{
    return event_list_has(r->given[OPTION_EVENT], event);
}

/* Refuses options for a clock and its budget if all events are of kinds that use neither. */
static int check_clock(const struct recording *r, const struct cli_args *args)
{
    bool has_interval = records(r, "cpu") || records(r, "wall") || records(r, "safepoint");
    bool has_clock = r->given[OPTION_CLOCK] && strcmp(r->given[OPTION_CLOCK], "auto");
    if (!has_interval && (has_clock || r->given[OPTION_MAX_OVERHEAD] || r->given[OPTION_MAX_RATE]))
        return cli_usage(args->command, "--clock, --max-overhead and --max-rate: -e %s uses no clock; leave them out, or use -e cpu,%s",
                         r->given[OPTION_EVENT], r->given[OPTION_EVENT]);
    return CLI_OK;
}

/* Checks the options if -e wall has its rounds without -e cpu. */
static int check_wall(const struct recording *r, const struct cli_args *args)
{
    if (!records(r, "wall") || records(r, "cpu"))
        return CLI_OK;
    if (r->interval_ns < NS_PER_MS)
        return cli_usage(args->command, "--interval below 1ms: -e wall samples at most once per millisecond; use 1ms or more");
    if (r->given[OPTION_CLOCK] && strcmp(r->given[OPTION_CLOCK], "auto"))
        return cli_usage(args->command, "--clock %s: -e wall uses no clock; leave it out", r->given[OPTION_CLOCK]);
    if (r->given[OPTION_MAX_OVERHEAD] || r->given[OPTION_MAX_RATE])
        return cli_usage(args->command, "--max-overhead and --max-rate do not limit -e wall; use --wall-rate instead");
    return CLI_OK;
}

static int check_dumps(const struct recording *r, const struct cli_args *args)
{
    struct alarm_rule rule;
    struct error e;
    const char *folder = r->given[OPTION_DUMP_DIR];
    if (!r->given[OPTION_DUMP_ON] && (folder || r->given[OPTION_DUMP_MAX] || r->given[OPTION_DUMP_PAUSE]))
        return cli_usage(args->command, "--dump-dir, --dump-max and --dump-pause need --dump-on, which says when to copy the recording");
    if (r->given[OPTION_DUMP_ON] && alarm_rule_parse(&rule, r->given[OPTION_DUMP_ON], &e))
        return cli_usage(args->command, "--%s", e.text);
    if (folder && strlen(folder) >= PATH_MAX)
        return cli_usage(args->command, "--dump-dir '%.40s...': the path is too long; use one of less than %d bytes", folder, PATH_MAX);
    if (folder && *folder != '/')
        return cli_usage(args->command, "--dump-dir '%.200s': use an absolute path, as the JVM sees it", folder);
    return CLI_OK;
}

/* Reads the value of each option, and checks that an event that the option needs is recorded. */
static int read_options(struct recording *r, const struct cli_args *args, struct recording_option_value values[RECORDING_OPTIONS_COUNT])
{
    struct error e;
    const char *events = recording_counts(r) ? "cpu" : r->given[OPTION_EVENT] ? r->given[OPTION_EVENT] : "cpu";
    for (int i = 0; i < RECORDING_OPTIONS_COUNT; i++) {
        const struct recording_option_row *row = &recording_option_rows[i];
        int n;
        if (!r->given[i])
            continue;
        if (row->kind != RECORDING_OPTION_WORD && recording_option_read((enum recording_option)i, r->given[i], &values[i], &e))
            return cli_usage(args->command, "--%s", e.text);
        const char *lacking = recording_option_lacks((enum recording_option)i, events, &n);
        if (lacking)
            return cli_usage(args->command, "--%s needs -e %.*s: record that event too, or leave the option out", row->key, n, lacking);
    }
    return CLI_OK;
}

static void take_options(struct recording *r, const struct cli_args *args)
{
    *r = (struct recording){.file = {.fd = -1, .replaced = -1}};
    for (int i = 0; i < RECORDING_OPTIONS_COUNT; i++) {
        const struct recording_option_row *row = &recording_option_rows[i];
        const char *text = cli_option(args, row->key);
        r->given[i] = text && row->kind == RECORDING_OPTION_SWITCH ? "on" : text;
    }
    if (r->given[OPTION_JFR] && !strcmp(r->given[OPTION_JFR], "off"))
        r->given[OPTION_JFR] = NULL;
}

/* Checks the options in combination. */
static int check(const struct recording *r, const struct cli_args *args, const struct recording_option_value *values)
{
    int status = check_counter(r, args, values[OPTION_EVENT_INTERVAL].number);
    if (!status)
        status = check_safepoint(r, args);
    if (!status)
        status = check_clock(r, args);
    if (!status && r->given[OPTION_ALLOC_RATE] && r->given[OPTION_ALLOC_INTERVAL])
        status = cli_usage(args->command, "--alloc-rate and --alloc-interval exclude each other: use one of them");
    if (!status)
        status = check_wall(r, args);
    return status ? status : check_dumps(r, args);
}

int recording_read(struct recording *r, const struct cli_args *args)
{
    struct recording_option_value values[RECORDING_OPTIONS_COUNT] = {0};
    take_options(r, args);
    int status = event_list_check(args->command, r->given[OPTION_EVENT]);
    if (!status)
        status = read_options(r, args, values);
    if (status)
        return status;
    bool rounds = records(r, "wall") && !records(r, "cpu");
    r->interval_ns = r->given[OPTION_INTERVAL] ? values[OPTION_INTERVAL].number : rounds ? 50 * NS_PER_MS : 10 * NS_PER_MS;
    r->duration_ns = values[OPTION_DURATION].number;
    r->paths_ns = values[OPTION_PATHS].number;
    status = check(r, args, values);
    if (status)
        return status;
    if (r->given[OPTION_RECOMPILE]) { /* the former name of --heal now; an older agent knows only this name */
        if (r->given[OPTION_HEAL] && strcmp(r->given[OPTION_HEAL], "now"))
            return cli_usage(args->command, "--recompile means --heal now, which contradicts --heal %.20s: use one of them",
                             r->given[OPTION_HEAL]);
        r->given[OPTION_HEAL] = NULL;
    }
    if (recording_counts(r))
        r->interval_ns = 0;
    if (r->given[OPTION_DURATION] && !r->duration_ns)
        return cli_usage(args->command, "--duration 0 would record nothing");
    const char *file = cli_option(args, "output");
    if (file && (!*file || !strcmp(file, "-")))
        return cli_usage(args->command, "--output must be a file, because the JVM itself writes it; it cannot be standard output");
    size_t length = file ? strlen(file) : 0;
    if (length > 5 && !strcmp(file + length - 5, ".html"))
        return cli_usage(args->command,
                         "--output names the recording, a JFR file: use a name like '%.*s.jfr'; 'candor convert' makes pages",
                         (int)(length - 5), file);
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
    for (int i = 0; i < RECORDING_OPTIONS_COUNT; i++)
        if (i != OPTION_INTERVAL && i != OPTION_DURATION)
            control_option(request, recording_option_rows[i].key, r->given[i]);
}
