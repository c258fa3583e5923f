/*
 * Histogram logs: written and read in both dialects, time bases, damage; hgrm in both dialects.
 * tier: quick
 * timeout: 60
 * aarch64: yes
 */
#include "../tap.h"
#include "base/time_units.h"
#include "candor/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct candor_histogram sample;

/* The log's lines with entries of two tags. */
static char *written(enum candor_log_dialect dialect, size_t *size)
{
    char *text;
    FILE *f = open_memstream(&text, size);
    candor_histogram_log_start(f, 1700000000123000000, dialect, "a comment");
    candor_histogram_log_write(f, NULL, 0, NS_PER_S, &sample, NS_PER_MS);
    candor_histogram_log_write(f, "get-rt", NS_PER_S, 500 * NS_PER_MS, &sample, NS_PER_MS);
    fclose(f);
    return text;
}

struct seen {
    int entries, problems;
    double start[8], length[8], max[8];
    char tag[8][64];
    int64_t total;
    char problem[160];
};

static struct seen read_text(const char *text, size_t size)
{
    struct seen seen = {0};
    struct candor_histogram_log_reader r;
    struct candor_histogram_log_entry e;
    FILE *f = fmemopen((void *)(uintptr_t)text, size, "r");
    candor_histogram_log_open(&r, f);
    for (int got; (got = candor_histogram_log_next(&r, &e));) {
        if (got < 0) {
            if (!seen.problems++)
                snprintf(seen.problem, sizeof seen.problem, "%s", r.problem);
            if (seen.problems > 20)
                break;
            continue;
        }
        if (seen.entries < 8) {
            seen.start[seen.entries] = e.start;
            seen.length[seen.entries] = e.length;
            seen.max[seen.entries] = e.max;
            snprintf(seen.tag[seen.entries], 64, "%s", e.tag);
        }
        seen.entries++;
        seen.total += candor_histogram_total(&e.histogram);
        candor_histogram_deinit(&e.histogram);
    }
    candor_histogram_log_close(&r);
    fclose(f);
    return seen;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

static void test_dialects(void)
{
    for (int dialect = 0; dialect < 2; dialect++) {
        size_t size;
        char *text = written((enum candor_log_dialect)dialect, &size);
        struct seen s = read_text(text, size);
        tap_ok(s.entries == 2 && !s.problems && s.total == 2 * candor_histogram_total(&sample), "dialect %d: all is read back", dialect);
        tap_ok(near(s.start[0], 1700000000.123) && near(s.start[1], 1700000001.123) && near(s.length[1], 0.5), "with its times");
        tap_ok(!*s.tag[0] && !strcmp(s.tag[1], "get-rt") && fabs(s.max[0] - (double)candor_histogram_max(&sample) / NS_PER_MS) < 1e-3,
               "tag and maximum");
        free(text);
    }
    size_t size;
    char *text;
    FILE *f = open_memstream(&text, &size);
    int with_comma = candor_histogram_log_write(f, "a,b", 0, 0, &sample, 1),
        with_blank = candor_histogram_log_write(f, "a b", 0, 0, &sample, 1);
    fclose(f);
    tap_ok(with_comma == -EINVAL && with_blank == -EINVAL && !size, "tags that would break a line are refused");
    free(text);
}

static void test_times(void)
{
    char *payload, text[4096];
    candor_histogram_encode(&sample, &payload);
    snprintf(text, sizeof text, "#[StartTime: 1700000000.000 (seconds since epoch), x]\n1700000005.000,1.000,2.0,%s\n", payload);
    tap_ok(near(read_text(text, strlen(text)).start[0], 1700000005), "absolute times stay");
    snprintf(text, sizeof text, "#[BaseTime: 1600000000.000 (seconds since epoch)]\n5.5,1.000,2.0,%s\n", payload);
    tap_ok(near(read_text(text, strlen(text)).start[0], 1600000005.5), "a base time is added");
    snprintf(text, sizeof text, "5.5,1.000,2.0,%s\r\n", payload);
    tap_ok(near(read_text(text, strlen(text)).start[0], 5.5), "without a head times count from 0; CR LF is a line end");
    free(payload);
}

static void test_damage(void)
{
    size_t size;
    unsigned silent = 0;
    char *text = written(CANDOR_LOG_JAVA, &size);
    struct seen whole = read_text(text, size);
    char *last = strstr(text, "Tag=");
    for (size_t n = (size_t)(last - text) + 1; n + 2 < size; n++) { /* no harm if the end is missing */
        struct seen s = read_text(text, n);
        silent += s.entries + s.problems != 2 || (s.entries == 2 && s.total != whole.total);
    }
    tap_ok(!silent, "a cut in the last line is reported, and what came before is kept (%u are not)", silent);
    struct seen junk = read_text("\x7f"
                                 "ELF\0\1\2",
                                 7),
                words = read_text("some words\n", 11), nothing = read_text("\n", 1);
    tap_ok(!junk.entries && junk.problems && strstr(junk.problem, "not a histogram log"), "binary: %s", junk.problem);
    tap_ok(!words.entries && words.problems && strstr(words.problem, "line 1: this is not a histogram log"), "text: %s", words.problem);
    tap_ok(nothing.problems == 1, "nothing: %s", nothing.problem);
    free(text);
}

/* Valid logs of HdrHistogram that are not read. */
static void test_refused(void)
{
    static const char doubles[] = "0.0,1.0,2.0,DHISTwAAAAIAAAAAAA9CQByEkxQAAAAheJyTaZkszMDAwAjEDkDMxAABjBCybYH9B4gAEwBQKwPj\n",
                      shifted[] = "0.0,1.0,2.0,HISTFAAAACF4nJNpmSzMwMDACMQOQMzEAAGMELJtgf0HiAATAFArA+M=\n";
    struct seen s = read_text(doubles, strlen(doubles));
    tap_ok(!s.entries && s.problems == 1 && strstr(s.problem, "floating-point values"), "a DoubleHistogram: %s", s.problem);
    s = read_text(shifted, strlen(shifted));
    tap_ok(!s.entries && s.problems == 1 && strstr(s.problem, "normalizing index offset"), "shifted counts: %s", s.problem);
}

static void test_hgrm(void)
{
    static const char *const last[] = {"1.000000000000", "inf", "Infinity"};
    for (int dialect = 0; dialect < 3; dialect++) {
        size_t size;
        char *text;
        struct candor_histogram back;
        FILE *f = open_memstream(&text, &size);
        candor_histogram_print_hgrm(&sample, f, 5, 1e3, (enum candor_hgrm)dialect);
        fclose(f);
        candor_histogram_init(&back, 1, 0, 3);
        f = fmemopen(text, size, "r");
        int rc = candor_histogram_read_hgrm(&back, f, 1e3);
        fclose(f);
        double off = (double)candor_histogram_percentile(&back, 90) / (double)candor_histogram_percentile(&sample, 90);
        tap_ok(!rc && candor_histogram_total(&back) == candor_histogram_total(&sample) && fabs(off - 1) < 0.01, "hgrm %d: read back",
               dialect);
        tap_ok(strstr(text, last[dialect]) != NULL, "its last row has %s", last[dialect]);
        candor_histogram_reset(&back);
        f = fmemopen(text, size / 2, "r");
        tap_ok(candor_histogram_read_hgrm(&back, f, 1e3) == -EBADMSG, "half of it is refused");
        fclose(f);
        candor_histogram_deinit(&back);
        free(text);
    }
}

int main(void)
{
    candor_histogram_init(&sample, 1, 3600 * NS_PER_S, 3);
    for (int64_t i = 0; i < 1000; i++)
        candor_histogram_record(&sample, i * i * 100);
    test_dialects();
    test_times();
    test_damage();
    test_refused();
    test_hgrm();
    candor_histogram_deinit(&sample);
    return tap_done();
}
