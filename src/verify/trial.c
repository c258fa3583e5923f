#include "verify/trial.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "verify/program.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint64_t PATIENCE_NS = 120 * NS_PER_S;

enum { PAUSE_MS = 20 }; /* pause between rounds: twice the difference between clocks that judge.c allows */

struct trial {
    const struct trial_setup *setup;
    const struct tool *tool;
    const char *recording;
    char errors[PATH_MAX]; /* the program's standard error */
    char said[200];        /* the beginning of its output that does not belong to the protocol */
    struct program program;
};

/* Whether a line is one that every JVM prints if an agent attaches, or if the environment has options for the JVM. */
static bool is_usual(const char *line)
{
    static const char *const usual[] = {"WARNING: A JVM TI agent", "WARNING: If a serviceability tool",
                                        "WARNING: Dynamic loading of agents", "Picked up "};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!strncmp(line, usual[i], strlen(usual[i])))
            return true;
    return false;
}

/* Finds the program's complaint: the first unusual line on its standard error, otherwise its other output. */
static void find_complaint(const struct trial *t, char *line, size_t size)
{
    FILE *f = fopen(t->errors, "re");
    do
        if (!f || !fgets(line, (int)size, f)) {
            snprintf(line, size, "%s", t->said);
            break;
        }
    while (is_usual(line));
    line[strcspn(line, "\n")] = 0;
    if (f)
        fclose(f);
}

/* Notes a line that does not belong to the protocol, but comes from the JVM or from a tool. */
static void note_line(struct trial *t, const char *line)
{
    size_t used = strlen(t->said);
    if (*line)
        snprintf(t->said + used, sizeof t->said - used, "%s%s", used ? " " : "", line);
}

static const uint64_t END_PATIENCE_NS = 5 * NS_PER_S; /* for a program that has closed its output */

static int say_why(struct trial *t, int code, const char *when, struct error *e)
{
    char complaint[200], what[64] = "failed";
    if (code == -EINTR)
        return error_set(e, code, "interrupted");
    int status = code == -EPIPE ? program_end(&t->program, END_PATIENCE_NS) : 0;
    if (status > 128)
        snprintf(what, sizeof what, "was killed by signal %d", status - 128);
    else if (status > 0)
        snprintf(what, sizeof what, "ended with status %d", status);
    else if (code == -ETIMEDOUT || code == -EPROTO)
        snprintf(what, sizeof what, "%s", code == -EPROTO ? "said nonsense" : "hung");
    find_complaint(t, complaint, sizeof complaint);
    return error_set(e, code, "the JVM %s %s%s%s", what, when, *complaint ? ": " : "", complaint);
}

/* Waits until the program is ready. Returns 0, 1 if it cannot run here, with the reason in e, or a negative errno. */
static int wait_ready(struct trial *t, struct error *e)
{
    static const char unavailable[] = "unavailable ";
    char line[PROGRAM_LINE_MAX];
    for (;;) {
        int rc = program_read(&t->program, line, PATIENCE_NS);
        if (rc)
            return say_why(t, rc, "before its work", e);
        if (!strcmp(line, "ready"))
            return 0;
        if (!strncmp(line, unavailable, strlen(unavailable)))
            return error_set(e, 1, "%.200s", line + strlen(unavailable));
        note_line(t, line);
    }
}

static int take_line(struct trial *t, struct truth *truth, char *line)
{
    char copy[PROGRAM_LINE_MAX];
    memcpy(copy, line, sizeof copy);
    int rc = truth_take(truth, line);
    if (rc != -ENOENT)
        return rc;
    note_line(t, copy);
    return 0;
}

static int run_round(struct trial *t, struct truth *truth, struct error *e)
{
    char line[PROGRAM_LINE_MAX];
    snprintf(line, sizeof line, "go seconds=%.3f\n", t->setup->seconds);
    *truth = (struct truth){.begin_ns = (int64_t)clock_realtime_ns()};
    int rc = program_say(&t->program, line);
    while (!rc) {
        rc = program_read(&t->program, line, PATIENCE_NS + (uint64_t)(t->setup->seconds * 2e10));
        if (!rc)
            rc = take_line(t, truth, line);
    }
    truth->end_ns = (int64_t)clock_realtime_ns();
    if (rc == 1)
        rc = truth_check(truth);
    return rc ? say_why(t, rc, "at its work", e) : 0;
}

static int run_program(struct trial *t, struct truth *truths, struct error *e)
{
    int rc = wait_ready(t, e);
    if (!rc)
        rc = tool_attach(t->tool, t->program.pid, t->recording, t->setup->interval_ns, e);
    for (uint32_t i = 0; i < t->setup->rounds && !rc; i++) {
        rc = run_round(t, &truths[i], e);
        poll(NULL, 0, PAUSE_MS);
    }
    if (rc)
        return rc;
    int status = program_end(&t->program, PATIENCE_NS);
    return status ? say_why(t, status < 0 ? status : -EIO, "at its end", e) : 0;
}

static int start_program(struct trial *t, const struct verify_case *c, struct error *e)
{
    struct buffer argument;
    char interval[40], *argv[10];
    int n = 0;
    buffer_init(&argument, 4 * PATH_MAX);
    int rc = tool_argument(t->tool, t->setup->folder, t->recording, t->setup->interval_ns, &argument, e);
    buffer_u8(&argument, 0);
    if (!rc && argument.failed)
        rc = error_set(e, -ENAMETOOLONG, "%s: the path is too long", t->recording);
    snprintf(interval, sizeof interval, "interval=%llu", (unsigned long long)t->setup->interval_ns);
    argv[n++] = (char *)t->setup->java;
    if (!rc && *argument.data)
        argv[n++] = (char *)argument.data;
    argv[n++] = "-cp";
    argv[n++] = (char *)t->setup->jar;
    argv[n++] = "verify.Main";
    argv[n++] = (char *)c->name;
    argv[n++] = interval;
    argv[n] = NULL;
    if (!rc)
        rc = program_start(&t->program, argv, t->errors, e);
    buffer_deinit(&argument);
    return rc;
}

int trial_run(const struct trial_setup *setup, const struct verify_case *c, const struct tool *tool, struct truth *truths, char *recording,
              struct error *e)
{
    struct trial t = {.setup = setup, .tool = tool, .recording = recording};
    if ((size_t)snprintf(recording, PATH_MAX, "%s/%s.jfr", setup->folder, c->name) >= PATH_MAX ||
        (size_t)snprintf(t.errors, sizeof t.errors, "%s/errors", setup->folder) >= sizeof t.errors)
        return error_set(e, -ENAMETOOLONG, "%s: the path is too long", setup->folder);
    unlink(recording);
    int rc = start_program(&t, c, e);
    if (!rc)
        rc = run_program(&t, truths, e);
    program_kill(&t.program);
    return rc;
}
