/* Writes the result as one HTML page that loads nothing from any network. */
#include "base/time_units.h"
#include "verify/verify.h"

#include <math.h>
#include <string.h>

enum { SCALE = 1000 }; /* scale of the drawings: shares in thousandths */

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Is this profiler true?</title>\n<style>\n"
    ":root { color-scheme: light dark; --true: #2e7d32; --wrong: #c62828; --other: #8d6e00; --soft: #8884 }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }\n"
    "h2 { margin: 2.2rem 0 .2rem; font-size: 1.15rem } h2 code { font-weight: normal; opacity: .6 }\n"
    "table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: middle }\n"
    "td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }\n"
    "tr.tool th { border-top: 1px solid var(--soft); padding-top: .5rem }\n"
    ".true { color: var(--true) } .wrong, .failed { color: var(--wrong) } .skipped { color: var(--other) }\n"
    "svg { width: 18rem; height: 1rem; background: var(--soft) } svg .says { fill: #4a7bd0 } svg .is { fill: currentColor }\n"
    "tr.off td { color: var(--wrong) } td:first-child { overflow-wrap: anywhere }\n"
    "</style>\n</head>\n<body>\n<h1>Is this profiler true?</h1>\n";

static const char reading[] =
    "<p>Each program below knows where its own CPU time went: it reads its threads' clocks at every change of work. A profiler sees "
    "only samples. Held against each other they show how far its profiles can be believed on this machine and this JVM.</p>\n"
    "<p>The bar is what the profiler says, as wide as it is unsure: in 95 of 100 runs a true profiler's bar contains the black "
    "line, which is the truth. <b class=\"true\">true</b>: the truth lies within the bar, or a percentage point beside it. "
    "<b class=\"wrong\">wrong</b>: it does not, in two runs alike. <b class=\"skipped\">skipped</b>: this cannot be measured "
    "here.</p>\n";

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            putc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
}

static void put_drawing(FILE *out, const struct judgement_part *part)
{
    double low = SCALE * part->interval.low, width = fmax(2, SCALE * (part->interval.high - part->interval.low));
    fprintf(out, "<svg viewBox=\"0 0 %d 60\" preserveAspectRatio=\"none\" role=\"img\" ", SCALE);
    fprintf(out, "aria-label=\"says %.1f to %.1f percent, true %.1f\">", 100 * part->interval.low, 100 * part->interval.high,
            100 * part->truth);
    fprintf(out, "<rect class=\"says\" x=\"%.1f\" y=\"8\" width=\"%.1f\" height=\"44\"/>", fmin(low, SCALE - 2), width);
    fprintf(out, "<rect class=\"is\" x=\"%.1f\" y=\"0\" width=\"4\" height=\"60\"/></svg>", fmin(SCALE * part->truth, SCALE - 4));
}

static void put_part(FILE *out, const struct judgement_part *part)
{
    char name[2 * TRUTH_WORD_MAX];
    fprintf(out, "<tr%s><td>", part->off > JUDGE_TOLERANCE ? " class=\"off\"" : "");
    put_text(out, verify_part_name(part->part, name, sizeof name));
    fprintf(out, "</td><td class=\"n\">%.1f %%</td><td class=\"n\">%.1f %%</td><td class=\"n\">%.1f to %.1f</td><td>", 100 * part->truth,
            100 * part->share, 100 * part->interval.low, 100 * part->interval.high);
    put_drawing(out, part);
    fputs("</td></tr>\n", out);
}

static void put_run(FILE *out, const struct verify_run *run)
{
    const char *verdict = verify_verdict_name(run->verdict);
    const struct judgement *j = run->judgement;
    fputs("<tr class=\"tool\"><th>", out);
    put_text(out, run->tool->name);
    fprintf(out, "</th><th colspan=\"4\"><span class=\"%s\">%s</span> ", verdict, verdict);
    put_text(out, run->why);
    if (j && j->cpu_ns)
        fprintf(out, "<small>%u samples, %.3f of the CPU time, %.3f hidden in the kernel</small>", j->samples,
                (double)j->cpu_ns / (double)j->truth.cpu_ns, (double)j->hidden_ns / (double)j->truth.cpu_ns);
    else if (j)
        fprintf(out, "<small>%u samples</small>", j->samples);
    fputs("</th></tr>\n", out);
    for (uint32_t i = 0; j && i < j->truth.count; i++)
        put_part(out, &j->parts[i]);
}

static void put_case(FILE *out, const struct verify_result *result, const struct verify_case *what)
{
    fputs("<h2>", out);
    put_text(out, what->title);
    fprintf(out, " <code>%s</code></h2>\n<p>", what->name);
    put_text(out, what->question);
    fputs("</p>\n<table>\n<tr><td></td><td class=\"n\">true</td><td class=\"n\">says</td>"
          "<td class=\"n\">between</td><td></td></tr>\n",
          out);
    for (uint32_t i = 0; i < result->count; i++)
        if (result->runs[i].what == what)
            put_run(out, &result->runs[i]);
    fputs("</table>\n", out);
}

static void put_overview(FILE *out, const struct verify_result *result)
{
    fputs("<table>\n<tr><td></td>", out);
    for (int verdict = 0; verdict < VERIFY_VERDICTS; verdict++)
        fprintf(out, "<td class=\"n\">%s</td>", verify_verdict_name(verdict));
    fputs("</tr>\n", out);
    for (uint32_t i = 0; i < result->plan->tool_count; i++) {
        fputs("<tr><td>", out);
        put_text(out, result->plan->tools[i].name);
        fputs("</td>", out);
        for (int verdict = 0; verdict < VERIFY_VERDICTS; verdict++)
            fprintf(out, "<td class=\"n\">%u</td>", verify_count(result, &result->plan->tools[i], verdict));
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

void verify_page(FILE *out, const struct verify_result *result)
{
    fputs(head, out);
    fprintf(out, "<p>candor %s on ", CANDOR_VERSION);
    put_text(out, *result->jvm ? result->jvm : "a JVM that did not report its version");
    fprintf(out, ". One sample for each %.3g ms, about %.3g s of CPU time for each case.</p>\n",
            (double)result->plan->setup.interval_ns / NS_PER_MS, result->plan->setup.seconds);
    fputs(reading, out);
    put_overview(out, result);
    for (uint32_t i = 0; i < result->plan->case_count; i++)
        put_case(out, result, result->plan->cases[i]);
    fputs("</body>\n</html>\n", out);
}
