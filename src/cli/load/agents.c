#include "cli/load/agents.h"

#include "base/buffer.h"
#include "base/text/units.h"
#include "base/text/word_list.h"
#include "base/time_units.h"
#include "cli/interrupt.h"
#include "cli/load/agent.h"
#include "cli/load/uniting.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGENTS_MOST = UNITING_AGENTS_MOST, QUESTIONS = 20, LOOK_MS = 100, PATIENCE_S = 20, TEXT_MOST = 1 << 30 };
#define BUSY        0.9                     /* of its threads' time: a generator that is as busy as this is late soon */
#define START_NS    (500 * NS_PER_MS)       /* time for all agents to hear of the start */
#define PATIENCE_NS (PATIENCE_S * NS_PER_S) /* for an answer, and for the result after the end of the run */

struct agent {
    char host[256];
    pid_t pid;
    int to, from;       /* -1 = closed */
    int64_t offset;     /* ns: its clock, less ours */
    uint64_t error;     /* ns: the offset is exact to +- this */
    struct buffer text; /* what it wrote and is not united: a part of its log, or the result */
};

/* ---- starting ---- */

/* Appends a word to a command for a shell. */
static void quote(FILE *out, const char *word)
{
    fputs(" '", out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

static bool is_own(const char *name)
{
    static const char *const own[] = {"agents", "log",     "format",       "json",        "quiet",
                                      "report", "profile", "profile-file", "profile-jfr", "find-rate"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i]))
            return true;
    return false;
}

/* Makes the agent's command: this one, with the agent's share instead of the options for the output. The caller frees it. */
static char *command_of(const struct cli_args *args, const struct load_config *c, const char *program, uint32_t share, uint32_t shares)
{
    bool finds = cli_option(args, "find-rate") != NULL;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "exec %s load --quiet --agent %u/%u", program, share, shares);
    for (size_t i = 0; args->command->options[i].name; i++) {
        const struct cli_option *o = &args->command->options[i];
        if (!args->values[i] || is_own(o->name) || (finds && !strcmp(o->name, "rate")))
            continue;
        fprintf(out, " --%s", o->name);
        if (o->value)
            quote(out, args->values[i]);
    }
    if (finds)
        fprintf(out, " --rate %.9f", c->schedule.steps[0].from);
    fputs(args->operand_count ? " --" : "", out);
    for (int i = 0; i < args->operand_count; i++)
        quote(out, args->operands[i]);
    return fclose(out) ? (free(text), NULL) : text;
}

static bool is_local(const struct agent *a)
{
    return !strcmp(a->host, "local");
}

/* The group is its own, so that Ctrl-C in a terminal ends only this process, which then asks the agents for what they have. */
static void child(const struct agent *a, const char *command, int in, int out)
{
    setpgid(0, 0);
    dup2(in, 0);
    dup2(out, 1);
    if (is_local(a))
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    else
        execlp("ssh", "ssh", "-o", "BatchMode=yes", "--", a->host, command, (char *)NULL);
    _exit(127);
}

static int start_agent(struct agent *a, const char *command)
{
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || (a->pid = fork()) < 0)
        return cli_fail("cannot start the agent %s: %s", a->host, strerror(errno));
    if (!a->pid)
        child(a, command, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    a->to = in[1];
    a->from = out[0];
    return CLI_OK;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- the clocks ---- */

/* Reads a line, without its end; an agent writes one for each question. Returns whether it came in time. */
static bool read_line(const struct agent *a, char *line, size_t size)
{
    uint64_t now, until = clock_monotonic_ns() + PATIENCE_NS;
    struct pollfd p = {.fd = a->from, .events = POLLIN};
    for (size_t n = 0; n + 1 < size && (now = clock_monotonic_ns()) < until;) {
        ssize_t got = poll(&p, 1, (int)((until - now) / NS_PER_MS) + 1) > 0 ? read(a->from, line + n, size - 1 - n) : 0;
        if (got <= 0)
            return false;
        n += (size_t)got;
        line[n] = 0;
        char *end = strchr(line, '\n');
        if (end) {
            *end = 0;
            return true;
        }
    }
    return false;
}

static int greet(const struct agent *a)
{
    char line[128];
    bool answers = read_line(a, line, sizeof line);
    if (!answers && interrupt_signal())
        return cli_fail("interrupted before the start");
    if (!answers)
        return is_local(a) ? cli_fail("the agent on this host ended, or does not answer")
                           : cli_fail("%s: no agent answers there; can you run 'ssh %s candor version'?", a->host, a->host);
    return strcmp(line, AGENT_GREETING) ? cli_fail("%s has another version of candor, or answers '%.60s'", a->host, line) : CLI_OK;
}

/* Asks the agent for its clock several times. The shortest exchange tells most: its middle is when the agent read it, at most half of the
 * exchange earlier or later. */
static int compare_clocks(struct agent *a)
{
    a->error = UINT64_MAX;
    for (int i = 0; i < QUESTIONS; i++) {
        char line[64];
        uint64_t there, before = clock_monotonic_ns();
        if (dprintf(a->to, "clock\n") < 0 || !read_line(a, line, sizeof line))
            return cli_fail("the agent %s ended before the start, or does not answer", a->host);
        uint64_t after = clock_monotonic_ns();
        if (sscanf(line, "%" SCNu64, &there) != 1)
            return cli_fail("the agent %s answers '%.60s' instead of its clock", a->host, line);
        if ((after - before) / 2 < a->error) {
            a->error = (after - before) / 2;
            a->offset = (int64_t)(there - before - a->error);
        }
    }
    return CLI_OK;
}

/* ---- the run ---- */

static int start_all(const struct agent *agents, uint32_t count, struct uniting *u)
{
    uint64_t start = clock_monotonic_ns() + START_NS;
    u->start_ns = (int64_t)(clock_realtime_ns() + START_NS);
    for (uint32_t i = 0; i < count; i++)
        if (dprintf(agents[i].to, "start %" PRId64 "\n", (int64_t)start + agents[i].offset) < 0)
            return cli_fail("the agent %s ended before the start", agents[i].host);
    return CLI_OK;
}

/* Unites what the agent wrote, as far as its intervals are complete, and keeps the rest. Returns a status. */
static int unite_part(struct agent *a, struct uniting *u, uint32_t number)
{
    buffer_u8(&a->text, 0);
    if (a->text.failed)
        return cli_fail("no memory for the log of the agent %s", a->host);
    size_t size = a->text.len - 1;
    ssize_t taken = uniting_take(u, number, (char *)a->text.data, size);
    if (taken < 0)
        return cli_fail("cannot unite the log of the agent %s: %s", a->host, strerror((int)-taken));
    a->text.len = size - (size_t)taken;
    memmove(a->text.data, a->text.data + taken, a->text.len);
    return CLI_OK;
}

/* Reads a part of what the agent writes, and notes its end. Returns a status. */
static int read_part(struct agent *a, struct uniting *u, uint32_t number)
{
    uint8_t *room = buffer_reserve(&a->text, 64 << 10);
    ssize_t got = room ? read(a->from, room, 64 << 10) : 0;
    if (got > 0) {
        buffer_advance(&a->text, (size_t)got);
        return unite_part(a, u, number);
    }
    close_end(&a->from);
    uniting_end(u, number);
    return CLI_OK;
}

static const struct agent *first_open(const struct agent *agents, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (agents[i].from >= 0)
            return &agents[i];
    return NULL;
}

/* Reads what the agents write, until all have ended. An interrupt ends the run: an agent ends its run when its input ends. */
static int gather(struct agent *agents, uint32_t count, struct uniting *u, uint64_t length)
{
    int status = CLI_OK;
    uint64_t until = clock_monotonic_ns() + length + PATIENCE_NS;
    const struct agent *one;
    bool interrupted = false;
    while (!status && (one = first_open(agents, count))) {
        struct pollfd polls[AGENTS_MOST];
        if (clock_monotonic_ns() >= until)
            return cli_fail("the agent %s has not ended %d s after the end of the run", one->host, PATIENCE_S);
        if (interrupt_signal() && !interrupted) {
            interrupted = true;
            until = clock_monotonic_ns() + PATIENCE_NS;
            for (uint32_t i = 0; i < count; i++)
                close_end(&agents[i].to);
        }
        for (uint32_t i = 0; i < count; i++)
            polls[i] = (struct pollfd){.fd = agents[i].from, .events = POLLIN};
        bool any = poll(polls, count, LOOK_MS) > 0;
        for (uint32_t i = 0; i < count && any && !status; i++)
            if (polls[i].revents)
                status = read_part(&agents[i], u, i);
    }
    return status;
}

/* ---- uniting ---- */

static void say(const struct agent *a, const struct load_config *c, const struct load_result *before, const struct load_result *after)
{
    char offset[32], error[32];
    uint64_t requests = 0, cpu = after->cpu - before->cpu;
    for (int i = 0; i < OUTCOME_KINDS; i++)
        requests += after->outcome.kinds[i] - before->outcome.kinds[i];
    double busy = after->elapsed ? (double)cpu / (double)(c->warm_up + after->elapsed) / c->threads : 0;
    units_format_duration(offset, sizeof offset, (uint64_t)llabs(a->offset));
    units_format_duration(error, sizeof error, a->error);
    fprintf(stderr, "agent %s: %" PRIu64 " requests, clock %c%s (+- %s), its threads busy for %.0f %% of the time%s\n", a->host, requests,
            a->offset < 0 ? '-' : '+', offset, error, busy * 100,
            busy > BUSY ? ": too busy to send in time; use more agents or threads" : "");
}

/* Adds the result of one agent, which follows its log. */
static int add_agent(struct agent *a, const struct load_config *c, struct load_result *result)
{
    struct load_result before = {.cpu = result->cpu};
    buffer_u8(&a->text, 0);
    char *line = a->text.failed ? NULL : (char *)a->text.data, *problem;
    memcpy(before.outcome.kinds, result->outcome.kinds, sizeof before.outcome.kinds);
    if (!line || !strstr(line, "\nend\n") || !agent_add_result(line, result))
        return cli_fail("the agent %s ended without its result; the others' are incomplete without it", a->host);
    if ((problem = strstr(line, "\nproblem ")) && !result->outcome.has_problem) {
        problem += strlen("\nproblem ");
        problem[strcspn(problem, "\n")] = 0;
        outcome_problem(&result->outcome, problem);
    }
    say(a, c, &before, result);
    return CLI_OK;
}

/* Whether all requests that the agents counted are in the histograms. */
static int check_counts(const struct load_config *c, const struct outcome *o)
{
    int64_t found = 0;
    uint64_t counted = 0;
    enum outcome_time time = c->mode == LOAD_THROUGHPUT ? OUTCOME_SERVICE : OUTCOME_RESPONSE;
    for (uint32_t i = 0; i < o->types; i++)
        found += candor_histogram_total(&o->times[i][time].total);
    for (int i = 0; i < OUTCOME_KINDS; i++)
        counted += o->kinds[i];
    return (uint64_t)found == counted ? CLI_OK
                                      : cli_fail("the agents' logs have %" PRId64 " requests, but they counted %" PRIu64, found, counted);
}

/* ---- all of it ---- */

/* Starts an agent; it answers when it is connected. Returns a status. */
static int start_one(const struct cli_args *args, const struct load_config *c, struct agent *agents, uint32_t i, uint32_t count)
{
    char own[64], *command;
    snprintf(own, sizeof own, "/proc/%d/exe", getpid());
    command = command_of(args, c, is_local(&agents[i]) ? own : "candor", i, count);
    int status = command ? start_agent(&agents[i], command) : cli_fail("no memory for the agents");
    free(command);
    return status;
}

static int start_and_run(const struct cli_args *args, const struct load_config *c, struct agent *agents, uint32_t count, struct uniting *u)
{
    int status = start_one(args, c, agents, 0, count);
    if (!status)
        status = greet(&agents[0]); /* it may have made a table that the others need */
    for (uint32_t i = 1; i < count && !status; i++)
        status = start_one(args, c, agents, i, count);
    for (uint32_t i = 1; i < count && !status; i++)
        status = greet(&agents[i]);
    for (uint32_t i = 0; i < count && !status; i++)
        status = compare_clocks(&agents[i]);
    if (!status && c->log)
        candor_histogram_log_start(c->log, clock_realtime_ns() + START_NS + c->warm_up, CANDOR_LOG_JAVA,
                                   "written by candor load " CANDOR_VERSION ", values in ns, maximum in ms");
    if (!status)
        status = start_all(agents, count, u);
    return status ? status : gather(agents, count, u, START_NS + c->warm_up + c->duration + c->drain);
}

/* Ends the process if the run has failed. An agent on another host ends then, because its input does. */
static void end_agent(struct agent *a, bool failed)
{
    close_end(&a->to);
    close_end(&a->from);
    if (a->pid > 0 && failed)
        kill(a->pid, SIGKILL);
    if (a->pid > 0)
        waitpid(a->pid, NULL, 0);
}

static int check(const struct cli_args *args, const struct load_config *c, uint32_t count)
{
    static const char *const alone[] = {"virtual-time", "agent"};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (cli_option(args, alone[i]))
            return cli_usage(args->command, "--%s is for one generator: leave out --agents", alone[i]);
    if (c->requests_most && c->requests_most < count)
        return cli_usage(args->command, "%u agents are too many for %" PRIu64 " operations", count, c->requests_most);
    return count ? CLI_OK : cli_usage(args->command, "--agents needs at least one host, or 'local', and at most %d", AGENTS_MOST);
}

/* Reads the list of hosts. Returns how many there are; 0 = none, or too many. */
static uint32_t read_hosts(const char *list, struct agent *agents)
{
    uint32_t count = 0;
    while (count < AGENTS_MOST && word_list_next(&list, agents[count].host, sizeof agents[count].host))
        count += agents[count].host[0] != 0;
    for (uint32_t i = 0; i < count; i++) {
        agents[i].pid = 0;
        agents[i].to = agents[i].from = -1;
        buffer_init(&agents[i].text, TEXT_MOST);
    }
    return list && *list ? 0 : count;
}

int agents_run(const struct cli_args *args, const struct load_config *c, struct load_result *result)
{
    static struct agent agents[AGENTS_MOST];
    struct uniting u = {0};
    uint32_t count = read_hosts(cli_option(args, "agents"), agents);
    *result = (struct load_result){0};
    int status = check(args, c, count);
    if (!status && (outcome_init(&result->outcome, &c->mix, c->mode != LOAD_THROUGHPUT) || uniting_init(&u, c, &result->outcome, count)))
        status = cli_fail("no memory for the result");
    if (!status)
        status = start_and_run(args, c, agents, count, &u);
    for (uint32_t i = 0; i < count; i++)
        end_agent(&agents[i], status != CLI_OK);
    for (uint32_t i = 0; i < count && !status; i++)
        status = add_agent(&agents[i], c, result);
    for (uint32_t i = 0; i < count; i++)
        buffer_deinit(&agents[i].text);
    if (!status && c->log && united_log_write(&u.log, c->log))
        status = cli_fail("cannot write the log");
    uniting_deinit(&u);
    return status ? status : check_counts(c, &result->outcome);
}
