/* candor daemon: profiles this host's JVMs all the time, and sends the recordings to a server. */
#include "base/agreed/recorded_events.h"
#include "cli/cli.h"
#include "cli/session.h"
#include "daemon/daemon.h"
#include "daemon/spool/spool_folder.h"
#include "daemon/status.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    {0, "config", "FILE", NULL, "a file with settings, and with rules that say which JVMs to profile and how (see above)"},
    {0, "server", "URL", NULL, "where to send recordings: http://HOST:PORT or https://HOST"},
    {0, "to", "URL", NULL,
     "instead of --server, another back end: otlp+http://HOST:4318 (OTLP profiles), pyroscope+http://HOST:4040, each "
     "also with https"},
    {0, "token-file", "FILE", NULL, "the file with the token for the server; it is read again for each upload"},
    {0, "ca-file", "FILE", NULL, "certificates to trust instead of the system's"},
    {0, "cert-file", "FILE", NULL, "the daemon's certificate (PEM), for servers that ask for one; it is read again for each connection"},
    {0, "key-file", "FILE", NULL, "private key of the certificate in --cert-file (PEM)"},
    {0, "spool", "DIR", NULL,
     "folder in which recordings are kept until they are sent (default "
     "/var/lib/candor-daemon; for users other than root ~/.local/state/candor-daemon)"},
    {0, "spool-max", "SIZE", NULL,
     "limit of the spool's size: if it is exceeded, the oldest recordings are deleted and counted (default 1G)"},
    {0, "metrics-file", "FILE", NULL,
     "write metrics of each JVM and of the daemon to FILE, for the textfile collector of Prometheus' node_exporter"
     " (default none)"},
    {0, "chunk", "TIME", NULL, "length of one recording (default 30s)"},
    {'e', "event", "LIST", NULL, "what to record: " RECORDING_EVENT_TOGETHER " (default cpu,wall,alloc,lock,halt)"},
    {'i', "interval", "TIME", NULL, "a thread's CPU time between two samples (default 10ms)"},
    {0, "max-overhead", "PERCENT", NULL, "sample less often if it would take more of a JVM's CPU time (default 1%)"},
    {0, "max-jvms", "N", NULL, "profile at most this many JVMs at a time (default 100)"},
    {0, "look", "TIME", NULL, "how often to look for new JVMs (default 5s)"},
    {0, "min-age", "TIME", NULL, "leave younger JVMs alone (default 5s)"},
    {0, "host", "NAME", NULL, "value of the label host (default this machine's name)"},
    SESSION_TIMEOUT_OPTION,
    {0, "once", NULL, NULL, "profile for the time of one --chunk, send the recordings, and end"},
    {0, "status", NULL, NULL, "print the state of the running daemon, as JSON, and end"},
    {0},
};

/* Reads the settings from the file and the options. Options take precedence. */
static int read_settings(struct config *c, const struct cli_args *args)
{
    struct error e;
    const char *file = cli_option(args, "config");
    if (file && config_read(c, file, &e))
        return cli_usage(args->command, "%s", e.text);
    for (const struct cli_option *o = options; o->name; o++) {
        const char *value = cli_option(args, o->name);
        bool is_setting = o->value && strcmp(o->name, "config") != 0;
        if (value && is_setting && config_set(c, o->name, value, &e))
            return cli_usage(args->command, "--%s", e.text);
    }
    return config_finish(c, !cli_switch(args, "status"), &e) ? cli_usage(args->command, "%s", e.text) : CLI_OK;
}

static int print_status(const struct config *c)
{
    char path[PATH_MAX + 16], part[4096];
    size_t n;
    snprintf(path, sizeof path, "%s/" STATUS_FILE, c->spool);
    FILE *f = fopen(path, "re");
    if (!f)
        return cli_fail("no daemon has written %s: %s; give the daemon's spool with --spool or --config", path, strerror(errno));
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        fwrite(part, 1, n, stdout);
    fclose(f);
    int status = cli_finish_output();
    if (!status && !spool_folder_in_use(c->spool))
        status = cli_fail("no daemon is running on the spool %s; this is the last state that one wrote", c->spool);
    return status;
}

static int run(const struct config *c, const struct cli_args *args)
{
    struct error e;
    struct agent_library library;
    sigset_t set;
    if (cli_switch(args, "status"))
        return print_status(c);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    session_embedded_library(&library);
    return daemon_run(c, &library, cli_switch(args, "once"), &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static int daemon_command(const struct cli_args *args)
{
    struct config config;
    config_init(&config);
    int status = read_settings(&config, args);
    if (!status)
        status = run(&config, args);
    config_deinit(&config);
    return status;
}

const struct cli_command command_daemon = {
    .name = "daemon",
    .arguments = "[--config FILE] (--server URL | --to URL) [OPTION...]",
    .summary = "profile this host's JVMs all the time and send the recordings to a server",
    .about = "Finds the JVMs of this host as they come and go, records each of them, and sends a recording to the server after every "
             "--chunk. As root it profiles the JVMs of all users, otherwise those of the user who runs it. A JVM may have up to three "
             "other recordings at the same time; the daemon leaves the JVM alone only if one of these excludes others. It prints one line "
             "on standard error for each thing that happens.\n\n"
             "Nothing is lost between two recordings of a JVM, and nothing is in both. Recordings are packed and kept in "
             "the spool until the server has them on its disk, whatever happens to the network, the server or the daemon. "
             "After a crash the next daemon continues with the recordings of the previous one. SIGTERM ends the "
             "recordings in the JVMs and sends the remaining data.\n\n"
             "The file of --config has lines of key = value. Section [daemon] contains the options below by name, and the settings "
             "of rules, for all JVMs. Each "
             "section [jvm NAME] is a rule; the first rule that matches a JVM decides, and a JVM that matches none is "
             "profiled. Conditions: main (main class or jar, whole or its last part), user, jdk, env.VARIABLE, "
             "property.NAME, as patterns with * and ?. Settings: profile = yes or no, share (of the JVMs, such as 25%), "
             "on-demand = yes or no, service, version, label.NAME, and, as in candor record, " SETTINGS_NAMES ".\n\n"
             "The server may ask for one more recording of a JVM, for ten minutes at most (candor fleet profile). Section [daemon] "
             "may forbid that with on-demand = no; on-demand-max is how many begin within an hour on this host (default 6).\n\n"
             "An event that a JVM cannot record is left out there; the log and --status name it.\n\n"
             "If no rule sets it, the label service comes from OTEL_SERVICE_NAME, -Dotel.service.name, "
             "OTEL_RESOURCE_ATTRIBUTES, DD_SERVICE, -Ddd.service, -Dservice.name, -Dspring.application.name, "
             "SPRING_APPLICATION_NAME, or is the main class; version comes from OTEL_RESOURCE_ATTRIBUTES, DD_VERSION, "
             "-Ddd.version or -Dservice.version.\n\n"
             "With --status: the JVMs found and why each is profiled or not, recordings spooled, sent and dropped, and "
             "the last problem. The exit status is 1 if no daemon is running there.",
    .examples = "candor daemon --server https://profiles.example.org --token-file /etc/candor/token\n"
                "    every JVM of this host\n"
                "candor daemon --config /etc/candor/daemon.conf\n"
                "    with the settings and rules in that file\n"
                "candor daemon --to otlp+http://collector:4318\n"
                "    the same, for another back end that accepts OTLP profiles\n"
                "candor daemon --status | jq '.jvms[] | {pid, state, reason}'\n"
                "    which JVMs are profiled, and why others are not\n",
    .often = "server,config,event,interval,max-overhead",
    .options = options,
    .run = daemon_command,
};
