/* How a recording is to be made. */
#include "cli/recording.h"

#include <string.h>
#include <time.h>

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
    if (r->recompile)
        return cli_usage(args->command, "--recompile: at safepoints all code is described; leave it out");
    return CLI_OK;
}

int recording_read(struct recording *r, const struct cli_args *args)
{
    *r = (struct recording){.event = cli_option(args, "event"), .clock = cli_option(args, "clock"), .file.fd = -1};
    r->carrier_frames = cli_option(args, "carrier-frames") ? "on" : NULL;
    r->recompile = cli_option(args, "recompile") ? "on" : NULL;
    int status = cli_duration(args, "interval", 10000000, &r->interval_ns);
    if (!status)
        status = cli_duration(args, "duration", 0, &r->duration_ns);
    if (status)
        return status;
    if (r->interval_ns < 100000)
        return cli_usage(args->command, "--interval below 100us would only measure the profiler");
    status = check_safepoint(r, args);
    if (status)
        return status;
    if (cli_option(args, "duration") && !r->duration_ns)
        return cli_usage(args->command, "--duration 0 would record nothing");
    const char *file = cli_option(args, "output");
    if (file && (!*file || !strcmp(file, "-")))
        return cli_usage(args->command, "--output must be a file: the JVM itself writes it");
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
    duration_option(request, "interval", r->interval_ns);
    if (r->duration_ns)
        duration_option(request, "duration", r->duration_ns + guard_ns);
    control_option(request, "clock", r->clock);
    control_option(request, "event", r->event);
    control_option(request, "carrier-frames", r->carrier_frames);
    control_option(request, "recompile", r->recompile);
}
