/* candor record: records a running JVM, or a command, and prints a report. */
#include "cli/cli.h"
#include "cli/record/attached.h"
#include "cli/record/launch.h"
#include "cli/record/sending.h"
#include "cli/session.h"

static const struct cli_option options[] = {
    RECORDING_OPTIONS SENDING_OPTIONS{0, "no-report", NULL, NULL, "only record; print no report and write no page"},
    SESSION_TIMEOUT_OPTION,
    {0},
};

static int record_run(const struct cli_args *args)
{
    struct recording r;
    struct session s;
    struct sending to;
    int status = recording_read(&r, args);
    if (!status)
        status = sending_read(&to, args);
    if (status)
        return status;
    if (args->after_dashes) {
        sending_name_command(&to, args->operands);
        return launch_record(args, &r, &to);
    }
    if (args->operand_count > 1)
        return cli_usage(args->command, "'%.60s' is one argument too many; a command goes after --", args->operands[1]);
    status = session_open(&s, args);
    if (!status)
        sending_name_process(&to, s.process.pid);
    if (!status)
        status = attached_record(&s, args, &r);
    session_close(&s);
    if (!status)
        status = sending_send(&to, args, r.file.path);
    return status;
}

const struct cli_command command_record = {
    .name = "record",
    .arguments = "[OPTION...] (PID | NAME | -- COMMAND...)",
    .summary = "profile a JVM, then print where its CPU time went",
    .about =
        "Loads the agent into the running JVM with that PID, or with NAME in its main class or jar, and records "
        "until --duration is over, Ctrl-C, or the end of the JVM. Then it prints a short report, writes a flame "
        "graph beside the recording (unless only -e halt was recorded), and prints the paths of both.\n\n"
        "The JVM writes "
        "the recording into a file that candor opens for it, so the file belongs to the user who runs candor, "
        "whatever user or container the JVM runs in.\n\n"
        "An existing recording is replaced only once the new one contains data, and the new one keeps its mode; any "
        "other existing file is refused. The page gets the recording's permissions, and replaces only a page that "
        "candor wrote.\n\n"
        "From JDK 21 on a JVM prints three lines of warning on its standard error when the agent is first loaded "
        "while it runs, unless it was started with -XX:+EnableDynamicAgentLoading.\n\n"
        "With -- COMMAND candor runs the command with the agent from the start. If its program is java, the agent "
        "becomes its first option. Otherwise the agent is passed in JAVA_TOOL_OPTIONS, for a command that starts one "
        "JVM; if several run at a time, only the first is recorded, and the others say so. After --duration the recording ends and candor "
        "prints the report, while the command continues. Candor passes SIGINT and SIGTERM on to the command.\n\n" RECORDING_EVENTS
        "\n\n" RECORDING_COUNTERS "\n\n" RECORDING_ALLOC "\n\n" RECORDING_LOCK "\n\n" RECORDING_HALT "\n\n" RECORDING_JFR
        "\n\n" RECORDING_FLIGHT "\n\n"
        "The exit status is 0 for success; 1 if the recording or the report "
        "failed, the recording's file was cut or deleted meanwhile, or the JVM "
        "was killed; 2 for wrong usage. With -- COMMAND it is the command's "
        "own status if that is not 0, and 128 + N if signal N ended it.",
    .examples =
        "candor record -d 30s 4711\n"
        "    profile process 4711 for half a minute\n"
        "candor record -i 1ms -o /tmp/app.jfr Main\n"
        "    more samples, until Ctrl-C, into that file\n"
        "candor record -- java -jar app.jar\n"
        "    a program from start to end\n"
        "candor record --keep 5m --max-size 100MB -- java -jar app.jar\n"
        "    keep only the last five minutes, for as long as it runs\n"
        "candor record -d 30s --to otlp+http://collector:4318 4711\n    also send the recording, as OTLP profiles\n"
        "candor record -e alloc -d 30s 4711\n"
        "    what is allocated, and where\n"
        "candor record -e live -d 2m 4711\n    which allocated objects are alive, and what grows\n"
        "candor record -e live --paths=1s -d 2m 4711\n    also what keeps objects alive; all threads are stopped for a second at most\n"
        "candor record -e cpu,wall -d 30s 4711\n"
        "    the CPU time, and what the threads wait for\n"
        "candor record -e lock -d 30s 4711\n"
        "    the locks that threads wait for, their holders, and deadlocks\n"
        "candor record -e cpu,halt -d 30s 4711\n"
        "    the CPU time, and what stopped all threads\n"
        "candor record -e cpu,lock --jfr on -d 30s 4711\n    also everything else that stopped threads, from the JDK's recorder\n"
        "candor record -e page-faults --event-interval 10 4711\n"
        "    which code touches memory for the first time\n"
        "candor record -e safepoint -d 30s 4711\n    samples at safepoints only (biased), where nothing better works\n",
    .often = "event,interval,duration,output",
    .options = options,
    .operand = CLI_PROCESS,
    .operands_min = 1,
    .operands_max = -1,
    .dash_dash = true,
    .run = record_run,
};
