/* candor diagnose: records everything that the rules of `candor analyze` need, and prints their findings. */
#include "cli/analyze/recorder_need.h"
#include "analysis/recording_evidence.h"
#include "attach/jvm.h"
#include "base/agreed/control_protocol.h"
#include "base/text/number.h"
#include "base/time_units.h"
#include "cli/analyze/judge.h"
#include "cli/read/remote.h"
#include "cli/record/attached.h"
#include "cli/record/jdk_recorder.h"
#include "cli/record/launch.h"
#include "doctor/machine/container.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {'d', "duration", "TIME", NULL, "how long to record a JVM (default 30s), or a command (default: until it ends)"},
    {'o', "output", "FILE", NULL, "the recording, which is kept (default: candor-NAME-TIME.jfr in this folder)"},
    {0, "jfr", "MODE", "auto|off|existing|on",
     "how to use the JDK's own recorder, which some rules need; auto: only if the first seconds call for it (default auto)"},
    JUDGE_OPTIONS SESSION_TIMEOUT_OPTION,
    CLI_UNPACK_OPTION,
    {0},
};

/* The events that the rules need. A JVM before version 11 cannot sample allocations. */
#define EVENTS_OF_ANY "cpu,wall,lock,halt"
#define EVENTS        "cpu,wall,alloc,live,lock,halt"
#define EVENTS_BESIDE "cpu,wall,alloc,lock,halt"

enum { DEFAULT_SECONDS = 30, FIRST_WITH_ALLOCATIONS = 11, LAST_WITH_RT_JAR = 8 };

/* With this duration and more a recording has so many samples that the rules find the same with half as many a second, for half of the
 * cost. Shorter recordings have the rates of `candor record`. */
#define LONG_NS (20 * NS_PER_S)

static const struct {
    enum recording_option option;
    const char *value;
} of_long[] = {
    {OPTION_INTERVAL, "20ms"},  {OPTION_WALL_INTERVAL, "100ms"}, {OPTION_WALL_RATE, "80/s"},
    {OPTION_LOCK_RATE, "50/s"}, {OPTION_ALLOC_RATE, "50/s"},
};

/* The look that decides whether the JDK's recorder joins comes after a part of the duration. */
enum { LOOK_PART = 6 };
#define LOOK_LEAST_NS (2 * NS_PER_S) /* each second the agent's data reach the file */
#define LOOK_MOST_NS  (5 * NS_PER_S)

/* Returns the operand for a further recording of the same program. NULL if the process has ended, or if its name may need quotes. */
static const char *again(const struct cli_args *args)
{
    const char *operand = args->operands[0];
    if (args->after_dashes)
        return "-- COMMAND";
    size_t digits = strspn(operand, "0123456789"), n = strlen(operand);
    bool has_ended = digits == n && kill((pid_t)number_or_zero(operand), 0) && errno == ESRCH;
    for (size_t i = digits; i < n; i++)
        if (!isalnum((unsigned char)operand[i]) && !strchr("._-/", operand[i]))
            return NULL;
    return has_ended ? NULL : operand;
}

static int show(const struct recording *r, const struct cli_args *args)
{
    struct judge judge;
    int status = judge_read(&judge, args);
    judge.overview = true;
    judge.again = again(args);
    return status ? status : judge_file(&judge, args, r->file.path);
}

/* ---- the recording ---- */

static const char *events_of(int feature)
{
    return feature && feature < FIRST_WITH_ALLOCATIONS ? EVENTS_OF_ANY : EVENTS;
}

/* Finds a program by its name in PATH, or by its path. */
static bool find_program(const char *name, char path[PATH_MAX])
{
    const char *folders = strchr(name, '/') ? "" : getenv("PATH");
    char *list = strdup(folders ? folders : ""), *rest = list, *folder, file[PATH_MAX];
    bool found = list && strchr(name, '/') && realpath(name, path);
    while (!found && (folder = strsep(&rest, ":"))) {
        int n = snprintf(file, sizeof file, "%s/%s", *folder ? folder : ".", name);
        found = n < PATH_MAX && !access(file, X_OK) && realpath(file, path);
    }
    free(list);
    return found;
}

/* Whether the program is the java of a JDK before 9. Some of these have no file `release`. path: DIR/bin/java. */
static bool is_old(const char *path)
{
    char classes[PATH_MAX];
    const char *name = strrchr(path, '/');
    size_t folder = name && name - path > 4 && !strncmp(name - 4, "/bin", 4) ? (size_t)(name - 4 - path) : 0;
    return folder && snprintf(classes, sizeof classes, "%.*s/lib/rt.jar", (int)folder, path) < PATH_MAX && !access(classes, F_OK);
}

/* Returns the version of Java if the command is java; 0 = it is another program, or the version is unknown. */
static int feature_of_command(const char *program)
{
    char path[PATH_MAX] = "", version[64] = "";
    struct process self;
    struct error e;
    if (find_program(program, path) && !process_read(getpid(), &self, &e))
        jvm_read_version(&self, path, version, sizeof version);
    return !*version && is_old(path) ? LAST_WITH_RT_JAR : jvm_feature(version);
}

static int feature_of_process(pid_t pid)
{
    static struct jvm jvm;
    struct error e;
    return jvm_read(pid, &jvm, &e) ? 0 : jvm_feature(jvm.version);
}

/* The agent that is in the JVM already. If there is none, ours will be loaded. */
struct present {
    uint64_t minor; /* version of its protocol */
    bool records;
};

static struct present present_of(const struct session *s)
{
    struct present p = {.minor = CONTROL_PROTOCOL_MINOR};
    struct control_answer answer;
    struct error e;
    if (!session_ask_simple(s, "status", &answer, &e)) {
        const char *state = control_text(&answer, "state");
        p.minor = control_number(&answer, "protocol_minor", 0);
        p.records = state && !strcmp(state, "running");
    }
    control_answer_free(&answer);
    return p;
}

static bool is_auto(const struct cli_args *args)
{
    const char *jfr = cli_option(args, "jfr");
    return !jfr || !strcmp(jfr, "auto");
}

#define STOPPED_LEAST 0.05 /* share of the quota's periods; the smallest that makes a finding */

/* The process whose CPU quota is watched, and its counts when the recording began. */
static struct {
    pid_t pid;
    struct container_throttling before;
    bool has_quota;
} quota;

static void watch_quota(pid_t pid)
{
    quota.pid = pid;
    quota.has_quota = container_throttling(pid, &quota.before);
}

/* Whether the kernel has stopped the threads because the quota was used up. The JDK's recorder then says how often. */
static bool is_throttled(void)
{
    struct container_throttling now;
    return quota.has_quota && container_throttling(quota.pid, &now) && now.stopped > quota.before.stopped &&
           (double)(now.stopped - quota.before.stopped) >= STOPPED_LEAST * (double)(now.periods - quota.before.periods);
}

/* Decides whether the JDK's recorder must join. If the first seconds cannot be read, the rest is recorded without it. */
static const char *look(const struct recording *r)
{
    static struct jfr_problems problems; /* the file is still being written */
    struct recording_evidence *first;
    struct error e;
    if (is_throttled())
        return "its CPU quota stops the program";
    if (recording_evidence_load(&first, r->file.path, NULL, &problems, &e))
        return NULL;
    const char *why = recorder_need(recording_evidence_get(first));
    recording_evidence_free(first);
    return why;
}

/* Chooses when the JDK's recorder takes part: at once if its classes are loaded already, so that it costs little, or if an agent of an
 * earlier version could not record that it joins; otherwise if the first seconds call for it. */
static void choose_recorder(const struct session *s, struct recording *r, const struct present *agent)
{
    r->given[OPTION_JFR] = "on";
    if (agent->minor < CONTROL_MINOR_WITH_AUTO || jdk_recorder_is_loaded(s))
        return;
    r->given[OPTION_JFR] = "auto";
    watch_quota(s->process.pid);
    r->look = look;
    r->look_ns = r->duration_ns / LOOK_PART;
    r->look_ns = r->look_ns < LOOK_LEAST_NS ? LOOK_LEAST_NS : r->look_ns > LOOK_MOST_NS ? LOOK_MOST_NS : r->look_ns;
}

/* A clock of perf costs a thread microseconds at each context switch, which is a fifth of the CPU time of a program that does little
 * between two of them. The kernel looks at timers at its ticks only. That is often enough for shares, and free. */
static void choose_rates(struct recording *r)
{
    r->given[OPTION_CLOCK] = "timer";
    bool has_allocations = strcmp(r->given[OPTION_EVENT], EVENTS_OF_ANY);
    for (size_t i = 0; r->duration_ns >= LONG_NS && i < sizeof of_long / sizeof *of_long; i++)
        if (of_long[i].option != OPTION_ALLOC_RATE || has_allocations)
            r->given[of_long[i].option] = of_long[i].value;
}

/* While other recordings run, neither the event live nor the JDK's recorder can be added, and their clocks stay. */
static int choose_events(const struct session *s, struct recording *r, const struct cli_args *args)
{
    int pid = s->process.pid;
    const char *events = events_of(feature_of_process(pid)), *jfr = cli_option(args, "jfr");
    struct present agent = present_of(s);
    bool beside = agent.records && agent.minor >= CONTROL_MINOR_WITH_SEVERAL; /* an earlier agent itself refuses another recording */
    if (beside && !is_auto(args) && strcmp(jfr, "off") != 0)
        return cli_fail("cannot diagnose %d with --jfr %s: it is already being recorded, and only one recording at a time can include the "
                        "JDK's recorder; leave out --jfr, or end the other recording ('candor status %d' shows it)",
                        pid, jfr, pid);
    if (beside) {
        fprintf(stderr,
                "candor: %d is already being recorded, so -e live and --jfr on are not possible: the rules that need them are not judged\n",
                pid);
        r->given[OPTION_EVENT] = strcmp(events, EVENTS) ? events : EVENTS_BESIDE;
        r->given[OPTION_JFR] = NULL;
        return CLI_OK;
    }
    r->given[OPTION_EVENT] = events;
    choose_rates(r);
    if (is_auto(args))
        choose_recorder(s, r, &agent);
    return CLI_OK;
}

static int record(const struct cli_args *args)
{
    struct recording r;
    struct session s;
    int status = recording_read(&r, args);
    if (status)
        return status;
    r.show = show;
    if (args->after_dashes) {
        r.given[OPTION_EVENT] = events_of(feature_of_command(args->operands[0]));
        choose_rates(&r);
        if (is_auto(args))
            r.given[OPTION_JFR] = launch_is_java(args) ? "on" : NULL; /* the start of a program costs more than the recorder's */
        return launch_record(args, &r, NULL);
    }
    r.duration_ns = r.duration_ns ? r.duration_ns : DEFAULT_SECONDS * NS_PER_S;
    status = session_open(&s, args);
    if (!status)
        status = choose_events(&s, &r, args);
    if (!status)
        status = attached_record(&s, args, &r);
    session_close(&s);
    return status;
}

/* ---- the process to diagnose ---- */

static int diagnose_file(const struct cli_args *args, struct judge *judge)
{
    static const char *const of_jvm[] = {"duration", "output", "jfr", "timeout"};
    for (size_t i = 0; i < sizeof of_jvm / sizeof *of_jvm; i++)
        if (cli_option(args, of_jvm[i]))
            return cli_usage(args->command, "--%s is for a JVM, but %.100s is a file; leave the option out", of_jvm[i], args->operands[0]);
    judge->overview = true;
    return judge_file(judge, args, args->operands[0]);
}

static int diagnose_run(const struct cli_args *args)
{
    const char *operand = args->operands[0];
    struct judge judge;
    int status = judge_read(&judge, args);
    if (status || args->after_dashes)
        return status ? status : record(args);
    if (args->operand_count > 1)
        return cli_usage(args->command, "'%.60s' is one argument too many; a command goes after --", args->operands[1]);
    if (remote_is(operand))
        return cli_fail("%s: a server keeps samples, but not what threads waited for; give the FILE of a recording", operand);
    if (!strcmp(operand, "-"))
        return cli_fail(
            "-: standard input can be read only once, but this command reads the recording once for each kind of sample; give a file");
    return cli_is_file(operand) ? diagnose_file(args, &judge) : record(args);
}

const struct cli_command command_diagnose = {
    .name = "diagnose",
    .arguments = "[OPTION...] (PID | NAME | FILE | -- COMMAND...)",
    .summary = "record a JVM for half a minute, then show its problems, the worst first",
    .about =
        "Records what the rules of 'candor analyze' need (-e cpu,wall,alloc,live,lock,halt; without alloc and live before JDK "
        "11), judges the recording, and prints the findings, the worst first. Each says what happens, its cost, its place "
        "in the program's own code, the remedy, and the command that shows more. With a FILE it judges that recording.\n\n"
        "Below the findings it shows general figures of the program, whether they are a problem or not: processors in use, threads "
        "that lack a processor, waits for monitors, garbage collection, allocations. For each figure it names the line of the program "
        "that causes the largest part. The end says how many rules found nothing (--top 0 lists them), and lists those that could "
        "not be judged, with the one command that judges them. Rules about sockets, files, pinned carriers and late threads need "
        "the JDK's own recorder, whose start costs the program half a second of CPU time. So it joins only if the first seconds call "
        "for it, for instance because threads wait for sockets; the recording then lasts DURATION from there on. Without it these rules "
        "are not judged. --jfr on starts it at once.\n\n"
        "The recording is kept, for 'candor report' and other commands. The exit status is that of 'candor record': "
        "findings do not change it. docs/findings.md describes the rules, docs/formats/analyze-json.md the output of "
        "--json.",
    .examples = "candor diagnose 4711\n"
                "    the problems of process 4711\n"
                "candor diagnose --jfr off -d 1m 4711\n    for a minute, without the JDK's recorder\n"
                "candor diagnose -- java -jar app.jar\n    a program from start to end\n"
                "candor diagnose --json app.jfr | jq '.findings[0]'\n    an existing recording, as JSON\n"
                "candor diagnose --not-rules gc_long_pause,boxing app.jfr\n"
                "    without these rules\n",
    .options = options,
    .operand = CLI_PROCESS,
    .operands_min = 1,
    .operands_max = -1,
    .dash_dash = true,
    .run = diagnose_run,
};
