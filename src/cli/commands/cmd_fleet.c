/* candor fleet: asks a server about all services and hosts. */
#include "base/agreed/recorded_events.h"
#include "cli/cli.h"
#include "cli/fleet/fleet.h"
#include "http/address.h"

#include <string.h>

static const struct cli_option options[] = {
    {0, "select", "SELECTOR", NULL, "only recordings with such labels, as in 'service=\"shop\",host=~\"web-.*\"'"},
    {0, "from", "TIME", NULL, "the beginning: -1h, 2026-11-22T16:41:00Z or seconds since the epoch (default -1h)"},
    {0, "until", "TIME", NULL, "the end, in the same format (default now)"},
    {0, "json", NULL, NULL, "print the server's answer, which is JSON"},
    {0, "token-file", "FILE", NULL, "the file with the token"},
    {0, "ca-file", "FILE", NULL, "certificates to trust instead of the system's"},
    {0, "by", "LABELS", NULL,
     "functions, top, endpoints: split the services also by these labels, as in version,host or endpoint; changes: compare the two "
     "newest values of this label (default version); metrics: split by one label"},
    {0, "type", "TYPE", NULL,
     "functions, top, changes: what weights measure, as in alloc_space:bytes (default: CPU time); endpoints: only this type"},
    {0, "limit", "N", NULL,
     "the largest number of rows: functions, endpoints (default 100); top: methods of each service (default 3); spans, search (default "
     "20)"},
    {0, "against", "TIME", NULL,
     "top: start of the time to compare with, relative to --from, such as -24h (default: the time just before); none: no comparison"},
    {0, "before", "WHAT", NULL, "changes: a selector, times such as -2h..-1h, yesterday, or last-week"},
    {0, "after", "WHAT", NULL, "changes: a selector or times (default: --select, --from and --until)"},
    {0, "requests", "BEFORE,AFTER", NULL,
     "changes: the cost of a request; how many an average host answered in a second before and after (default: those that recordings "
     "count)"},
    {0, "split", "LABEL", NULL, "changes: show for each change which values of this label have it, such as commits"},
    {0, "gate", "PERCENT", NULL,
     "changes: exit with status 1 if a method has certainly grown by more than PERCENT points, or a request by more than PERCENT, or if "
     "not everything can be compared"},
    {0, "all", NULL, NULL, "changes: also show what is not sure, and all callers"},
    {0, "state", "STATE", NULL,
     "findings: only those in this state: open, acknowledged, silenced, resolved, all (default: open and acknowledged)"},
    {0, "severity", "SEVERITY", NULL, "findings: only those of this severity: warning or info"},
    {0, "rule", "ID", NULL, "findings: only those of this rule, by its id in docs/findings.md"},
    {0, "set", "STATE", NULL,
     "findings ID: give it this state: open, acknowledged, silenced or resolved; needs a token that may read and write"},
    {0, "note", "TEXT", NULL, "findings ID: give it this note; alerts --silence: why"},
    {0, "step", "DURATION", NULL, "metrics NAME: the time of one value, in whole minutes (default: at most 200 values)"},
    {0, "order", "METRIC", NULL,
     "search: the metric whose largest values come first (default: the first of the condition); spans: cpu, wall, alloc or duration (cpu)"},
    {'e', "event", "LIST", NULL, "profile: what to record: one or several of " RECORDING_EVENT_TOGETHER " (default cpu)"},
    {'d', "duration", "TIME", NULL, "profile: for how long, up to 10m (default 1m)"},
    {'i', "interval", "TIME", NULL, "profile: time between two samples (default: the interval of the JVM's daemon)"},
    {0, "jvms", "N", NULL, "profile: the largest number of JVMs to record (default 1)"},
    {0, "share", "PERCENT", NULL, "profile: each JVM that matches is recorded with this probability (default 100%)"},
    {0, "within", "TIME", NULL, "profile: how long to look for such JVMs (default 2m)"},
    {0, "wait", NULL, NULL, "profile: wait until the recordings have arrived"},
    {0, "preview", NULL, NULL, "alerts: show when the rule NAME would have fired from --from to --until"},
    {0, "silence", "DURATION", NULL,
     "alerts: send no alerts of the rule NAME, of --of, or of both, for this time, up to 90d; needs a token that may read and write"},
    {0, "of", "VALUE", NULL, "alerts --silence: only alerts of this value of the label that the rule has as 'each', such as a service"},
    {0, "silences", NULL, NULL, "alerts: list the silences, the newest first"},
    {0, "end-silence", "ID", NULL, "alerts: end this silence now"},
    {0},
};

/* The options before this row are all views'. */
enum { SHARED_OPTIONS = 6 };

static const struct fleet_view *const views[] = {
    &fleet_services, &fleet_functions, &fleet_top,    &fleet_endpoints, &fleet_spans,   &fleet_changes,
    &fleet_findings, &fleet_metrics,   &fleet_search, &fleet_alerts,    &fleet_profile, NULL,
};

static const char *view_name_at(const void *context, size_t i)
{
    (void)context;
    return views[i] ? views[i]->name : NULL;
}

static int unknown_view(const char *typed)
{
    const char *near = cli_nearest(typed, view_name_at, NULL);
    if (near)
        return cli_usage(&command_fleet, "no view '%.60s'; did you mean '%s'?", typed, near);
    return cli_usage(&command_fleet, "no view '%.60s'", typed);
}

/* Whether the blank-separated list has the word. */
static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

static int check(const struct cli_args *args, const struct fleet_view *view)
{
    int words = args->operand_count - 2;
    if (!address_is(args->operands[1]))
        return cli_usage(args->command, "'%.200s' is not a server's address; write http://HOST:PORT or https://HOST", args->operands[1]);
    if (words < view->words_min || words > view->words_max)
        return cli_usage(args->command, "usage: candor fleet %s [OPTION...] URL%s%s", view->name, *view->words ? " " : "", view->words);
    for (int i = SHARED_OPTIONS; options[i].name; i++)
        if (args->values[i] && !has_word(view->options, options[i].name))
            return cli_usage(args->command, "--%s is not an option of 'candor fleet %s'", options[i].name, view->name);
    return CLI_OK;
}

static int fleet_run(const struct cli_args *args)
{
    const struct fleet_view *view = NULL;
    for (int i = 0; views[i]; i++)
        if (!strcmp(views[i]->name, args->operands[0]))
            view = views[i];
    if (!view)
        return unknown_view(args->operands[0]);
    if (args->operand_count < 2)
        return cli_usage(args->command, "missing: the server's address, http://HOST:PORT");
    int status = check(args, view);
    const struct fleet f = {args, args->operands[1], args->operands + 2, args->operand_count - 2};
    return status ? status : view->run(&f);
}

const struct cli_command command_fleet = {
    .name = "fleet",
    .arguments = "[OPTION...] VIEW URL",
    .summary = "ask a server about all services and hosts",
    .about =
        "Prints a table. URL is a server (candor server), such as http://HOST:PORT. The answer is about the time from --from to "
        "--until; without --from it is the last hour. If the server could not read all data of that time, a line on standard "
        "error says what is missing.\n\n"
        "Views:\n\n"
        "services: the services, the one with most CPU time first. CORES is the CPU time divided by the time between its first and "
        "its last sample.\n\n"
        "functions TEXT: the methods with TEXT in their name, in which services they run, and how much of the time of each service they "
        "have, with the 95 % interval. TEXT* means names that begin with TEXT, and /PATTERN/ is a regular expression. SELF is the time "
        "at the top of the stack, TOTAL also that of the methods it calls.\n\n"
        "top: the hottest methods of the program itself in each service, that is, neither the JDK's nor a framework's. OWN is the "
        "method's time, including JDK and framework code it calls. Below come the methods whose share has changed by more than chance, "
        "with the 95 % interval of the change.\n\n"
        "endpoints: how much of each service's CPU time, allocation and so on was work for which endpoint, with the 95 % interval of the "
        "share. '-' are samples that no endpoint was named for, '(other)' those of endpoints beyond the first thousands. If recordings "
        "count requests, A REQUEST is the cost of one, with its 95 % interval. --by sample.NAME splits also by another label of samples "
        "(docs/context.md).\n\n"
        "spans: the requests that cost most, by their spans. The server reads the recordings that it still has, the newest first, and "
        "says on standard error how many it has not read. TIME is from the first sample to the last. 'candor trace URL TRACE_ID' shows "
        "what a request's threads did.\n\n"
        "changes: what changed in a service between its two newest versions (--by LABEL: values of another label), or between --before "
        "and --after. Select one service. Shares are in % of all samples. CHANGE is how much the method added to the service's cost, in "
        "points; +- is the larger half of its 95 % interval. LEAST is the smallest growth that would be found. VERDICT: a method or "
        "line is new, gone, dearer or cheaper, or its cost moved from or to another one, as after a renaming. OF: a method's own time "
        "(self), a line of the program's own code, or the total of a method whose callees show no such change. Each host that appears on "
        "both sides is compared with itself. How much the hosts differ tells which changes could be chance. On average, at most one in a "
        "hundred of the listed changes is a false alarm.\n\n"
        "findings: the problems that the server's rules found in recordings, as 'candor analyze' does, the worst first. COST is the "
        "time that threads lost in each second of the recording where it was worst, SINCE the first time it was seen. With --from or "
        "--until, only findings that were seen in that time are listed. With an ID the view prints the finding, where it was seen, and "
        "the recording that is its evidence. Standard error says how many recordings have not been checked.\n\n"
        "metrics: the key metrics over the whole time, or with NAME one of them over time. Across JVMs, amounts are summed, shares are "
        "averaged, and for the longest pause the maximum is shown. --by splits the values by a label.\n\n"
        "search CONDITION: the minutes of JVMs whose key metrics satisfy a condition, such as 'lock_wait > 2 and gc_share < 10 %'. A "
        "condition compares metrics with numbers (> >= < <= = !=), joined by and, or, not and parentheses. Units are %, s, ms, us, KB, "
        "MB, GB, KiB, MiB, GiB.\n\n"
        "alerts [NAME]: the rules of alerts ('candor server --alerts'), the state of each alert since when, and its last value with "
        "the 95 % interval from LOW to HIGH. With NAME and --preview: when that rule would have fired, by the data of the past. A silence "
        "keeps alerts from being sent: --silence "
        "begins one, --silences lists them, and --end-silence ends one.\n\n"
        "profile: with --select, asks the daemons of such JVMs for one more recording, as in 'wall-clock time of the service shop for two "
        "minutes'. Daemons ask for orders every few seconds; their configuration may forbid it, and limits how many they begin within an "
        "hour. The recordings arrive with the label on_demand, and are only in answers to a --select that names it. Needs a token with the "
        "scope profile. Without --select: what was asked for, and what became of it in each JVM.",
    .examples = "candor fleet services http://candor.example:4041\n"
                "    which services there are, and what they used in the last hour\n"
                "candor fleet functions --by version http://candor.example:4041 HashMap.resize\n"
                "    in which services and versions these methods use CPU time, and how much\n"
                "candor fleet top --against -24h http://candor.example:4041\n"
                "    what is hot in each service, and what has changed since the same hour of yesterday\n"
                "candor fleet endpoints --select 'service=\"shop\"' http://candor.example:4041\n"
                "    which requests of shop use the CPU, allocate, and wait\n"
                "candor fleet changes --select 'service=\"shop\"' --from -1d http://candor.example:4041\n"
                "    what the newest version of shop made dearer or cheaper\n"
                "candor fleet changes --select 'service=\"shop\"' --before last-week http://candor.example:4041\n"
                "    the last hour against the same hour a week ago\n"
                "candor fleet changes --select 'service=\"shop\"' --from -1d --gate 1 http://candor.example:4041\n"
                "    for CI: status 1 if the newest version has a method that grew by more than 1 point\n"
                "candor fleet findings http://candor.example:4041\n    what is wrong\n"
                "candor fleet findings --set acknowledged --note 'a fix is on its way' http://candor.example:4041 17\n"
                "    so that others know\n"
                "candor fleet metrics --by host --select 'service=\"shop\"' http://candor.example:4041 gc_share\n"
                "    how much of the time each host of the service was stopped for garbage collection\n"
                "candor fleet search --from -1d --order alloc http://candor.example:4041 'gc_longest > 200 ms'\n"
                "    in which minutes of the last day a pause was long, those with most allocation first\n"
                "candor fleet alerts http://candor.example:4041 json-is-slow --preview --from -7d\n"
                "    when the rule json-is-slow would have fired in the last week\n"
                "candor fleet alerts http://candor.example:4041 json-is-slow --of shop --silence 2h --note 'a fix is on its way'\n"
                "    send no alerts of this rule about shop for two hours\n"
                "candor fleet profile --select 'service=\"shop\"' -e wall -d 2m --wait http://candor.example:4041\n"
                "    what threads of the service shop wait for, in two minutes from now\n",
    .options = options,
    .operand = CLI_NOTHING,
    .operands_min = 1,
    .operands_max = -1,
    .run = fleet_run,
};
