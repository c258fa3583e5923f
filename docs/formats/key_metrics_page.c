#include "key_metrics_page.h"

#include "base/agreed/key_metrics.h"

static const char intro[] =
    "# Key metrics\n"
    "\n"
    "Figures of each JVM and minute, which a server computes when it receives a recording. It answers questions about them with\n"
    "[`/v1/metrics`, `/v1/metrics/prometheus` and `/v1/search`](server-api.md#key-metrics); [candor fleet](../fleet.md) shows them.\n"
    "\n"
    "`ninja -C build key-metrics` writes this page from `src/base/agreed/key_metrics.h`, the only table of them.\n"
    "\n"
    "| metric | unit | minutes | JVMs | meaning | source |\n"
    "|---|---|---|---|---|---|\n";

static const char rules[] = "\n"
                            "The metric is for a minute what `candor report` says of the recording in that minute; a recording without the "
                            "source has no such metric.\n"
                            "The columns *minutes* and *JVMs* say how values of several minutes, and of several JVMs, become one:\n"
                            "\n"
                            "- A *sum* over JVMs adds up their values in each minute. The *mean* over minutes weighs each minute by how "
                            "much of it recordings cover, so\n"
                            "  minutes without a recording do not count as 0, and JVMs that follow each other count as one.\n"
                            "- A *mean* over JVMs and minutes divides the sum of all amounts by the sum of what they are a share of: the "
                            "time that recordings cover,\n"
                            "  or for the shares below, the amount of another metric.\n"
                            "- A *max* is the largest.\n"
                            "\n"
                            "| share | of |\n"
                            "|---|---|\n";

static const char limits[] = "\n"
                             "A JVM is a set of labels: recordings with the same labels are one JVM, and if their times overlap, their "
                             "amounts are added up. Books have a\n"
                             "line each second, and what they gained between two lines counts in the minute halfway between them. So a "
                             "minute of which only a few seconds\n"
                             "are recorded is as uncertain as the second at its border.\n"
                             "\n"
                             "| unit | |\n"
                             "|---|---|\n";

void key_metrics_page_write(FILE *out)
{
    fputs(intro, out);
    for (int i = 0; i < KEY_METRICS; i++) {
        const struct key_metric_row *row = &key_metric_rows[i];
        fprintf(out, "| `%s` | %s | %s | %s | %s | %s |\n", row->name, key_unit_rows[row->unit].word, key_sort_rows[row->sort].minutes,
                key_sort_rows[row->sort].jvms, row->meaning, row->source);
    }
    fputs(rules, out);
    for (int i = 0; i < KEY_METRICS; i++)
        if (key_metric_rows[i].base != KEY_TIME)
            fprintf(out, "| %s | `%s` |\n", key_metric_rows[i].name, key_metric_rows[key_metric_rows[i].base].name);
    fputs(limits, out);
    for (int i = 0; i < KEY_UNIT_COUNT; i++)
        fprintf(out, "| %s | %s |\n", key_unit_rows[i].word, key_unit_rows[i].meaning);
}
