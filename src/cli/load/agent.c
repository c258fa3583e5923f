#include "cli/load/agent.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "cli/interrupt.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>

int agent_set(const struct cli_args *args, struct load_config *c)
{
    const char *text = cli_option(args, "agent");
    char end;
    if (text && (sscanf(text, "%" SCNu32 "/%" SCNu32 "%c", &c->share, &c->shares, &end) != 2 || c->share >= c->shares))
        return cli_usage(args->command, "--agent '%.40s' is not I/N; candor load --agents uses this option", text);
    return CLI_OK;
}

int agent_wait(struct load_config *c)
{
    char line[64];
    puts(AGENT_GREETING);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "start %" SCNu64, &c->start_at) == 1)
            return CLI_OK;
        printf("%" PRIu64 "\n", clock_monotonic_ns());
        fflush(stdout);
    }
    return cli_fail("the command that started this agent has ended");
}

bool agent_is_interrupted(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    return interrupt_signal() || poll(&input, 1, 0) > 0;
}

void agent_tick(void *ticking, const struct load_tick *t)
{
    struct agent_ticking *own = ticking;
    fprintf(own->out, AGENT_TICK "%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 "]\n", t->warming_up, t->elapsed,
            t->length, t->done, t->failed - own->failed, t->waiting, t->in_flight);
    own->failed = t->failed;
    fflush(own->out);
}

bool agent_read_tick(const char *line, struct load_tick *t)
{
    int warming_up;
    bool complete = sscanf(line, AGENT_TICK "%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu32 "]", &warming_up,
                           &t->elapsed, &t->length, &t->done, &t->failed, &t->waiting, &t->in_flight) == 7;
    t->warming_up = warming_up;
    return complete && t->length <= t->elapsed;
}

/* The numbers of a result, in the order in which they are sent. */
enum { NUMBERS = 6 + OUTCOME_KINDS + 6 };

static void numbers_of(struct load_result *r, uint64_t *out[NUMBERS])
{
    struct outcome *o = &r->outcome;
    uint64_t *first[] = {&r->warm_up_requests, &r->cpu, &r->elapsed, &o->bytes, &o->reconnects, &o->connects};
    int n = 0;
    for (; n < 6; n++)
        out[n] = first[n];
    for (int i = 0; i < OUTCOME_KINDS; i++)
        out[n++] = &o->kinds[i];
    for (int i = 0; i < 6; i++)
        out[n++] = &o->statuses[i];
}

void agent_put_result(const struct load_result *r, FILE *out)
{
    uint64_t *numbers[NUMBERS];
    numbers_of((struct load_result *)r, numbers); /* they are only read */
    fprintf(out, "result %d", r->interrupted);
    for (int i = 0; i < NUMBERS; i++)
        fprintf(out, " %" PRIu64, *numbers[i]);
    fputc('\n', out);
    if (r->outcome.has_problem)
        fprintf(out, "problem %s\n", r->outcome.first_problem);
    fputs("end\n", out);
}

bool agent_add_result(const char *line, struct load_result *r)
{
    uint64_t *numbers[NUMBERS], elapsed = r->elapsed, n;
    int interrupted, used = 0;
    if (sscanf(line, "result %d%n", &interrupted, &used) != 1)
        return false;
    r->interrupted |= interrupted != 0;
    numbers_of(r, numbers);
    for (int i = 0; i < NUMBERS; i++) {
        line += used;
        if (sscanf(line, " %" SCNu64 "%n", &n, &used) != 1)
            return false;
        *numbers[i] += n;
    }
    r->elapsed = r->elapsed - elapsed > elapsed ? r->elapsed - elapsed : elapsed; /* they ran at the same time */
    return true;
}
