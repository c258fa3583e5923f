/* candor verify: checks whether Candor measures correctly on this machine and JVM. */
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/session.h"
#include "format/write/output.h"
#include "verify/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char verify_jar[] __attribute__((visibility("hidden"))); /* embed.c */
extern const char verify_jar_end[] __attribute__((visibility("hidden")));

static const struct cli_option options[] = {
    {0, "java", "PATH", NULL, "the java program, or its JAVA_HOME (default: $JAVA_HOME, else java in $PATH)"},
    {0, "tools", "LIST", NULL,
     "profilers to test, comma-separated: candor (loaded when the JVM starts), late (attached after the code was compiled), "
     "recompile (as late, but the JVM compiles its code again), safepoint, jfr, jfr-cpu, async-profiler=LIBRARY[:EVENT] "
     "(default candor,late). The first three can end in :CLOCK, or in :lot, which gives clocks only to threads drawn at random"},
    {'i', "interval", "TIME", NULL, "CPU time of a thread between two samples (default 500us)"},
    {'d', "duration", "TIME", NULL, "CPU time of each program (default 3s)"},
    {0, "rounds", "N", NULL,
     "repeat each program in its JVM, and count how many intervals contain the true value "
     "(default 1)"},
    {'o', "output", "FILE", NULL, "also write an HTML page to this file"},
    {0, "json", NULL, NULL, "print JSON"},
    {0, "list", NULL, NULL, "list the cases"},
    {0},
};

enum { ROUNDS_MAX = 10000 };

static const uint64_t SHORTEST_INTERVAL_NS = 100000;

/* ---- the plan ---- */

static int list_cases(void)
{
    for (const struct verify_case *c = verify_cases; c->name; c++)
        printf("%-20s %s\n", c->name, c->title);
    return cli_finish_output();
}

static const char *case_name_at(const void *context, size_t i)
{
    (void)context;
    return verify_cases[i].name;
}

static int choose_cases(struct verify_plan *plan, const struct cli_args *args)
{
    for (const struct verify_case *c = verify_cases; c->name && !args->operand_count; c++)
        plan->cases[plan->case_count++] = c;
    for (int i = 0; i < args->operand_count; i++) {
        const struct verify_case *c = verify_case_find(args->operands[i]);
        const char *near = cli_nearest(args->operands[i], case_name_at, NULL);
        if (!c)
            return cli_usage(args->command, "no case '%.60s'%s%s; --list shows all cases", args->operands[i], near ? "; did you mean " : "",
                             near ? near : "");
        if (plan->case_count == VERIFY_CASES_MAX)
            return cli_usage(args->command, "at most %d cases can be given", VERIFY_CASES_MAX);
        plan->cases[plan->case_count++] = c;
    }
    return CLI_OK;
}

static int choose_tools(struct verify_plan *plan, const struct cli_args *args, const char *library)
{
    const char *list = cli_option(args, "tools");
    char *words = strdup(list ? list : "candor,late"), *rest;
    struct error e;
    int status = words ? CLI_OK : cli_fail("out of memory");
    for (char *word = words ? strtok_r(words, ",", &rest) : NULL; word && !status; word = strtok_r(NULL, ",", &rest)) {
        if (plan->tool_count == TOOLS_MAX)
            status = cli_usage(args->command, "at most %d tools can be given", TOOLS_MAX);
        else if (tool_parse(&plan->tools[plan->tool_count++], word, library, &e))
            status = cli_usage(args->command, "%s", e.text);
    }
    free(words);
    if (!status && !plan->tool_count)
        status = cli_usage(args->command, "--tools names no tool");
    return status;
}

static int choose_times(struct verify_plan *plan, const struct cli_args *args)
{
    unsigned long long interval, duration;
    int status = cli_duration(args, "interval", 500000, &interval);
    if (!status)
        status = cli_duration(args, "duration", 3 * NS_PER_S, &duration);
    if (status)
        return status;
    if (interval < SHORTEST_INTERVAL_NS)
        return cli_usage(args->command,
                         "--interval must be at least 100us: with less, the result would only show the cost of the profiler");
    if (duration < 100 * interval)
        return cli_usage(args->command, "--duration must be at least a hundred times --interval");
    plan->setup.interval_ns = interval;
    plan->setup.seconds = (double)duration / NS_PER_S;
    return CLI_OK;
}

static int choose_rounds(struct verify_plan *plan, const struct cli_args *args)
{
    const char *text = cli_option(args, "rounds");
    uint64_t rounds = 1;
    if (text && number_parse(text, 1, ROUNDS_MAX, &rounds))
        return cli_usage(args->command, "--rounds must be a number from 1 to %d, not '%.60s'", ROUNDS_MAX, text);
    plan->setup.rounds = (uint32_t)rounds;
    return CLI_OK;
}

static bool is_program(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool find_in_path(char *java, size_t size)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t len = strcspn(path, ":");
        if ((size_t)snprintf(java, size, "%.*s/java", (int)len, path) < size && len && is_program(java))
            return true;
        path += path[len] ? len + 1 : len;
    }
    return false;
}

/* Chooses the java to run. --java may be a JAVA_HOME. Without the option, uses $JAVA_HOME, else PATH. */
static int choose_java(char *java, size_t size, const struct cli_args *args)
{
    const char *option = cli_option(args, "java"), *home = option ? option : getenv("JAVA_HOME");
    if (!home || !*home)
        return find_in_path(java, size) ? CLI_OK : cli_fail("no java in $PATH; give the path of one, or of its JAVA_HOME, with --java");
    if ((size_t)snprintf(java, size, "%s/bin/java", home) < size && is_program(java))
        return CLI_OK;
    if (option && is_program(option) && (size_t)snprintf(java, size, "%s", option) < size)
        return CLI_OK;
    return cli_fail("no java at %.200s/bin/java; give the path with --java", home);
}

/* ---- the folder ---- */

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
    (void)s;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int make_folder(char *folder, size_t size)
{
    const char *tmp = getenv("TMPDIR");
    if ((size_t)snprintf(folder, size, "%s/candor-verify-XXXXXX", tmp && *tmp ? tmp : "/tmp") >= size || !mkdtemp(folder))
        return cli_fail("cannot make a folder for the recordings in %.200s: %s; set TMPDIR", tmp && *tmp ? tmp : "/tmp", strerror(errno));
    return CLI_OK;
}

static int write_jar(const char *folder, char *path, size_t size)
{
    size_t len = (size_t)(verify_jar_end - verify_jar);
    if ((size_t)snprintf(path, size, "%s/verify.jar", folder) >= size)
        return cli_fail("%s: the path is too long", folder);
    FILE *f = fopen(path, "we");
    bool good = f && fwrite(verify_jar, 1, len, f) == len;
    if (f && fclose(f))
        good = false;
    return good ? CLI_OK : cli_fail("cannot write %s: %s", path, strerror(errno));
}

/* ---- the run ---- */

static bool is_interrupted(void)
{
    return interrupt_signal() != 0;
}

static void show_progress(const struct verify_run *run, uint32_t number, uint32_t of)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%u of %u: %s, %s ...", number, of, run->what->title, run->tool->name);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void end_quietly(const struct verify_run *run)
{
    (void)run;
    clear_progress();
}

static void end_with_line(const struct verify_run *run)
{
    clear_progress();
    verify_text_run(stdout, run, cli_colour(stdout));
    fflush(stdout);
}

static int write_page(const char *path, const struct verify_result *result)
{
    struct output out;
    struct error e;
    if (output_open(&out, path, &e))
        return cli_fail("%s", e.text);
    verify_page(out.file, result);
    return output_close(&out, &e) ? cli_fail("%s", e.text) : CLI_OK;
}

static int show(const struct verify_result *result, const struct cli_args *args)
{
    const char *page = cli_option(args, "output");
    int status = page ? write_page(page, result) : CLI_OK;
    if (cli_switch(args, "json")) {
        verify_json(stdout, result);
    } else {
        printf("\n%s\n", *result->jvm ? result->jvm : "no JVM reported its version");
        verify_text_summary(stdout, result, cli_colour(stdout));
        if (page && !status)
            printf("page: %s\n", page);
    }
    int written = cli_finish_output();
    return status ? status : written;
}

static int run_plan(const struct verify_plan *plan, const struct cli_args *args)
{
    struct verify_result result;
    interrupt_catch();
    int rc = verify_all(&result, plan, is_interrupted);
    clear_progress();
    int status = rc == -ENOMEM ? cli_fail("out of memory") : show(&result, args);
    if (rc == -EINTR)
        status = cli_fail("interrupted after %u of %u runs", result.count, plan->case_count * plan->tool_count);
    if (!status && !verify_is_good(&result))
        status = CLI_FAILED;
    verify_free(&result);
    return status;
}

static int verify_run(const struct cli_args *args)
{
    static struct verify_plan plan;
    char folder[PATH_MAX - 64], java[PATH_MAX], jar[PATH_MAX], library[PATH_MAX];
    struct process self;
    struct error e;
    if (cli_switch(args, "list"))
        return list_cases();
    plan = (struct verify_plan){.begins = show_progress, .ended = cli_switch(args, "json") ? end_quietly : end_with_line};
    int status = choose_cases(&plan, args);
    if (!status)
        status = choose_times(&plan, args);
    if (!status)
        status = choose_rounds(&plan, args);
    if (!status)
        status = process_read(getpid(), &self, &e) ? cli_fail("%s", e.text) : session_library(&self, library, sizeof library);
    if (!status)
        status = choose_tools(&plan, args, library);
    if (!status)
        status = choose_java(java, sizeof java, args);
    if (!status)
        status = make_folder(folder, sizeof folder);
    if (status)
        return status;
    status = write_jar(folder, jar, sizeof jar);
    plan.setup.java = java;
    plan.setup.jar = jar;
    plan.setup.folder = folder;
    if (!status)
        status = run_plan(&plan, args);
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return status;
}

const struct cli_command command_verify = {
    .name = "verify",
    .arguments = "[OPTION...] [CASE...]",
    .summary = "check on this machine and JVM that profiles are true",
    .about = "Runs programs that know where their own CPU time went, records each, and compares the profile with the true "
             "values. All cases take about five minutes; --list lists them.\n\n"
             "A case is true if each true value is within the profile's 95 % interval, or at most a percentage point outside it, and if "
             "the weights of all samples add up to the CPU time. It is wrong if the profile misses the true value in the same direction in "
             "two runs. At the default duration, chance causes that for fewer than one value in a million. It failed if no recording "
             "could be made, and is skipped if this machine or JVM cannot show it (no kernel samples for this user, no "
             "virtual threads).\n\n"
             "`late` is the same agent, attached after the program's code has been compiled. It cannot know what the "
             "compiler did not record, and the differences show how far profiles can be off in JVMs that were started "
             "without the agent and without -XX:+DebugNonSafepoints. `recompile` is the same after the JVM has discarded "
             "that code (record --heal now). `safepoint` shows the bias of -e safepoint. --tools adds other profilers "
             "for comparison.\n\n"
             "The exit status is 0 if our profiler, loaded at the start of a JVM, was never wrong and never failed; 1 if "
             "it was or did, or nothing could be judged; 2 for wrong usage.",
    .examples = "candor verify\n"
                "    all cases, on the java in $PATH\n"
                "candor verify --java /usr/lib/jvm/java-17-openjdk-amd64 -o truth.html\n"
                "    another JVM, with a page that explains the results\n"
                "candor verify --tools candor,jfr trap-hot trap-setter\n"
                "    two cases, compared with JDK Flight Recorder\n",
    .options = options,
    .operand = CLI_CASE,
    .operands_min = 0,
    .operands_max = -1,
    .run = verify_run,
};
