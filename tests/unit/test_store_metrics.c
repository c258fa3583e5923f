/*
 * Key metrics in the store: by minute and JVM, for recordings that follow each other or overlap, after the catalog was lost, after
 * deletion, and in a directory of the version that had no metrics. The versions of agents, likewise. tier: default timeout: 60
 */
#include "store_shop.h"
#include "store_versions.h"

#include "store/query/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTES = 3, MANY = 400 };

static char folder[] = "/tmp/candor-metrics-XXXXXX";
static const char AGENT[] = "0.12.0-rc1";
static int64_t today; /* its first second */

/* A sample; and, unless its host is "none", the metrics of three minutes from its beginning, of which it covers 30, 60 and 30 seconds. */
static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct profile *p;
    int rc = shop_load(to, v, &p, e);
    uint32_t name, version;
    profile_string(p, "version", 7, &name);
    profile_string(p, AGENT, strlen(AGENT), &version);
    profile_set_setting(p, name, version);
    if (!strcmp(labels_get(&v->note.labels, "host"), "none"))
        return rc;
    to->minutes = calloc(MINUTES, sizeof *to->minutes);
    for (int64_t k = 0; k < MINUTES; k++) {
        struct key_minute *m = &to->minutes[to->minute_count++];
        m->minute = v->note.from_ns / NS_PER_S / 60 + k;
        m->covered_ns = (k == 1 ? 60 : 30) * (uint64_t)NS_PER_S;
        m->known = key_metric_bit(KEY_CPU) | key_metric_bit(KEY_UNSEEN_SHARE) | key_metric_bit(KEY_GC_LONGEST);
        m->amounts[KEY_CPU] = (int64_t)m->covered_ns * 2;
        m->amounts[KEY_UNSEEN_SHARE] = -(int64_t)m->covered_ns / 10;
        m->amounts[KEY_GC_LONGEST] = (k + 1) * (int64_t)NS_PER_MS;
        if (k == 1) {
            m->known |= key_metric_bit(KEY_LIVE_SET);
            m->amounts[KEY_LIVE_SET] = INT64_C(100) << 30;
        }
    }
    return rc;
}

struct sums {
    uint32_t minutes;
    double cpu_ns, covered_ns, cores, unseen, longest, live;
    bool ordered;
    struct store_minute last;
};

static int take(void *context, const struct store_minute *m)
{
    struct sums *s = context;
    double value;
    s->ordered &= !s->minutes || m->labelset != s->last.labelset || m->minute > s->last.minute;
    s->minutes++;
    s->cpu_ns += m->of[KEY_CPU].amount;
    s->covered_ns += (double)m->covered_ns;
    s->cores += store_minute_value(m, KEY_CPU, &value) ? value : 0;
    s->unseen = store_minute_value(m, KEY_UNSEEN_SHARE, &value) ? value : -1;
    s->longest = store_minute_value(m, KEY_GC_LONGEST, &value) && value > s->longest ? value : s->longest;
    s->live += store_minute_value(m, KEY_LIVE_SET, &value) ? value : 0;
    s->last = *m;
    return 0;
}

static struct sums ask(struct store *s, const char *select, int64_t from, int64_t to, uint64_t wanted, uint64_t *unmeasured)
{
    struct selector selector;
    struct store_metrics of;
    struct sums sums = {.ordered = true};
    struct error e;
    selector_parse(&selector, select, &e);
    struct store_query q = {.selector = &selector, .from = from, .to = to};
    if (store_metrics(s, &q, wanted, "host", take, &sums, &of, &e)) {
        tap_note("%s", e.text);
        exit(1);
    }
    *unmeasured = of.unmeasured;
    store_metrics_deinit(&of);
    selector_deinit(&selector);
    return sums;
}

#define ALL (key_metric_bit(KEY_METRICS) - 1)

static void check(struct store *s, int64_t from, int64_t to, uint32_t minutes, uint64_t without, const char *what)
{
    uint64_t unmeasured;
    struct sums sums = ask(s, "{}", from, to, ALL, &unmeasured);
    tap_ok(sums.minutes == minutes && sums.cpu_ns == 2 * sums.covered_ns && sums.ordered && unmeasured == without,
           "%s: %" PRIu32 " minutes of JVMs, %" PRIu64 " recordings without", what, sums.minutes, unmeasured);
}

static void test_minutes(void)
{
    struct store *s = shop_open(folder, "minutes", 7 * 86400, load);
    const int64_t hour = today - 86400 + 3600;
    uint64_t unmeasured;
    shop_add(s, hour - 120, "a", 1); /* two minutes of the hour before, and one of this */
    shop_add(s, hour, "a", 2);
    shop_add(s, hour, "b", 3);
    shop_add(s, hour, "none", 4);
    check(s, hour - 3600, hour + 3600, 2 + 3 + 3, 1, "two JVMs, over the border of an hour");
    check(s, hour, hour + 60, 2, 1, "of a minute");
    check(s, hour + 59, hour + 61, 4, 0, "of the minutes in which it begins and ends");
    struct sums sums = ask(s, "{host=\"a\"}", hour, hour + 60, ALL, &unmeasured);
    tap_ok(sums.minutes == 1 && sums.cpu_ns == 120e9 && sums.cores == 2 && sums.longest == 0.003 && sums.last.recording == 2 && !unmeasured,
           "recordings that follow each other in a minute: %g cores, %g s", sums.cores, sums.longest);
    tap_ok(sums.unseen == -0.05, "a share of another metric, which may be negative: %g", sums.unseen);
    sums = ask(s, "{}", hour + 60, hour + 120, key_metric_bit(KEY_UNSEEN_SHARE), &unmeasured);
    tap_ok(sums.last.known == (key_metric_bit(KEY_CPU) | key_metric_bit(KEY_UNSEEN_SHARE)) && sums.unseen == -0.05,
           "what is not wanted is not read, but for the base of a share");
    shop_add(s, hour, "a", 5);
    sums = ask(s, "{host=\"a\"}", hour + 60, hour + 120, ALL, &unmeasured);
    tap_ok(sums.cores == 4 && sums.unseen == -0.05 && sums.live == 200.0 * (1 << 30),
           "JVMs with the same labels are added up: %g cores, %g bytes", sums.cores, sums.live);
    store_close(s);
}

/* More metrics than one row of the catalogue can contain. */
static void test_many(void)
{
    struct store *s = shop_open(folder, "many", 7 * 86400, load);
    uint64_t unmeasured;
    for (uint16_t i = 0; i < MANY; i++)
        shop_add(s, today - 86400 + 600, "a", i);
    struct sums sums = ask(s, "{}", today - 86400, today, ALL, &unmeasured);
    tap_ok(sums.minutes == MINUTES && sums.cpu_ns == 240e9 * MANY, "%d recordings of one hour", MANY);
    store_close(s);
    sqlite3 *db;
    sqlite3_stmt *count;
    char file[300];
    snprintf(file, sizeof file, "%s/many/catalogue.db", folder);
    sqlite3_open(file, &db);
    sqlite3_prepare_v2(db, "SELECT count(*), max(length(minutes)) FROM metric", -1, &count, NULL);
    sqlite3_step(count);
    tap_ok(sqlite3_column_int(count, 0) > 1 && sqlite3_column_int(count, 1) < 1 << 15, "in %d rows of at most %d bytes",
           sqlite3_column_int(count, 0), sqlite3_column_int(count, 1));
    sqlite3_finalize(count);
    sqlite3_close(db);
}

static int rows_of(const char *name)
{
    sqlite3 *db;
    sqlite3_stmt *count;
    char file[300];
    snprintf(file, sizeof file, "%s/%s/catalogue.db", folder, name);
    sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL);
    sqlite3_prepare_v2(db, "SELECT count(*) FROM metric", -1, &count, NULL);
    sqlite3_step(count);
    int rows = sqlite3_column_int(count, 0);
    sqlite3_finalize(count);
    sqlite3_close(db);
    return rows;
}

/* Recordings of yesterday, one of which continues until today, and a JVM that continues today. */
static void fill(struct store *s)
{
    shop_add(s, today - 86400, "a", 1);
    shop_add(s, today - 60, "c", 2);
    shop_add(s, today - 7200, "b", 4);
    shop_add(s, today, "b", 3);
}

static int count_agent(void *count, const struct catalogue_recording *r)
{
    *(int *)count += !strcmp(r->agent, AGENT);
    return *r->agent && strcmp(r->agent, AGENT) ? -EINVAL : 0;
}

/* So many recordings have the version of their agent; the others have none. */
static void check_agents(struct store *s, int wanted)
{
    struct error e = {""};
    int count = 0, rc = catalogue_recordings(store_catalogue(s), 0, INT64_MAX / 2, NULL, count_agent, &count, &e);
    tap_ok(!rc && count == wanted, "%d recordings have their agent's version: %d %s", wanted, count, e.text);
}

static void test_again(void)
{
    const int64_t from = today - 7 * 86400, to = today + 3600;
    struct store *s = shop_open(folder, "again", 7 * 86400, load);
    fill(s);
    store_close(s);
    shop_run(folder, "rm again/catalogue.db*");
    s = shop_open(folder, "again", 7 * 86400, load);
    check(s, from, to, 12, 0, "made anew from the recordings");
    check_agents(s, 4);
    store_close(s);
    tap_ok(rows_of("again") == 5, "in a row for each hour of a JVM: %d", rows_of("again"));
    s = shop_open(folder, "again", 1, load);
    store_maintain(s);
    check(s, from, to, 3, 0, "yesterday is deleted, and so are its metrics");
    store_close(s);
    tap_ok(rows_of("again") == 1, "no row is left behind: %d", rows_of("again"));
}

static void test_upgrade(void)
{
    const int64_t from = today - 7 * 86400, to = today + 3600;
    struct store *s = shop_open(folder, "upgrade", 7 * 86400, load);
    fill(s);
    store_close(s);
    shop_run(folder, "rm upgrade/catalogue.db.sum");
    sqlite3 *db;
    char file[300];
    snprintf(file, sizeof file, "%s/upgrade/catalogue.db", folder);
    sqlite3_open(file, &db);
    tap_ok(!sqlite3_exec(db,
                         STORE_TO_VERSION_8 "DROP TRIGGER labelset_gone; DROP TABLE metric; DROP INDEX recording_unmeasured; "
                                            "ALTER TABLE recording DROP COLUMN measured; PRAGMA user_version = 7",
                         NULL, NULL, NULL),
           "a catalogue of version 7");
    sqlite3_close(db);
    s = shop_open(folder, "upgrade", 7 * 86400, load);
    check(s, from, to, 0, 4, "it has no metrics, and says so");
    check_agents(s, 0);
    shop_add(s, today, "a", 50);
    check(s, from, to, 3, 4, "what comes now has them");
    check_agents(s, 1);
    check(s, today + 3600, to + 86400, 0, 0, "recordings of another time do not count");
    store_close(s);
    shop_run(folder, "cp upgrade/catalogue-version-7.db upgrade/catalogue.db && rm -f upgrade/catalogue.db.sum");
    s = shop_open(folder, "upgrade", 7 * 86400, load);
    check(s, from, to, 3, 4, "with the copy from before, all recordings are there again");
    store_close(s);
}

int main(void)
{
    char command[300];
    if (!mkdtemp(folder))
        return 1;
    today = (int64_t)(clock_realtime_ns() / NS_PER_S) / 86400 * 86400;
    test_minutes();
    test_many();
    test_again();
    test_upgrade();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        tap_note("%s stays", folder);
    return tap_done();
}
