/* Shows one line on the terminal that is overwritten again and again while a recording runs. */
#include "cli/progress.h"

#include "base/time_units.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool shown;

char *progress_count(uint64_t n, char *out, size_t size)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    size_t o = 0;
    for (int i = 0; i < len && o + 2 < size; i++) {
        if (i && (len - i) % 3 == 0)
            out[o++] = ',';
        out[o++] = digits[i];
    }
    out[o] = 0;
    return out;
}

void progress_show(unsigned long long elapsed_ns, unsigned long long duration_ns, const struct control_answer *answer)
{
    char samples[32], lost[32], end[32] = "";
    if (!isatty(STDERR_FILENO))
        return;
    if (duration_ns)
        snprintf(end, sizeof end, " of %.1f", (double)duration_ns / NS_PER_S);
    progress_count(control_number(answer, "samples", 0), samples, sizeof samples);
    progress_count(control_number(answer, "lost", 0), lost, sizeof lost);
    fprintf(stderr, "\r\033[Krecording %.1f%s s  %s samples  %s lost%s", (double)elapsed_ns / NS_PER_S, end, samples, lost,
            duration_ns ? "" : "  (Ctrl-C ends it)");
    fflush(stderr);
    shown = true;
}

void progress_clear(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
}
