/* Findings in the catalogue: which recording is judged next, when a recording is skipped, and the limits.
 * Also recordings that are kept for alerts.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "store/catalogue/catalogue_findings.h"
#include "store/catalogue/catalogue_keep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABELS_MANY = 120, RULES_MANY = CATALOGUE_FINDINGS_MAX + 3 };

static char folder[] = "/tmp/candor-findings-XXXXXX";
static char path[64];
static struct catalogue *c;

/* Adds a recording of a service, received and ended at this second. Returns its id. */
static uint64_t add(const char *service, const char *host, int64_t second)
{
    static uint32_t number;
    struct catalogue_recording r = {.received_ns = second * 1000000000,
                                    .first = second,
                                    .last = second,
                                    .bytes = 10,
                                    .content_count = 1,
                                    .contents = {{.type = "cpu:ns"}}};
    struct catalogue_part part = {.first = second, .last = second, .rows = 1};
    struct error e;
    number++;
    memcpy(r.identity, &number, sizeof number);
    int rc = labels_set(&r.labels, "service", 7, service, strlen(service), &e);
    rc = rc ? rc : labels_set(&r.labels, "host", 4, host, strlen(host), &e);
    rc = rc ? rc : catalogue_add(c, &r, &part, 1, &e);
    catalogue_recording_deinit(&r);
    if (rc)
        exit(1);
    return r.id;
}

static uint64_t next(void)
{
    struct error e;
    uint64_t id;
    return catalogue_next_waiting(c, &id, &e) ? UINT64_MAX : id;
}

static bool judges_all(void *context, const char *rule)
{
    return true;
}

static int judge(uint64_t recording, const struct catalogue_found *found, uint32_t n)
{
    struct catalogue_judgement j = {
        .recording = recording, .duration_ns = 1000, .found = found, .found_count = n, .could_judge = judges_all, .resolve_s = 10};
    struct error e;
    return catalogue_judged(c, &j, &e);
}

static struct catalogue_judging sums(void)
{
    struct catalogue_judging s;
    struct error e;
    if (catalogue_judging(c, &s, &e))
        exit(1);
    return s;
}

/* ---- turns ---- */

static void test_turns(void)
{
    uint64_t a1 = add("a", "h", 100), a2 = add("a", "h", 101), a3 = add("a", "h", 102), b1 = add("b", "h", 100), n;
    struct error e;
    tap_ok(next() == a3 && !judge(a3, NULL, 0), "of a service the newest comes first");
    tap_ok(next() == b1 && !judge(b1, NULL, 0), "then it is another service's turn, although its recording is older");
    tap_ok(next() == a2, "then the first one's again");
    uint64_t b2 = add("b", "h", 103);
    tap_ok(!judge(a2, NULL, 0) && next() == b2 && !catalogue_skip(c, b2, SKIP_FORMAT, &e),
           "one that comes late does not wait for old ones");
    tap_ok(!judge(a2, NULL, 0) && sums().judged == 3, "a recording is judged once");
    tap_ok(!catalogue_skip_late(c, 100 * INT64_C(1000000000), &n, &e) && !n && next() == a1, "nothing is late yet");
    tap_ok(!catalogue_skip_late(c, 101 * INT64_C(1000000000), &n, &e) && n == 1 && !next(), "the oldest one waited too long");
    struct catalogue_judging s = sums();
    tap_ok(s.judged == 3 && !s.waiting && s.skipped[SKIP_LATE] == 1 && s.skipped[SKIP_FORMAT] == 1, "all five are counted");
    uint64_t gone = add("gone", "h", 100);
    struct catalogue_dropped d;
    tap_ok(!catalogue_drop_before(c, 3, 1, FORGOTTEN_RETAIN, &d, &e), "a day is deleted");
    catalogue_dropped_deinit(&d);
    tap_ok(gone && sums().skipped[SKIP_MISSING] == 1 && !sums().waiting, "a recording that is deleted before its turn is counted");
}

/* ---- bounds ---- */

static int remember(void *context, const struct catalogue_finding *f)
{
    *(uint32_t *)context = f->seen_count;
    return 0;
}

static void test_labels(void)
{
    const struct catalogue_found found = {.rule = "deadlock", .place = "", .json = "{}", .score = 50};
    uint32_t hosts = 0;
    struct error e;
    for (int i = 0; i < LABELS_MANY; i++) {
        char host[16];
        snprintf(host, sizeof host, "h%d", i);
        if (judge(add("many", host, 200 + i), &found, 1))
            exit(1);
    }
    struct catalogue_judging s = sums();
    tap_ok(s.findings[STATE_OPEN] == 1, "a finding without a place is one finding: %llu", (unsigned long long)s.findings[STATE_OPEN]);
    int rc = catalogue_findings(c, 0, NULL, remember, &hosts, &e);
    tap_ok(!rc && hosts == CATALOGUE_VALUES_MAX, "it names %u hosts", hosts);
    for (int i = 0; i < CATALOGUE_QUIET_RECORDINGS; i++)
        if (judge(add("many", "h", 400 + i), NULL, 0))
            exit(1);
    tap_ok(sums().findings[STATE_RESOLVED] == 1, "it is resolved");
}

static void test_many(void)
{
    struct catalogue_found *found = calloc(RULES_MANY, sizeof *found);
    for (uint32_t i = 0; i < RULES_MANY; i++) {
        char place[16];
        snprintf(place, sizeof place, "p%u", i);
        found[i] = (struct catalogue_found){.rule = "boxing", .place = strdup(place), .json = "{}", .score = 50};
    }
    tap_ok(!judge(add("full", "h", 500), found, RULES_MANY), "more findings than a service may have");
    struct catalogue_judging s = sums();
    tap_ok(s.findings[STATE_OPEN] == CATALOGUE_FINDINGS_MAX && s.unlisted == RULES_MANY - CATALOGUE_FINDINGS_MAX, "the rest is counted");
    struct error e;
    tap_ok(!catalogue_change_finding(c, 2, STATE_RESOLVED, NULL, 1, &e) && !judge(add("full", "h", 501), found + RULES_MANY - 1, 1) &&
               sums().unlisted == s.unlisted && sums().findings[STATE_RESOLVED] == 1,
           "a resolved one makes room for a new one");
    for (uint32_t i = 0; i < RULES_MANY; i++)
        free((char *)found[i].place);
    free(found);
}

/* ---- evidence ---- */

/* Drops all recordings of the service, and returns how many. */
static uint32_t drop(bool spares_evidence, uint32_t *evidence)
{
    struct catalogue_dropped d;
    struct error e;
    if (catalogue_drop_raw(c, 0, INT64_MAX, UINT64_MAX, spares_evidence, &d, &e))
        exit(1);
    uint32_t n = d.identity_count;
    *evidence = d.evidence_count;
    catalogue_dropped_deinit(&d);
    return n;
}

/* Adds a finding for each place, each in a separate recording. */
static void find_each(uint32_t places, int64_t second)
{
    for (uint32_t i = 0; i < places; i++) {
        char place[16];
        struct error e;
        snprintf(place, sizeof place, "p%u", i);
        struct catalogue_found found = {.rule = "errors", .place = place, .json = "{}", .score = 50 + (double)second / 1000};
        uint64_t recording = add("evidence", "h", second);
        if (catalogue_lose(c, recording, NULL, 0, &e) ||
            judge(recording, &found, 1)) /* a recording that waits for sealing is not dropped */
            exit(1);
    }
}

static void test_evidence(void)
{
    enum { PLACES = CATALOGUE_EVIDENCE_MAX + 5 };
    uint32_t evidence, before = 0;
    struct error e;
    drop(false, &evidence);
    find_each(PLACES, 600);
    uint32_t n = drop(true, &evidence);
    tap_ok(n == PLACES - CATALOGUE_EVIDENCE_MAX && !evidence, "the evidence of some findings is spared: %u are dropped", n);
    for (int i = 0; i < CATALOGUE_QUIET_RECORDINGS; i++) {
        uint64_t recording = add("evidence", "h", 700 + i);
        before += !catalogue_lose(c, recording, NULL, 0, &e) && !judge(recording, NULL, 0);
    }
    n = drop(true, &evidence);
    tap_ok(before == CATALOGUE_QUIET_RECORDINGS && n == before + CATALOGUE_EVIDENCE_MAX && !evidence, "none of resolved ones: %u", n);
    find_each(PLACES, 800);
    n = drop(true, &evidence);
    tap_ok(n == PLACES - CATALOGUE_EVIDENCE_MAX, "no more when all are open again: %u", n);
    n = drop(false, &evidence);
    tap_ok(n == CATALOGUE_EVIDENCE_MAX && evidence == n, "unless all must go, and then they are counted: %u", evidence);
}

/* ---- recordings that alerts keep ---- */

struct kept {
    uint32_t count;
    int64_t least_until;
};

static int count_kept(void *context, const struct catalogue_kept *k)
{
    struct kept *kept = context;
    kept->least_until = kept->count++ && kept->least_until < k->until ? kept->least_until : k->until;
    return strcmp(k->rule, "hot") ? -EINVAL : 0;
}

static struct kept kept_now(void)
{
    struct kept kept = {0};
    struct error e;
    if (catalogue_kept(c, count_kept, &kept, &e))
        exit(1);
    return kept;
}

static void test_kept(void)
{
    enum { MANY = CATALOGUE_KEPT_MAX + 4 };
    uint64_t ids[MANY], other = add("other", "h", 900);
    uint32_t evidence;
    struct error e;
    drop(false, &evidence);
    for (int i = 0; i < MANY; i++)
        ids[i] = add("kept", "h", 900 + i);
    int bad = catalogue_lose(c, other, NULL, 0, &e);
    for (int i = 0; i < MANY; i++) {
        bad |= catalogue_lose(c, ids[i], NULL, 0, &e);
        bad |= catalogue_keep(c, &ids[i], 1, "hot", 2000 + i, &e);
    }
    bad |= catalogue_keep(c, &ids[MANY - 1], 1, "hot", 1, &e);
    struct kept kept = kept_now();
    tap_ok(!bad && kept.count == CATALOGUE_KEPT_MAX && kept.least_until == 2004, "of a service those stay that are kept the longest: %u",
           kept.count);
    uint32_t n = drop(true, &evidence);
    tap_ok(n == 5 && !evidence, "they are spared: %u others are dropped", n);
    bad = catalogue_keep_until(c, 2006, &e);
    n = drop(true, &evidence);
    tap_ok(!bad && n == 3 && kept_now().count == CATALOGUE_KEPT_MAX - 3, "those whose time is over are like any other: %u", n);
    n = drop(false, &evidence);
    tap_ok(n == CATALOGUE_KEPT_MAX - 3 && evidence == n && !kept_now().count, "all may have to go: %u", n);
    bad = catalogue_keep(c, ids, MANY, "hot", 5000, &e);
    tap_ok(!bad && !kept_now().count, "a file that is gone is not kept");
    for (int i = 0; i < CATALOGUE_KEPT_MAX; i++) {
        ids[i] = add("kept", "h", 1100 + i);
        bad |= catalogue_keep(c, &ids[i], 1, "hot", 1500, &e);
    }
    n = kept_now().count;
    tap_ok(!bad && n == CATALOGUE_KEPT_MAX, "and takes no place from others: %u", n);
}

static void test_again(void)
{
    struct catalogue_judging before = sums();
    struct error e;
    catalogue_close(c);
    tap_ok(!catalogue_open(&c, path, &e), "the catalogue is opened again");
    struct catalogue_judging after = sums();
    tap_ok(!memcmp(&before, &after, sizeof before), "all counts are as before");
    tap_ok(catalogue_change_finding(c, 100000, STATE_OPEN, NULL, 1, &e) == -ENOENT, "a finding that is not there is not changed");
}

int main(void)
{
    struct error e;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/catalogue.db", folder);
    if (catalogue_open(&c, path, &e))
        return 1;
    test_turns();
    test_labels();
    test_many();
    test_evidence();
    test_kept();
    test_again();
    catalogue_close(c);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    tap_ok(!system(command), "cleaned up");
    return tap_done();
}
