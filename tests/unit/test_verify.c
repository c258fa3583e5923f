/* `candor verify`: what programs with known true shares print, and how profiles are compared with it.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "base/time_units.h"
#include "profile_maker.h"
#include "verify/judge.h"
#include "verify/tool.h"
#include "verify/verify.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int take(struct truth *t, const char *text)
{
    char line[400];
    snprintf(line, sizeof line, "%s", text);
    return truth_take(t, line);
}

static void test_truth(void)
{
    static const char *const bad[] = {
        "part",        "part a verify- verify.A.a",   "part a verify- verify.A.a -1", "part a verify- verify.A.a 1x", "cpu",
        "cpu nothing", "cpu 99999999999999999999999",
    };
    struct truth t = {0};
    tap_ok(take(&t, "part heavy verify- verify.Shares.heavy 700") == 0 && take(&t, "part all verify-b - 200") == 0, "parts");
    tap_ok(t.count == 2 && t.parts[0].ns == 700 && !strcmp(t.parts[0].method, "verify.Shares.heavy"), "a method");
    tap_ok(!strcmp(t.parts[1].threads, "verify-b") && !*t.parts[1].method, "threads, whatever the method");
    tap_ok(truth_check(&t) == -EPROTO, "without the whole there is no truth");
    tap_ok(take(&t, "cpu 1000") == 0 && t.cpu_ns == 1000 && take(&t, "done") == 1, "the whole, and the end");
    tap_ok(truth_check(&t) == 0, "parts that fit into the whole");
    t.cpu_ns = 800;
    tap_ok(truth_check(&t) == -EPROTO, "parts that are more than the whole");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(take(&t, bad[i]) == -EPROTO, "'%s' is nonsense", bad[i]);
    tap_ok(take(&t, "") == -ENOENT && take(&t, "[warning] hello") == -ENOENT, "and what others say is none of ours");
    char word[TRUTH_WORD_MAX + 40];
    snprintf(word, sizeof word, "part %0*d verify- - 1", TRUTH_WORD_MAX, 0);
    tap_ok(take(&t, word) == -EPROTO, "a word that is too long");
    int rc = 0;
    for (int i = 0; i <= TRUTH_PARTS_MAX && !rc; i++)
        rc = take(&t, "part a verify- - 1");
    tap_ok(rc == -EPROTO && t.count == TRUTH_PARTS_MAX, "more parts than there is room for");
}

/* 100 samples of the round, and 20 others. Of the round, 60 are in heavy (10 of these through a call of light), 30 in light, and 10
 * without a stack. */
static void make_profile(struct profile *p)
{
    maker_init(p);
    p->interval_ns = 10;
    for (int i = 0; i < 100; i++) {
        const char *thread = i % 2 ? "verify-1" : "verify-2";
        int kind = i * 37 % 100;
        const char *frames = kind < 50   ? "W.run;verify.S.heavy;java.lang.Math.sin"
                             : kind < 60 ? "W.run;verify.S.light;verify.S.heavy"
                             : kind < 90 ? "W.run;verify.S.heavy;verify.S.light"
                                         : "[not walkable]";
        maker_sample_of(p, thread, frames, 10);
    }
    for (int i = 0; i < 20; i++)
        maker_sample(p, "W.run;verify.S.heavy", 10);
}

static struct judgement judge_truth(const struct profile *p, const char *const *lines)
{
    struct truth t = {0};
    struct judgement j;
    for (; *lines; lines++)
        take(&t, *lines);
    tap_ok(truth_check(&t) == 0 && judge(&j, &t, p) == 0, "judged");
    return j;
}

static void test_judge(void)
{
    struct profile p;
    make_profile(&p);
    static const char *const lines[] = {"part heavy verify- verify.S.heavy 600", "part light verify- verify.S.light 300",
                                        "part first verify-1 - 50", "cpu 1000", NULL};
    struct judgement j = judge_truth(&p, lines);
    tap_ok(j.samples == 100 && j.effective == 100 && j.cpu_ns == 1000, "only the round's threads count: %u samples", j.samples);
    tap_ok(j.parts[0].share == 0.6 && j.parts[1].share == 0.3, "the innermost of the parts' methods counts: %g, %g", j.parts[0].share,
           j.parts[1].share);
    tap_ok(j.parts[0].off == 0 && j.parts[1].off == 0, "and what is true is not off");
    double off = j.parts[2].interval.low - 0.05;
    tap_ok(j.parts[2].share == 0.5 && fabs(j.parts[2].off - off) < 1e-12, "a thread's part, and how far it is off: %g", off);
    tap_ok(judge_worst(&j) == &j.parts[2], "that one is the worst");
    tap_ok(judge_cpu_off(&j) == 0, "the sum of the weights is right");
    j.cpu_ns = 800;
    tap_ok(judge_cpu_off(&j) > 0.1, "and when it is not, that shows: %g", judge_cpu_off(&j));
    profile_deinit(&p);
}

/* Virtual threads: work of their carriers from the beginning of the round on belongs to the round. */
static void test_carriers(void)
{
    struct profile p;
    maker_init(&p);
    maker_sample_of(&p, "carrier-1", "W.run;verify.S.heavy", 10);
    maker_sample_of(&p, "carrier-1", "W.run;verify.S.light", 10);
    maker_sample_of(&p, "verify-1", "W.run;verify.S.light", 10);
    p.samples[0].time_ns = 9999999;
    p.samples[1].time_ns = 10000000;
    p.samples[2].time_ns = 40000000;
    struct truth t = {.begin_ns = 20 * NS_PER_MS, .end_ns = 30 * NS_PER_MS};
    struct judgement j;
    tap_ok(take(&t, "part light verify- verify.S.light 20") == 0 && take(&t, "threads carrier-") == 0 && take(&t, "cpu 20") == 0,
           "a truth with carriers");
    tap_ok(judge(&j, &t, &p) == 0 && j.samples == 2 && j.parts[0].share == 1, "%u samples, %g", j.samples, j.parts[0].share);
    for (int i = 1; i < TRUTH_CARRIERS_MAX; i++)
        take(&t, "threads more-");
    tap_ok(take(&t, "threads more-") == -EPROTO, "more carriers than there is room for");
    profile_deinit(&p);
}

static void set_unseen(struct profile *p, int64_t ns)
{
    struct profile_book book = {.ns = ns};
    profile_string(p, "unseen", 6, &book.account);
    profile_string(p, "kernel", 6, &book.reason);
    tap_ok(profile_set_book(p, &book) == 0, "%lld ns are the kernel's, and unseen", (long long)ns);
}

/* Time that the books show as hidden may belong to any part; other missing time is an error. */
static void test_hidden(void)
{
    struct profile p;
    make_profile(&p);
    static const char *const lines[] = {"part heavy verify- verify.S.heavy 900", "part light verify- verify.S.light 300", "cpu 1250", NULL};
    struct judgement bare = judge_truth(&p, lines);
    tap_ok(bare.hidden_ns == 0 && judge_cpu_off(&bare) > 0 && bare.parts[0].off > 0, "without such books a fifth is missing");
    set_unseen(&p, 600);
    struct judgement j = judge_truth(&p, lines);
    tap_ok(j.hidden_ns == 250 && judge_cpu_off(&j) == 0, "of 600 that are hidden, 250 at most are the round's: %llu",
           (unsigned long long)j.hidden_ns);
    double low = bare.parts[0].interval.low * 0.8, high = bare.parts[0].interval.high * 0.8 + 0.2;
    tap_ok(fabs(j.parts[0].interval.low - low) < 1e-12 && fabs(j.parts[0].interval.high - high) < 1e-12 && j.parts[0].off == 0,
           "the interval holds what is hidden: %g to %g", j.parts[0].interval.low, j.parts[0].interval.high);
    set_unseen(&p, 50);
    j = judge_truth(&p, lines);
    tap_ok(j.hidden_ns == 50 && judge_cpu_off(&j) > 0, "of a fifth that is missing, a 25th is explained");
    profile_deinit(&p);
}

/* A part that no sample shows is certain only within the size of the sample. */
static void test_nothing_seen(void)
{
    struct profile p;
    maker_init(&p);
    struct judgement j = judge_truth(&p, (const char *const[]){"part heavy verify- verify.S.heavy 600", "cpu 1000", NULL});
    tap_ok(j.samples == 0 && j.parts[0].interval.low == 0 && j.parts[0].interval.high == 1, "no samples: nothing is known");
    profile_deinit(&p);
}

static void test_tools(void)
{
    struct tool t;
    struct error e;
    tap_ok(tool_parse(&t, "candor", "/a", &e) == 0 && t.kind == TOOL_CANDOR && !*t.event && !strcmp(t.library, "/a"), "%s", t.name);
    tap_ok(tool_parse(&t, "late:timer", "/a", &e) == 0 && t.kind == TOOL_CANDOR_LATE && !strcmp(t.event, "timer"), "%s", t.name);
    tap_ok(tool_parse(&t, "jfr", "/a", &e) == 0 && t.kind == TOOL_JFR, "%s", t.name);
    tap_ok(tool_parse(&t, "async-profiler=/x/y.so:ctimer", "/a", &e) == 0 && !strcmp(t.library, "/x/y.so"), "%s", t.name);
    tap_ok(!strcmp(t.event, "ctimer"), "and its event");
    tap_ok(tool_parse(&t, "async-profiler=/x/y.so", "/a", &e) == 0 && !strcmp(t.event, "cpu"), "%s", t.name);
    static const char *const bad[] = {"", "cando", "candorx", "jfr:timer", "async-profiler=", "candor:0123456789abcdef"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(tool_parse(&t, bad[i], "/a", &e) == -EINVAL, "'%s' is no tool", bad[i]);
}

static void test_cases(void)
{
    for (const struct verify_case *c = verify_cases; c->name; c++)
        tap_ok(verify_case_find(c->name) == c && *c->title && *c->question, "%s has a name of its own, a title and a text", c->name);
    tap_ok(!verify_case_find("none"), "and none has any other");
}

int main(void)
{
    test_truth();
    test_judge();
    test_carriers();
    test_hidden();
    test_nothing_seen();
    test_tools();
    test_cases();
    return tap_done();
}
