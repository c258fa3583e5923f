/* When a recording must dump itself: which rules can be written, and when they trigger.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "agent/collect/session/alarm.h"
#include "base/time_units.h"

#include <errno.h>
#include <string.h>

static bool parses(const char *text, double share, double processors, uint64_t window_ns)
{
    struct alarm_rule r;
    struct error e;
    return !alarm_rule_parse(&r, text, &e) && r.share == share && r.processors == processors && r.window_ns == window_ns &&
           !strcmp(r.text, text);
}

static void refused(const char *text, const char *word)
{
    struct alarm_rule r;
    struct error e = {""};
    int rc = alarm_rule_parse(&r, text, &e);
    tap_ok(rc == -EINVAL && strstr(e.text, word) && !strchr(e.text, '\n'), "'%s' is refused: %s", text, e.text);
}

static void test_rules(void)
{
    tap_ok(parses("cpu>90%", 0.9, 0, 10 * NS_PER_S) && parses("cpu>100%/1s", 1, 0, NS_PER_S) && parses("cpu>1.5", 0, 1.5, 10 * NS_PER_S) &&
               parses("cpu>0.25/2m", 0, 0.25, 120 * NS_PER_S),
           "shares and processors, with a window and without");
    static const char *const bad[] = {"",         "cpu>",     "cpu>x", "cpu>-1",  "cpu>0",    "cpu>0%",  "cpu>nan",
                                      "cpu>90%%", "cpu>90%x", "cpu<5", "cpu=90%", "heap>90%", "CPU>90%", "cpu>1e9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(bad[i], "'cpu>90%/10s'");
    refused("cpu>101%", "100%");
    refused("cpu", "in quotes");
    refused("cpu>90%/", "1s to 1h");
    refused("cpu>90%/10", "1s to 1h");
    refused("cpu>90%/999ms", "1s to 1h");
    refused("cpu>90%/61m", "1s to 1h");
    refused("lock>10ms", "not lock");
    refused("latency(com.shop.Cart.total)>1s", "not latency");
}

/* Asks ten times a second while the process uses this many processors. Returns how often the rule triggered. */
static unsigned run(struct alarm *a, uint64_t *now, double *cpu, double processors, unsigned seconds)
{
    unsigned rang = 0;
    double used;
    for (unsigned i = 0; i < 10 * seconds; i++) {
        *now += NS_PER_S / 10;
        *cpu += processors * (double)NS_PER_S / 10;
        rang += alarm_rings(a, *now, (uint64_t)*cpu, &used);
    }
    return rang;
}

static struct alarm begun(const char *text, double processors)
{
    struct alarm_rule r;
    struct alarm a;
    struct error e;
    alarm_rule_parse(&r, text, &e);
    alarm_begin(&a, &r, processors);
    return a;
}

static void test_ringing(void)
{
    uint64_t now = 77 * NS_PER_S;
    double cpu = 5 * NS_PER_S;
    struct alarm a = begun("cpu>90%/10s", 2);
    tap_ok(!run(&a, &now, &cpu, 2, 10), "never before a window is over");
    tap_ok(run(&a, &now, &cpu, 2, 10) == 100, "above the limit at every look");
    run(&a, &now, &cpu, 0, 3);
    tap_ok(!run(&a, &now, &cpu, 1.7, 60), "not while the use stays below it");
    tap_ok(!run(&a, &now, &cpu, 2, 1) && !run(&a, &now, &cpu, 0, 20), "not for a second alone");
    /* Use rises from 1.7 to 2 of 2 processors. The average of ten seconds exceeds 1.8 after a third of them: after 3.4 s, or a step of
     * 0.7 s later. */
    run(&a, &now, &cpu, 1.7, 20);
    tap_ok(!run(&a, &now, &cpu, 2, 3) && run(&a, &now, &cpu, 2, 2), "but when the average over the window is above it");
    struct alarm p = begun("cpu>1.5/1s", 64);
    tap_ok(!run(&p, &now, &cpu, 1.4, 5) && run(&p, &now, &cpu, 1.6, 3), "a number of processors is one, whatever there are");
    struct alarm slow = begun("cpu>50%/1s", 1);
    double used = 0;
    alarm_rings(&slow, now, (uint64_t)cpu, &used);
    tap_ok(!alarm_rings(&slow, now + 100 * NS_PER_S, (uint64_t)cpu + 40 * NS_PER_S, &used) && used == 0.4 &&
               alarm_rings(&slow, now + 101 * NS_PER_S, (uint64_t)cpu + 41 * NS_PER_S, &used) && used == 1,
           "over more than the window if the last request was longer ago");
}

int main(void)
{
    test_rules();
    test_ringing();
    return tap_done();
}
