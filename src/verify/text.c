/* Writes the result for a terminal. */
#include "verify/verify.h"

#include "base/text/utf8.h"

#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 20, TOOL_WIDTH = 30 };

static const char *colour_of(enum verify_verdict verdict, bool colour)
{
    static const char *const codes[VERIFY_VERDICTS] = {"\033[32m", "\033[31m", "\033[31m", "\033[33m"};
    return colour ? codes[verdict] : "";
}

static double percent(double share)
{
    return 100 * share;
}

static void put_part(FILE *out, const struct judgement_part *part)
{
    char name[2 * TRUTH_WORD_MAX];
    fprintf(out, "%s: true %.1f %%, says %.1f [%.1f..%.1f]", verify_part_name(part->part, name, sizeof name), percent(part->truth),
            percent(part->share), percent(part->interval.low), percent(part->interval.high));
}

static void put_wrong(FILE *out, const struct verify_run *run)
{
    const struct judgement *j = run->judgement;
    const char *between = "";
    for (uint32_t i = 0; i < j->truth.count; i++)
        if (j->parts[i].off > JUDGE_TOLERANCE) {
            fprintf(out, "%s", between);
            put_part(out, &j->parts[i]);
            between = "; ";
        }
    if (verify_cpu_off(run) > 0)
        fprintf(out, "%s%.2f of the CPU time was seen", between, (double)j->cpu_ns / (double)j->truth.cpu_ns);
}

static void put_true(FILE *out, const struct judgement *j)
{
    double worst = 0, widest = 0;
    for (uint32_t i = 0; i < j->truth.count; i++) {
        worst = fmax(worst, fabs(j->parts[i].share - j->parts[i].truth));
        widest = fmax(widest, (j->parts[i].interval.high - j->parts[i].interval.low) / 2);
    }
    fprintf(out, "off by at most %.1f points; the intervals allow for %.1f; %u samples", percent(worst), percent(widest), j->samples);
    if (j->hidden_ns)
        fprintf(out, "; %.1f %% is kernel time that this user may not sample", percent((double)j->hidden_ns / (double)j->truth.cpu_ns));
}

static void put_pool(FILE *out, const struct judge_pool *pool)
{
    fprintf(out, "; of %u intervals %u contained the true value; they are %.2f times as wide as the spread of the errors", pool->intervals,
            pool->held, judge_pool_width(pool));
}

void verify_text_run(FILE *out, const struct verify_run *run, bool colour)
{
    const char *code = colour_of(run->verdict, colour);
    fprintf(out, "%-*s %-*s %s%-6s%s ", NAME_WIDTH, run->what->name, TOOL_WIDTH, run->tool->name, code, verify_verdict_name(run->verdict),
            *code ? "\033[m" : "");
    if (run->verdict == VERIFY_TRUE)
        put_true(out, run->judgement);
    else if (run->verdict == VERIFY_WRONG)
        put_wrong(out, run);
    if (*run->why) {
        fputs(run->judgement ? "; " : "", out);
        utf8_print(out, run->why);
    }
    if (run->pool.rounds > 1)
        put_pool(out, &run->pool);
    putc('\n', out);
}

void verify_text_summary(FILE *out, const struct verify_result *result, bool colour)
{
    for (uint32_t i = 0; i < result->plan->tool_count; i++) {
        const struct tool *tool = &result->plan->tools[i];
        const char *between = "";
        fprintf(out, "%s: ", tool->name);
        for (int verdict = 0; verdict < VERIFY_VERDICTS; verdict++) {
            uint32_t count = verify_count(result, tool, verdict);
            const char *code = colour_of(verdict, colour);
            if (count)
                fprintf(out, "%s%s%u %s%s", between, code, count, verify_verdict_name(verdict), *code ? "\033[m" : "");
            between = count ? ", " : between;
        }
        putc('\n', out);
    }
}
