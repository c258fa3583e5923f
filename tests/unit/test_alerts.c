/* Alerts without a server: quiet times, rules and their errors, the states of an alert, ratios, the file of states, messages.
 * tier: quick
 * timeout: 60 */
#include "server/alerts/tell/body.h"
#include "server/alerts/table.h"

#include "../tap.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/candor-test-alerts-XXXXXX";

enum { MONDAY_NOON = 345600 + 12 * 3600 }; /* 1970-01-05 */

/* ---- the file ---- */

static int read_rules(struct alert_rules *r, const char *text, struct error *e)
{
    int fd = open(path, O_WRONLY | O_TRUNC);
    bool good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    *e = (struct error){""};
    return good ? rules_read(r, path, e) : -1;
}

static bool is_quiet(const char *text, int64_t seconds)
{
    struct quiet q;
    return !quiet_parse(&q, text, NULL) && quiet_at(&q, seconds);
}

static void test_quiet(void)
{
    enum { DAY = 86400, MINUTE = 60 };
    tap_ok(is_quiet("12:00-13:00", MONDAY_NOON) && !is_quiet("12:00-13:00", MONDAY_NOON - 1) && !is_quiet("11:00-12:00", MONDAY_NOON),
           "a range has its beginning, not its end");
    tap_ok(is_quiet("22:00-12:01", MONDAY_NOON) && !is_quiet("22:00-12:00", MONDAY_NOON), "a range over midnight");
    tap_ok(is_quiet("Mon", MONDAY_NOON) && !is_quiet("Mon", MONDAY_NOON + DAY) && is_quiet("Sat-Mon", MONDAY_NOON) &&
               !is_quiet("Sat-Sun", MONDAY_NOON),
           "days, also over the end of the week");
    tap_ok(is_quiet("Sun 22:00-12:30", MONDAY_NOON) && !is_quiet("Mon 22:00-12:30", MONDAY_NOON),
           "a night belongs to the day of its beginning");
    static const char *const wrong[] = {"", "Mo", "12:00", "12:00-25:00", "12:60-13:00", "Mon-", "12:00-13:00x", "12:00-12:00", "1-2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct quiet q;
        struct error e = {""};
        tap_ok(quiet_parse(&q, wrong[i], &e) && strstr(e.text, "HH:MM"), "quiet '%s' is refused", wrong[i]);
    }
}

static void test_rules(void)
{
    static const struct {
        const char *text, *word;
    } wrong[] = {
        {"value = cores\n", "line 1: 'value' is before the first section"},
        {"[alerts a]\n", "line 1: no section [alerts a]"},
        {"[alert a b]\n", "name 'a b'"},
        {"[alert a]\nvalue=cores\nabove=1\n[alert a]\n", "line 4: there is a rule [alert a] already"},
        {"[alert a]\nvalue = core\n", "line 2: value 'core': use one of cores, rate, self, total, change"},
        {"[alert a]\nselect = service=shop\n", "line 2: selector"},
        {"[alert a]\nmethod = a(\n", "line 2: method 'a('"},
        {"[alert a]\nwindow = 1500ms\n", "line 2: window '1500ms'"},
        {"[alert a]\ninterval = 0s\n", "line 2: interval '0s'"},
        {"[alert a]\nabove = 1\nbelow = 2\n", "line 3: below: a rule has one threshold"},
        {"[alert a]\nbaseline = month\n", "line 2: baseline 'month'"},
        {"[alert a]\nbaseline = 2 days\n", "line 2: baseline '2 days'"},
        {"[alert a]\nbaseline = 9 weeks\n", "line 2: baseline '9 weeks'"},
        {"[alert a]\nbaseline = 3 day\n", "line 2: baseline '3 day'"},
        {"[alert a]\nvalue = change\nabove = 1%\n", "value = change needs `above`, and a baseline"},
        {"[alert a]\nvalue = change\nabove = 1%\nbaseline = 7 days\n", "value = change needs `above`, and a baseline"},
        {"[alert a]\nvalue = change\nbelow = 1%\nbaseline = day\n", "value = change needs `above`, and a baseline"},
        {"[alert a]\nvalue = change\nabove = 500\nbaseline = day\n", "above '500': use a share"},
        {"[alert a]\naction = keep 5\n", "line 2: action 'keep 5'"},
        {"[alert a]\nlabel.9 = x\n", "line 2: label '9'"},
        {"[alert a]\nlabel.x =\n", "line 2: label is empty"},
        {"[alert a]\nabove = 1\n", "[alert a]: it needs a value"},
        {"[alert a]\nvalue = cores\nmethod = x\nabove = 1\n", "value = cores has no method"},
        {"[alert a]\nvalue = cores\nabove = 5%\n", "above '5%': use a number"},
        {"[alert a]\nvalue = self\nmethod = x\nabove = 500\n", "above '500': use a share"},
        {"[alert a]\nvalue = gc_share\nabove = 500\n", "above '500': use a share"},
        {"[alert a]\nvalue = lock_wait\nabove = 5%\n", "above '5%': use a number"},
        {"[alert a]\nvalue = lock_wait\ntype = lock:ns\nabove = 5\n", "value = lock_wait has no type"},
        {"[alert a]\nvalue = lock_wait\nmethod = x\nabove = 5\n", "value = lock_wait has no method"},
        {"[alert a]\nvalue = lock_waits\nabove = 5\n", "or a key metric, such as gc_share"},
        {"[alert a]\nvalue = cores\nabove = 2\nresolve = 3\n", "resolve must not be above"},
        {"[alert a]\nvalue = cores\nbelow = 2\nresolve = 1\n", "resolve must not be below"},
        {"[alert a]\nvalue = cores\nabove = 2\ntype = alloc_space:bytes\n", "use value = rate"},
        {"[alert a]\nvalue = rate\nabove = 2\ntype = alloc\n", "type 'alloc'"},
        {"[alert a]\nvalue = rate\nabove = 2\nto = ops\n", "no target [send ops]"},
        {"[send a]\ntype = mail\n", "line 2: type 'mail'"},
        {"[send a]\ntype = webhook\nurl = file:///x\n", "[send a]: server 'file:///x'"},
        {"[send a]\nurl = http://x\n", "[send a]: it needs a type"},
        {"[send a]\ntype = slack\n", "[send a]: it needs a url"},
        {"[send a]\nkey = slack\n", "no key 'key' in a target"},
    };
    struct alert_rules r;
    struct error e;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tap_ok(read_rules(&r, wrong[i].text, &e) && strstr(e.text, wrong[i].word) && strstr(e.text, path), "refused: %s", wrong[i].word);
        if (!strstr(e.text, wrong[i].word))
            tap_note("%s", e.text);
        rules_deinit(&r);
    }
    int rc = read_rules(
        &r,
        "[alert a]\nvalue = total\nmethod = x\nabove = 5%\nresolve = 4%\nto = two\nfor = 2m\n[alert b]\nvalue = cores\nbelow = 1.5\n"
        "baseline = week\n[send one]\ntype = slack\nurl = http://h/x/\n[send two]\ntype = alertmanager\nurl = http://h\n",
        &e);
    tap_ok(!rc && r.count == 2 && r.target_count == 2, "a good file %s", e.text);
    tap_ok(!rc && r.list[0].threshold == 0.05 && r.list[0].resolve == 0.04 && r.list[0].targets == 2 && r.list[0].hold == 120 &&
               r.list[0].window == 300 && r.list[0].interval == 60,
           "a rule, and what it does not say");
    tap_ok(!rc && r.list[1].threshold == 1.5 && r.list[1].resolve == 1.5 && r.list[1].below && r.list[1].targets == 3 &&
               r.list[1].before == 604800,
           "a rule with a baseline: to all targets");
    tap_ok(!rc && r.targets[0].repeat == 0 && r.targets[1].repeat == 60 && !strcmp(r.targets[0].url, "http://h/x"), "targets");
    rules_deinit(&r);
    rc = read_rules(&r,
                    "[alert a]\nbaseline = previous\nvalue = change\nabove = 1%\nwindow = 10m\naction = keep\naction = profile wall 2m\n"
                    "[alert b]\nvalue = gc_share\nabove = 2\nbaseline = 4 weeks\naction = keep 7d 3\n",
                    &e);
    tap_ok(!rc && r.list[0].before == 600 && r.list[0].seasons == 1 && r.list[0].threshold == 0.01, "the window before %s", e.text);
    tap_ok(!rc && r.list[1].before == 604800 && r.list[1].seasons == 4 && r.list[1].threshold == 2, "four weeks: a ratio");
    tap_ok(!rc && r.list[0].keep_s == 30 * 86400 && r.list[0].keep_most == 5 && *r.list[0].action && r.list[1].keep_s == 7 * 86400 &&
               r.list[1].keep_most == 3 && !*r.list[1].action,
           "actions");
    rules_deinit(&r);
}

/* ---- states ---- */

static const struct alert_rule steady = {.name = "a", .threshold = 0.5, .resolve = 0.4, .hold = 120, .interval = 60, .no_data = 600};

/* Adds a figure with that value and half width. width < 0: no data. */
static enum alert_state put(struct alert *a, const struct alert_rule *rule, int64_t to, double value, double width, bool complete)
{
    struct alert_figure f = {.value = value, .low = value - width, .high = value + width, .known = width >= 0, .samples = 1};
    if (!complete)
        missing_add(&f.missing, MISSING_LOST, 1, 1, 1);
    verdict(a, rule, &f, to, rule->interval, false);
    return a->state;
}

static void test_silent(void)
{
    struct alert a = {0};
    const struct alert_figure f = {.value = 1, .low = 1, .high = 1, .known = true, .samples = 1};
    for (int64_t to = 60; to <= 240; to += 60)
        verdict(&a, &steady, &f, to, steady.interval, true);
    tap_ok(a.state == ALERT_FIRING && !a.announced, "in a silence an alert fires, and is not announced");
    verdict(&a, &steady, &f, 300, steady.interval, false);
    tap_ok(a.state == ALERT_FIRING && a.announced && a.started == 180, "it is announced after the silence");
    verdict(&a, &steady, &f, 360, steady.interval, true);
    tap_ok(a.announced, "a later silence does not take that back: the target has to get the end");
}

static void test_states(void)
{
    struct alert a = {0};
    tap_ok(put(&a, &steady, 60, 0.6, 0.2, true) == ALERT_INACTIVE, "a value above the threshold whose interval is not does nothing");
    tap_ok(put(&a, &steady, 120, 0.6, 0.05, true) == ALERT_PENDING && put(&a, &steady, 180, 0.6, 0.05, true) == ALERT_PENDING,
           "it has to hold for two minutes");
    tap_ok(put(&a, &steady, 240, 0.6, 0.05, true) == ALERT_FIRING && a.started == 240 && a.since == 240 && a.announced, "then it fires");
    tap_ok(put(&a, &steady, 300, 0.5, 0.05, true) == ALERT_FIRING, "above the second threshold it continues");
    tap_ok(put(&a, &steady, 360, 0.2, 0.05, false) == ALERT_FIRING, "incomplete data do not resolve it");
    tap_ok(put(&a, &steady, 420, 0, -1, true) == ALERT_FIRING && put(&a, &steady, 900, 0, -1, true) == ALERT_FIRING, "nor do missing data");
    tap_ok(put(&a, &steady, 960, 0, -1, true) == ALERT_RESOLVED && a.ended == 960, "for longer than no-data");
    a = (struct alert){.state = ALERT_FIRING, .at = 240, .started = 240, .since = 240, .seen = 240};
    tap_ok(put(&a, &steady, 300, 0.44, 0.05, true) == ALERT_RESOLVED && a.ended == 300 && a.started == 240,
           "below the second threshold it ends");
    tap_ok(put(&a, &steady, 360, 0.6, 0.05, true) == ALERT_PENDING && put(&a, &steady, 420, 0.6, 0.05, false) == ALERT_PENDING &&
               put(&a, &steady, 480, 0.6, 0.05, true) == ALERT_FIRING && a.started == 480,
           "and fires again, also with incomplete data");
}

static void test_pending(void)
{
    struct alert a = {0};
    put(&a, &steady, 60, 0.6, 0.05, true);
    tap_ok(put(&a, &steady, 120, 0.3, 0.05, true) == ALERT_INACTIVE && a.held == 0, "pending ends when the value is no longer above");
    put(&a, &steady, 180, 0.6, 0.05, true);
    tap_ok(put(&a, &steady, 240, 0, -1, true) == ALERT_PENDING && put(&a, &steady, 300, 0.1, 0.05, false) == ALERT_PENDING && a.held == 0,
           "data that are missing neither end it nor count");
    tap_ok(put(&a, &steady, 100000, 0.6, 0.05, true) == ALERT_PENDING && a.held == 60, "a day's jump of the clock counts as one interval");
    tap_ok(put(&a, &steady, 360, 0.6, 0.05, true) == ALERT_PENDING && a.held == 60 && a.since <= 360,
           "a clock that is set back counts nothing");
    tap_ok(put(&a, &steady, 360, 0.6, 0.05, true) == ALERT_PENDING && a.held == 60, "nor does the same window again");
    tap_ok(put(&a, &steady, 420, 0.6, 0.05, true) == ALERT_FIRING && a.started == 420, "and continues from there");
    struct alert_rule low = steady;
    low.below = true;
    low.hold = 0;
    low.resolve = 0.6;
    a = (struct alert){0};
    tap_ok(put(&a, &low, 60, 0.4, 0.2, true) == ALERT_INACTIVE && put(&a, &low, 120, 0.4, 0.05, true) == ALERT_FIRING &&
               put(&a, &low, 180, 0.5, 0.05, true) == ALERT_FIRING && put(&a, &low, 240, 0.58, 0.05, true) == ALERT_RESOLVED,
           "below: the upper bound counts");
    a = (struct alert){0};
    put(&a, &steady, 60, 0.6, 0.05, true);
    tap_ok(put(&a, &steady, 600, 0, -1, true) == ALERT_PENDING && put(&a, &steady, 660, 0, -1, true) == ALERT_INACTIVE,
           "missing data end it after no-data");
}

static void test_incomplete(void)
{
    struct alert_rule low = steady, grown = steady;
    struct alert a = {0};
    low.hold = grown.hold = 0;
    low.below = true;
    grown.before = 86400;
    tap_ok(put(&a, &low, 60, 0.4, 0.05, false) == ALERT_INACTIVE && put(&a, &low, 120, 0.4, 0.05, true) == ALERT_FIRING,
           "incomplete data are not below a threshold");
    a = (struct alert){0};
    tap_ok(put(&a, &grown, 60, 0.6, 0.05, false) == ALERT_INACTIVE && put(&a, &grown, 120, 0.6, 0.05, true) == ALERT_FIRING,
           "nor above a baseline");
}

static void test_for_targets(void)
{
    struct alert a = {0};
    tap_ok(put(&a, &steady, 60, 0.6, 0.05, true) == ALERT_PENDING && verdict_for_targets(&a) == ALERT_INACTIVE,
           "targets are not told of an alert that waits");
    a = (struct alert){.state = ALERT_FIRING, .at = 240, .started = 240, .since = 240, .seen = 240};
    tap_ok(verdict_for_targets(&a) == ALERT_FIRING && put(&a, &steady, 300, 0.1, 0.05, true) == ALERT_RESOLVED &&
               verdict_for_targets(&a) == ALERT_RESOLVED,
           "they both are reported: that it fires, and its end");
    tap_ok(put(&a, &steady, 360, 0.6, 0.05, true) == ALERT_PENDING && verdict_for_targets(&a) == ALERT_RESOLVED &&
               put(&a, &steady, 420, 0.1, 0.05, true) == ALERT_INACTIVE && verdict_for_targets(&a) == ALERT_RESOLVED && a.ended == 300,
           "also when it waits again, and no longer waits");
    put(&a, &steady, 480, 0.6, 0.05, true);
    put(&a, &steady, 540, 0.6, 0.05, true);
    tap_ok(put(&a, &steady, 600, 0.6, 0.05, true) == ALERT_FIRING && verdict_for_targets(&a) == ALERT_FIRING && !a.ended,
           "until it fires again");
    tap_ok(put(&a, &steady, 540, 0.1, 0.05, true) == ALERT_RESOLVED && a.ended == 600, "no end is before its beginning");
}

static void test_announced(void)
{
    struct alert a = {0};
    struct alert_rule rule = steady;
    rule.hold = 0;
    rule.quiet_count = 1;
    quiet_parse(&rule.quiet[0], "11:00-12:00", NULL);
    tap_ok(put(&a, &rule, MONDAY_NOON - 120, 0.6, 0.05, true) == ALERT_FIRING && !a.announced, "in a quiet time it fires in silence");
    tap_ok(put(&a, &rule, MONDAY_NOON, 0.6, 0.05, true) == ALERT_FIRING && a.announced && a.started == MONDAY_NOON - 120,
           "and is announced when it ends");
}

static struct alert_figure figure(double value, double low, double high)
{
    return (struct alert_figure){.value = value, .low = low, .high = high, .known = true};
}

/* A source whose value is known by the day: 0 = no data. */
static const double by_day[] = {30, 10, 12, 0, 11, 9, 8};

static int measure_day(struct alert_samples *samples, const struct alert_window *w, struct alert_figure *out, struct error *e)
{
    double v = by_day[(7 * 86400 - w->to) / 86400];
    *out = (struct alert_figure){.value = v, .low = v, .high = v, .known = v > 0, .samples = 1};
    if (v == 12)
        missing_add(&out->missing, MISSING_LOST, 1, 1, 1);
    return 0;
}

static void test_seasons(void)
{
    const struct alert_source source = {.measure = measure_day};
    struct alert_rule rule = {.source = &source, .window = 300, .before = 86400, .seasons = 6};
    struct alert_figure f;
    struct error e;
    int rc = sources_evaluate(NULL, &rule, NULL, 7 * 86400, &f, &e);
    /* 10, 12, 11, 9, 8: the mean is 10, the variance 2.5; t with 4 degrees of freedom is 2.7764. */
    double reach = 2.7764 * sqrt(2.5 * 1.2);
    tap_ok(!rc && f.known && fabs(f.value - 3) < 1e-9 && fabs(f.low - 30 / (10 + reach)) < 1e-3 && fabs(f.high - 30 / (10 - reach)) < 1e-3,
           "the mean of the days with data, and how they differ: %g [%g..%g]", f.value, f.low, f.high);
    tap_ok(missing_parts(&f.missing) == 1, "what the days lack is counted");
    rule.seasons = 3;
    rc = sources_evaluate(NULL, &rule, NULL, 7 * 86400, &f, &e);
    tap_ok(!rc && !f.known, "two days with data are too few");
    rule.seasons = 1;
    rc = sources_evaluate(NULL, &rule, NULL, 7 * 86400, &f, &e);
    tap_ok(!rc && f.known && f.value == 3 && f.low == 3 && f.high == 3, "a single day is a baseline as it is");
}

static void test_ratio(void)
{
    struct alert_figure now = figure(0.2, 0.16, 0.25), before = figure(0.1, 0.08, 0.125), none = figure(0, 0, 0.01), unknown = {0};
    struct alert_figure r = sources_ratio(&now, &before);
    double half = hypot(log(0.2 / 0.16), log(0.125 / 0.1));
    tap_ok(r.known && fabs(r.value - 2) < 1e-9 && fabs(log(r.value / r.low) - half) < 1e-9 && fabs(log(r.high / r.value) - half) < 1e-9,
           "a ratio's interval has the errors of both: %g [%g..%g]", r.value, r.low, r.high);
    r = sources_ratio(&now, &none);
    tap_ok(r.known && isinf(r.value) && r.low == 16 && isinf(r.high), "a baseline without any: the bound is still finite");
    r = sources_ratio(&none, &before);
    tap_ok(r.known && r.value == 0 && r.low == 0 && r.high == 0.125, "nothing now");
    tap_ok(!sources_ratio(&now, &unknown).known && !sources_ratio(&unknown, &before).known && !sources_ratio(&none, &none).known,
           "no data on one side, or nothing on both: unknown");
}

/* ---- the table ---- */

static bool same(const struct alert *a, const struct alert *b)
{
    return !strcmp(a->rule, b->rule) && !strcmp(a->value ? a->value : "", b->value ? b->value : "") && a->state == b->state &&
           a->at == b->at && a->since == b->since && a->started == b->started && a->ended == b->ended && a->seen == b->seen &&
           a->held == b->held && a->announced == b->announced && !memcmp(&a->figure, &b->figure, sizeof a->figure) &&
           !memcmp(a->told, b->told, sizeof a->told);
}

static void test_table(void)
{
    struct alert_rules r, other;
    struct error e;
    struct alert_table t = {0}, read;
    char *bytes;
    size_t n;
    static const char two[] = "[alert a]\nvalue = cores\nabove = 1\neach = host\n[alert b]\nvalue = cores\nabove = 1\n"
                              "[send one]\ntype=slack\nurl=http://h\n[send two]\ntype=slack\nurl=http://h\n";
    static const char turned[] = "[alert a]\nvalue = cores\nabove = 2\neach = host\n[send two]\ntype=slack\nurl=http://h\n"
                                 "[send three]\ntype=slack\nurl=http://h\n";
    tap_ok(!read_rules(&r, two, &e) && !read_rules(&other, turned, &e), "rules %s", e.text);
    table_get(&t, "b", NULL);
    table_get(&t, "a", "z");
    *table_get(&t, "a", "\"c\"\xc3\xa4") = *table_get(&t, "a", "\"c\"\xc3\xa4"); /* it is there once */
    tap_ok(t.count == 3 && table_first(&t, "a") == 0 && table_first(&t, "b") == 2 && table_find(&t, "a", "z") == &t.list[1] &&
               !table_find(&t, "a", "y"),
           "the table is sorted, and finds");
    struct alert *a = table_find(&t, "a", "z");
    put(a, &steady, 60, 0.6, 0.05, false);
    a->figure.high = HUGE_VAL;
    a->state = ALERT_RESOLVED;
    a->started = 60;
    a->told[1] = (struct alert_told){ALERT_FIRING, 60, 1764000000};
    tap_ok(!table_write(&t, &r, &bytes, &n), "it is written");
    int fd = open(path, O_WRONLY | O_TRUNC);
    bool written = write(fd, bytes, n) == (ssize_t)n;
    close(fd);
    bool good = written && !table_read(&read, &r, path, &e) && read.count == t.count;
    for (uint32_t i = 0; good && i < t.count; i++)
        good = same(&t.list[i], &read.list[i]);
    tap_ok(good, "and read as it was");
    table_fit(&read, &r, &other);
    a = read.list;
    tap_ok(read.count == 2 && !strcmp(a[1].value, "z") && a[1].told[0].what == ALERT_FIRING && a[1].told[1].what == ALERT_RESOLVED,
           "other rules: the one that is gone is dropped, targets keep their memory, and a new one is not told of the past");
    table_deinit(&read);
    tap_ok(!truncate(path, (off_t)n / 2) && table_read(&read, &r, path, &e) && strstr(e.text, "damaged") && !read.count,
           "a damaged file is said");
    tap_ok(!table_read(&read, &r, "/tmp/candor-test-no-such-file", &e) && !read.count, "no file is an empty table");
    free(bytes);
    table_deinit(&t);
    rules_deinit(&r);
    rules_deinit(&other);
}

/* ---- messages ---- */

static void test_messages(void)
{
    char value[] = "web.1", one[ALERT_FINGERPRINT], two[ALERT_FINGERPRINT], three[ALERT_FINGERPRINT], *bytes;
    size_t n;
    struct alert_rule rule = {.name = "r",
                              .each = "k8s.pod",
                              .source = sources_named("self"),
                              .method = "<x>",
                              .window = 60,
                              .threshold_text = "5%",
                              .annotations = {{"run.book", "b"}},
                              .annotation_count = 1};
    struct alert alert = {.value = value, .state = ALERT_FIRING, .at = 120, .started = 60, .figure = figure(0.1, 0.08, 0.12)}, over = alert;
    struct alert_note notes[] = {{&rule, &alert, false}, {&rule, &over, false}, {&rule, &alert, true}};
    struct alert_target target = {.kind = ALERT_MANAGER, .url = "http://h", .repeat = 60};
    over.state = ALERT_RESOLVED;
    over.ended = 180;
    tap_ok(!body_make(&target, notes, 2, 1000, &bytes, &n) && strstr(bytes, "\"k8s_pod\":\"web.1\"") &&
               strstr(bytes, "\"run_book\":\"b\"") && strstr(bytes, "\"endsAt\":\"1970-01-01T00:20:40Z\"") &&
               strstr(bytes, "\"endsAt\":\"1970-01-01T00:03:00Z\"") && *bytes == '[',
           "Alertmanager: names that it knows, and ends");
    free(bytes);
    over.state = ALERT_PENDING; /* the value is beyond the threshold again before the end was sent */
    target.kind = ALERT_WEBHOOK;
    tap_ok(!body_make(&target, notes, 3, 1000, &bytes, &n) && strstr(bytes, "\"k8s.pod\":\"web.1\"") &&
               strstr(bytes, "\"run.book\":\"b\"") && strstr(bytes, "\"endsAt\":null") && strstr(bytes, "\"status\":\"resolved\"") &&
               strstr(bytes, "10 % [8..12]"),
           "webhook: everything");
    free(bytes);
    target.kind = ALERT_SLACK;
    tap_ok(!body_make(&target, notes, 3, 1000, &bytes, &n) && strstr(bytes, "&lt;x&gt;") && strstr(bytes, "\\ntest of firing: r"),
           "Slack: escapes");
    free(bytes);
    message_fingerprint(&notes[0], one);
    message_fingerprint(&notes[1], two);
    message_fingerprint(&notes[2], three);
    tap_ok(!strcmp(one, two) && strcmp(one, three), "a fingerprint is of the labels");
}

int main(void)
{
    close(mkstemp(path));
    test_quiet();
    test_rules();
    test_states();
    test_silent();
    test_pending();
    test_incomplete();
    test_for_targets();
    test_announced();
    test_ratio();
    test_seasons();
    test_table();
    test_messages();
    unlink(path);
    return tap_done();
}
