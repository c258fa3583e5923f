/* candor start, stop, dump, status: control a recording step by step. Each command is one request to the agent. */
#include "base/text/jsonw.h"
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/record/begin.h"
#include "cli/record/jdk_recorder.h"
#include "cli/record/recording.h"
#include "cli/session.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Sends a request, and prints the reason if it fails. Returns a status. */
static int ask(const struct session *s, struct control_request *r, const char *doing, struct control_answer *answer)
{
    struct error e;
    int code = session_ask(s, r, answer, &e);
    if (!code)
        return CLI_OK;
    if (code == -ENOENT)
        return cli_fail("cannot %s: nothing is being recorded in %d; begin with 'candor "
                        "start %d'",
                        doing, s->process.pid, s->process.pid);
    if (code == -EREMOTEIO)
        return cli_fail("cannot %s in %d: %s", doing, s->process.pid, e.text);
    return cli_fail("%s", e.text);
}

static int ask_start(const struct session *s, const struct recording *r, struct control_answer *answer)
{
    struct control_request request;
    control_begin(&request, "start");
    recording_options(r, &request, 0);
    return ask(s, &request, "start a recording", answer);
}

static void print_how_to_stop(const struct session *s, uint64_t id, const struct control_answer *answer)
{
    const char *all = control_text(answer, "recordings");
    if (all && strchr(all, ','))
        printf("\nend it with: candor stop --recording %" PRIu64 " %d\n", id, s->process.pid);
    else
        printf("\nend it with: candor stop %d\n", s->process.pid);
}

static int start(struct session *s, const struct cli_args *args, struct recording *r)
{
    struct control_answer answer;
    struct jdk_recorder jdk;
    int status = recording_choose_file(r, args, s->name);
    if (!status)
        status = session_load_agent(s);
    if (!status)
        status = recording_file_open(&r->file);
    if (status)
        return status;
    if (r->given[OPTION_JFR])
        interrupt_catch(); /* a signal must not kill candor before it has ended what begins here */
    jdk_recorder_begin(&jdk, s, r, 0);
    status = interrupt_signal() ? cli_fail("nothing is recorded: interrupted") : ask_start(s, r, &answer);
    if (status)
        recording_file_discard(&r->file);
    recording_file_close(&r->file);
    r->id = status ? 0 : control_number(&answer, "recording", 0);
    int placed = status ? status : begin_place(s, r);
    if (placed) {
        jdk_recorder_abandon(&jdk, s);
        if (!status)
            control_answer_free(&answer);
        return placed;
    }
    jdk_recorder_leave(&jdk);
    printf("recording %d (%s) to ", s->process.pid, s->name);
    utf8_print(stdout, r->file.path);
    print_how_to_stop(s, r->id, &answer);
    control_answer_free(&answer);
    return cli_finish_output();
}

static int start_run(const struct cli_args *args)
{
    struct recording r;
    struct session s;
    int status = recording_read(&r, args);
    if (status)
        return status;
    if (r.given[OPTION_JFR] && r.duration_ns)
        return cli_usage(
            args->command,
            "--jfr %s needs 'candor stop', which appends the JDK's recording to the agent's: leave out --duration, or use 'candor record'",
            r.given[OPTION_JFR]);
    status = session_open(&s, args);
    if (!status)
        status = start(&s, args, &r);
    session_close(&s);
    return status;
}

static void print_saved(const char *word, const struct control_answer *answer)
{
    char bytes[32];
    printf("%s ", word);
    utf8_print(stdout, control_text(answer, "file") ? control_text(answer, "file") : "-");
    printf(" (%s bytes", progress_count(control_number(answer, "bytes", 0), bytes, sizeof bytes));
    if (control_text(answer, "samples"))
        printf(", %s samples", progress_count(control_number(answer, "samples", 0), bytes, sizeof bytes));
    puts(")");
}

/* Reads --recording; 0 = it is not given. Returns a status. */
static int read_id(const struct cli_args *args, uint64_t *id)
{
    const char *text = cli_option(args, "recording");
    *id = 0;
    if (text && number_parse(text, 1, UINT32_MAX, id) != NUMBER_GOOD)
        return cli_usage(args->command, "--recording '%.40s': use the number that 'candor status' shows", text);
    return CLI_OK;
}

/* Asks for the state of the recording before it is stopped. With --paths, stopping takes longer, so its time is added to the timeout. If
 * data of the JDK's recorder will be appended, returns the descriptor of the recording's file, else a negative errno. */
static int prepare_stop(struct session *s, uint64_t id)
{
    struct control_answer answer;
    struct error e;
    if (session_ask_about(s, "status", id, &answer, &e))
        return -ENOENT;
    s->timeout_ns += 2 * control_number(&answer, "paths_ns", 0);
    int file = jdk_recorder_open_file(s, &answer);
    control_answer_free(&answer);
    return file;
}

static int stop_run(const struct cli_args *args)
{
    struct session s;
    struct control_request request;
    struct control_answer answer;
    uint64_t id;
    int file = -ENOENT, status = read_id(args, &id);
    if (status)
        return status;
    status = session_open(&s, args);
    if (!status) {
        file = prepare_stop(&s, id);
        control_begin(&request, "stop");
        session_name_recording(&request, id);
        status = ask(&s, &request, "stop a recording", &answer);
    }
    int joined = status ? CLI_OK : jdk_recorder_stop(&s, &answer, file);
    session_close(&s);
    if (status)
        return status;
    print_saved("recorded", &answer);
    const char *error = control_text(&answer, "error"), *fault = control_text(&answer, "fault");
    status = cli_finish_output();
    if (fault)
        status = cli_fail("%s", fault);
    if (error)
        status = cli_fail("the recording is incomplete: %s", error);
    control_answer_free(&answer);
    return status ? status : joined;
}

static void ask_for_paths(struct control_request *request, unsigned long long ns)
{
    char text[32];
    snprintf(text, sizeof text, "%lluns", ns);
    control_option(request, "paths", text);
    paths_option_say(ns, "now");
}

static int dump(const struct session *s, const char *output, uint64_t id, unsigned long long paths_ns, struct control_answer *answer)
{
    struct control_request request;
    struct recording_file file = {.fd = -1, .replaced = -1};
    int status = output ? recording_file_choose(&file, output) : CLI_OK;
    if (!status && output)
        status = recording_file_open(&file);
    if (status)
        return status;
    control_begin(&request, "dump");
    session_name_recording(&request, id);
    if (output)
        recording_file_option(&file, &request);
    if (paths_ns)
        ask_for_paths(&request, paths_ns);
    status = ask(s, &request, "dump a recording", answer);
    if (status)
        recording_file_discard(&file);
    recording_file_close(&file);
    if (!status && recording_file_place(&file)) {
        control_answer_free(answer);
        status = CLI_FAILED;
    }
    return status;
}

static int dump_run(const struct cli_args *args)
{
    struct session s;
    struct control_answer answer;
    const char *output = cli_option(args, "output");
    unsigned long long paths_ns;
    uint64_t id;
    int status = paths_option_read(args, &paths_ns);
    if (!status)
        status = read_id(args, &id);
    if (status)
        return status;
    status = session_open(&s, args);
    if (!status)
        status = dump(&s, output, id, paths_ns, &answer);
    int joined = status || !output ? CLI_OK : jdk_recorder_dump(&s, &answer, output);
    session_close(&s);
    if (status)
        return status;
    print_saved("dumped", &answer);
    control_answer_free(&answer);
    status = cli_finish_output();
    return status ? status : joined;
}

static void print_duration(const char *word, const struct control_answer *answer, const char *key)
{
    char text[32];
    if (control_text(answer, key))
        printf("  %-9s %s\n", word, units_format_duration(text, sizeof text, control_number(answer, key, 0)));
}

static void print_count(const char *word, const struct control_answer *answer, const char *key)
{
    char text[32];
    if (control_text(answer, key))
        printf("  %-9s %s\n", word, progress_count(control_number(answer, key, 0), text, sizeof text));
}

static void print_text(const char *word, const struct control_answer *answer, const char *key)
{
    if (!control_text(answer, key))
        return;
    printf("  %-9s ", word);
    utf8_print(stdout, control_text(answer, key));
    putchar('\n');
}

static void print_keep(const struct control_answer *answer)
{
    char kept[32], limit[32];
    uint64_t ns = control_number(answer, "keep_ns", 0), bytes = control_number(answer, "max_bytes", 0);
    if (!control_text(answer, "kept_ns"))
        return;
    printf("  %-9s the last %s", "kept", units_format_duration(kept, sizeof kept, control_number(answer, "kept_ns", 0)));
    if (ns)
        printf(", of %s", units_format_duration(limit, sizeof limit, ns));
    if (bytes)
        printf(", at most %s", units_format_bytes(limit, sizeof limit, bytes));
    putchar('\n');
}

static void print_dumps(const struct control_answer *answer)
{
    const char *rule = control_text(answer, "dump_on");
    if (!rule)
        return;
    printf("  %-9s %llu of at most %llu, on ", "dumps", (unsigned long long)control_number(answer, "dumps", 0),
           (unsigned long long)control_number(answer, "dump_max", 0));
    utf8_print(stdout, rule);
    putchar('\n');
    print_text(control_text(answer, "dump_error") ? "failed" : "last dump", answer, "dump_file");
    print_text("because", answer, "dump_error");
}

static void print_status(const struct session *s, const struct control_answer *answer)
{
    const char *state = control_text(answer, "state");
    printf("%d (%s): agent ", s->process.pid, s->name);
    utf8_print(stdout, control_text(answer, "version") ? control_text(answer, "version") : "");
    printf(", %s\n", state && !strcmp(state, "running") ? "recording" : "not recording");
    print_count("number", answer, "recording");
    print_text("name", answer, "name");
    print_text("file", answer, "file");
    print_text("event", answer, "event");
    print_text("jfr", answer, "jfr");
    print_text("clock", answer, "clock");
    print_text("clocks", answer, "clocks");
    print_duration("interval", answer, "interval_ns");
    print_count("every", answer, "event_interval");
    if (control_number(answer, "pace_ns", 0) > control_number(answer, "interval_ns", 0))
        print_duration("at present", answer, "pace_ns");
    print_duration("elapsed", answer, "elapsed_ns");
    print_duration("cpu", answer, "cpu_ns");
    print_count("samples", answer, "samples");
    print_count("lost", answer, "lost");
    print_count("threads", answer, "threads");
    print_count("bytes", answer, "bytes");
    print_keep(answer);
    print_dumps(answer);
    print_text("warning", answer, "warning");
    print_text("fault", answer, "fault");
    print_text("error", answer, "error");
}

/* Prints each pair of the answer. A value that consists of digits is printed as a number. */
static void print_status_json(const struct session *s, const struct control_answer *answer)
{
    struct jsonw j;
    jsonw_init(&j, stdout);
    jsonw_object(&j);
    if (!answer->count) {
        jsonw_key(&j, "pid");
        jsonw_int(&j, s->process.pid);
        jsonw_key(&j, "state");
        jsonw_text(&j, "absent");
    }
    for (int i = 0; i < answer->count; i++) {
        const char *key = answer->pairs[i].key, *value = answer->pairs[i].value;
        jsonw_key(&j, key);
        if (*value && value[strspn(value, "0123456789")] == 0)
            jsonw_uint(&j, control_number(answer, key, 0));
        else
            jsonw_text(&j, value);
    }
    jsonw_object_end(&j);
    jsonw_finish(&j);
}

/* Prints the recordings that run besides the one in the answer. */
static void print_others(const struct session *s, const struct control_answer *answer)
{
    const char *at = control_text(answer, "recordings");
    uint64_t first = control_number(answer, "recording", 0), id;
    struct control_answer other;
    struct error e;
    while (at && number_take(&at, 10, 1, UINT32_MAX, &id) == NUMBER_GOOD) {
        at += *at == ',';
        if (id == first || session_ask_about(s, "status", id, &other, &e))
            continue;
        print_status(s, &other);
        control_answer_free(&other);
    }
}

static int status_of(const struct session *s, uint64_t id, const struct cli_args *args)
{
    struct control_answer answer;
    struct error e;
    int code = session_ask_about(s, "status", id, &answer, &e);
    if (code && code != -ENOENT)
        return cli_fail("%s", e.text);
    if (cli_switch(args, "json"))
        print_status_json(s, &answer);
    else if (code)
        printf("%d (%s): not recording, no agent is active\n", s->process.pid, s->name);
    else
        print_status(s, &answer);
    if (!cli_switch(args, "json") && !code && !id)
        print_others(s, &answer);
    control_answer_free(&answer);
    return cli_finish_output();
}

static int status_run(const struct cli_args *args)
{
    struct session s;
    uint64_t id;
    int status = read_id(args, &id);
    if (status)
        return status;
    status = session_open(&s, args);
    if (!status)
        status = status_of(&s, id, args);
    session_close(&s);
    return status;
}

static const struct cli_option start_options[] = {RECORDING_OPTIONS SESSION_TIMEOUT_OPTION, {0}};
#define WHICH_OPTION                                                                                                                       \
    {                                                                                                                                      \
        0, "recording", "NUMBER", NULL, "which recording, if several run: its number in the output of 'candor status'"                     \
    }

static const struct cli_option stop_options[] = {WHICH_OPTION, SESSION_TIMEOUT_OPTION, {0}};
static const struct cli_option dump_options[] = {
    {'o', "output", "FILE", NULL, "copy the data recorded so far to this file"},
    {0, "paths", "TIME", NULL,
     "with -e live: find now what keeps sampled objects alive; stops all threads for at most TIME (default 200ms, up to 10m)", "200ms"},
    WHICH_OPTION,
    SESSION_TIMEOUT_OPTION,
    {0},
};
static const struct cli_option status_options[] = {
    {0, "json", NULL, NULL, "print JSON"},
    WHICH_OPTION,
    SESSION_TIMEOUT_OPTION,
    {0},
};

const struct cli_command command_start = {
    .name = "start",
    .arguments = "[OPTION...] (PID | NAME)",
    .summary = "start a recording in a running JVM and return",
    .about = "Loads the agent into the JVM if it is not there yet, and starts a recording. The JVM writes the "
             "recording by itself, into a file that candor opened for it. It continues when the terminal is closed, "
             "until 'candor stop', the end of --duration, or the end of the JVM.\n\n" RECORDING_BESIDE "\n\n" RECORDING_EVENTS
             "\n\n" RECORDING_COUNTERS "\n\n" RECORDING_ALLOC "\n\n" RECORDING_LOCK "\n\n" RECORDING_HALT "\n\n" RECORDING_JFR
             "\n\n" RECORDING_FLIGHT,
    .examples = "candor start -i 1ms -o /tmp/app.jfr 4711\n"
                "    sample every millisecond of CPU time\n"
                "candor start -d 10m Main\n"
                "    record the JVM whose main class has Main in its name\n"
                "candor start --keep 5m --max-size 100MB -o app.jfr 4711\n"
                "    keep the last five minutes\n"
                "candor start --keep 5m --dump-on 'cpu>90%/10s' -o /var/tmp/app.jfr 4711\n    also copy these five minutes to another file "
                "when the CPU is busy\n",
    .often = "event,interval,duration,output",
    .options = start_options,
    .operand = CLI_PROCESS,
    .operands_min = 1,
    .operands_max = 1,
    .run = start_run,
};

const struct cli_command command_stop = {
    .name = "stop",
    .arguments = "[OPTION...] (PID | NAME)",
    .summary = "end the recording of a JVM",
    .about = "Ends the recording. When the command returns, the file is whole. Only the agent's code stays in the "
             "JVM, asleep: no thread, timer, handler or open file. The file also has the data that --jfr requested "
             "from the JDK's recorder. If several recordings run, choose one with --recording; the others continue.",
    .examples = "candor stop 4711\n    end the recording and say where it is\n",
    .options = stop_options,
    .operand = CLI_PROCESS,
    .operands_min = 1,
    .operands_max = 1,
    .run = stop_run,
};

const struct cli_command command_dump = {
    .name = "dump",
    .arguments = "[OPTION...] (PID | NAME)",
    .summary = "save the data of a running recording so far",
    .about = "Brings the file of the running recording up to date, or copies its content to --output; the recording "
             "continues. A recording with --keep or --max-size contains only its end.\n\n"
             "With --paths, if the recording has -e live, the file also shows which references keep the sampled objects alive, for 'candor "
             "report --kind live'. All threads of the program are stopped for this, for at most TIME in all.",
    .examples = "candor dump -o so-far.jfr 4711\n"
                "    a copy to read while the recording continues\n"
                "candor dump --paths=1s -o held.jfr 4711\n"
                "    and the references that keep objects alive\n",
    .options = dump_options,
    .operand = CLI_PROCESS,
    .operands_min = 1,
    .operands_max = 1,
    .run = dump_run,
};

const struct cli_command command_status = {
    .name = "status",
    .arguments = "[OPTION...] (PID | NAME)",
    .summary = "show whether a JVM is being recorded, and how",
    .about = "Shows the state of the agent in the JVM, and each recording that runs there, without changing anything.\n\n"
             "With --json it prints the agent's answer as one object. The object describes one recording; \"recordings\" has the numbers "
             "of all of them. \"state\" is running, idle or absent (no agent is active). Times are in nanoseconds.",
    .examples = "candor status --json 4711 | jq .samples\n    the number of samples so far\n",
    .options = status_options,
    .operand = CLI_PROCESS,
    .operands_min = 1,
    .operands_max = 1,
    .run = status_run,
};
