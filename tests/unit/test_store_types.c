/*
 * A recording with several types of samples: each type is kept and can be queried, after merging, damage and deletion, and in a
 * directory of the version that kept only one type.
 * tier: default
 * timeout: 120
 */
#include "../tap.h"
#include "store_place.h"
#include "store_versions.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDINGS = 12 };

static char folder[] = "/tmp/candor-types-XXXXXX";
static char path[256];
static int64_t today;
static const char *const types[] = {"cpu:samples", "cpu:ns", "cpu:bytes"};

static bool failing;     /* there is no memory to read recordings */
static int readable = 3; /* of the types of a recording: those after this one cannot be read */

/* The same stacks three times, each time with another unit; "twice": the first unit again. */
static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    bool twice = v->size >= 5 && !memcmp(v->body, "twice", 5), one = v->size >= 3 && !memcmp(v->body, "one", 3);
    int rc = failing ? error_set(e, -ENOMEM, "test: no memory") : 0;
    for (int i = 0; !rc && i < (one ? 1 : twice ? 2 : 3); i++) {
        if (i == readable)
            return error_set(e, -EINVAL, "test: no more types");
        struct intake in;
        struct profile *p = store_profiles_add(to);
        rc = p ? intake_open_memory(&in, v->body, v->size, "test", e) : -ENOMEM;
        rc = rc ? rc : formats_load_from(p, &in, "test", "collapsed", NULL, NULL, e);
        p->unit = twice || !i ? PROFILE_UNIT_SAMPLES : i == 1 ? PROFILE_UNIT_NS : PROFILE_UNIT_BYTES;
        for (uint32_t k = 0; !rc && k < p->sample_count; k++)
            p->samples[k].weight *= (uint64_t)i * 10 + 1;
        p->weight *= (uint64_t)i * 10 + 1;
    }
    return rc;
}

static uint64_t max_service;

static struct store *open_store(uint64_t retain_s)
{
    struct store_options o = {.path = path, .limits.retain_s = retain_s, .load = load, .limits.max_service = max_service};
    o.merge.same = 4;
    o.merge.all = 1000000;
    return store_place_open(&o);
}

static int add(struct store *s, int64_t second, const char *body, uint32_t number)
{
    struct envelope_writer w;
    struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = second * NS_PER_S};
    uint8_t identity[ENVELOPE_IDENTITY] = {1};
    struct store_added added;
    struct error e;
    memcpy(identity + 1, &number, sizeof number);
    int rc = labels_set(&note.labels, "service", 7, "shop", 4, &e);
    rc = rc ? rc : store_begin(s, &w, &e);
    rc = rc ? rc : envelope_put(&w, body, strlen(body), &e);
    rc = rc ? rc : store_add(s, &w, &note, identity, &added, &e);
    if (rc)
        tap_note("%s", e.text);
    labels_deinit(&note.labels);
    return rc;
}

/* The result of a query, and whether the answer says that it is complete. */
static uint64_t sum(struct store *s, const char *type, bool *complete)
{
    struct store_query q = {.from = today - 8 * 86400, .to = today + 86400, .type = type};
    struct store_result r;
    struct profile p;
    struct error e;
    profile_init(&p);
    int rc = store_profile(s, &q, &p, &r, &e);
    uint64_t weight = rc || p.weight != r.weight ? UINT64_MAX : p.weight;
    *complete = !rc && !missing_parts(&r.missing);
    if (!rc && type && weight && strcmp(r.type, type))
        weight = UINT64_MAX;
    store_result_deinit(&r);
    profile_deinit(&p);
    return weight;
}

static void check(struct store *s, uint64_t total, const char *when)
{
    for (uint64_t i = 0; i < 3; i++) {
        bool complete;
        uint64_t weight = sum(s, types[i], &complete);
        tap_ok(weight == total * (i * 10 + 1) && complete, "%s: %s sums up to %llu", when, types[i], (unsigned long long)weight);
    }
}

/* Returns the sum of the first type. */
static uint64_t fill(const char *name)
{
    uint64_t total = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct store *s = open_store(7 * 86400);
    for (uint32_t i = 0; i < RECORDINGS; i++) {
        char body[128];
        snprintf(body, sizeof body, "x.A.main;x.A.m%u %u\nx.A.main %u\n", i, i + 1, 100 + i);
        if (add(s, today - (i % 2) * 86400, body, i))
            exit(1);
        total += i + 1 + 100 + i;
    }
    store_close(s);
    return total;
}

static uint64_t segments(struct store *s)
{
    struct catalogue_sums sums;
    struct error e;
    return catalogue_sums(store_catalogue(s), &sums, &e) ? 0 : sums.segments;
}

/* Counts everything again: the result must be equal to `usage`. */
static const char scan[] = "SELECT (SELECT count(*) FROM recording), (SELECT coalesce(sum(bytes), 0) FROM recording WHERE raw), "
                           "(SELECT count(*) FROM segment WHERE rows > 0 AND bad IS NULL), (SELECT coalesce(sum(bytes), 0) FROM segment), "
                           "(SELECT coalesce(sum(bytes), 0) FROM dictionary), (SELECT count(*) FROM part WHERE segment IS NULL), "
                           "(SELECT count(*) FROM part WHERE segment = -1), (SELECT count(*) FROM segment WHERE bad IS NOT NULL), "
                           "(SELECT coalesce(min(day), 0) FROM part), (SELECT coalesce(max(day), 0) FROM part)";

static void check_sums(struct store *s, const char *when)
{
    struct catalogue_sums got = {0};
    struct error e;
    char file[512], text[256] = "";
    sqlite3 *db;
    sqlite3_stmt *all;
    snprintf(file, sizeof file, "%s/catalogue.db", path);
    sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL);
    bool same = !sqlite3_prepare_v2(db, scan, -1, &all, NULL) && sqlite3_step(all) == SQLITE_ROW;
    same = same && !catalogue_sums(store_catalogue(s), &got, &e);
    const uint64_t sums[] = {got.recordings,
                             got.recording_bytes,
                             got.segments,
                             got.segment_bytes,
                             got.dictionary_bytes,
                             got.pending,
                             got.lost,
                             got.bad,
                             (uint64_t)got.oldest_day,
                             (uint64_t)got.newest_day};
    size_t at = 0;
    for (int i = 0; i < 10; i++) {
        uint64_t counted = (uint64_t)sqlite3_column_int64(all, i);
        same = same && sums[i] == counted;
        at += (size_t)snprintf(text + at, sizeof text - at, " %llu/%llu", (unsigned long long)sums[i], (unsigned long long)counted);
    }
    sqlite3_finalize(all);
    sqlite3_close(db);
    tap_ok(same && got.recordings, "%s: what is kept current is what a scan counts:%s", when, text);
}

static void test_sums(void)
{
    bool complete;
    uint64_t total = fill("sums");
    struct store *s = open_store(7 * 86400);
    check(s, total, "sealed");
    check_sums(s, "sealed");
    tap_ok(segments(s) == 3 * RECORDINGS, "each type has a segment");
    tap_ok(sum(s, "", &complete) == 33 * total && complete, "all types together: each part once");
    tap_ok(sum(s, NULL, &complete) == 21 * total, "of types that are as frequent the first by name");
    tap_ok(add(s, today, "twice 3\n", 1000) == -EINVAL && sum(s, types[0], &complete) == total, "one type twice is refused");
    for (int i = 0; i < 20; i++)
        store_maintain(s);
    tap_ok(store_place_is_away() || segments(s) <= 3 * 4, "they are merged, each type by itself: %llu", (unsigned long long)segments(s));
    check(s, total, "merged");
    check_sums(s, "merged");
    tap_ok(!add(s, today, "one 5\n", 1001) && sum(s, types[0], &complete) == total + 5 && sum(s, types[1], &complete) == 11 * total,
           "a recording that lacks a type adds nothing to it");
    store_close(s);
}

/* ---- damage and deletion ---- */

static void run(const char *command, const char *what)
{
    char text[1024];
    snprintf(text, sizeof text, command, path);
    tap_ok(!system(text), "%s", what);
}

static void test_damage(void)
{
    bool complete;
    uint64_t total = fill("damage"), first = 0;
    run("for f in %s/segments/1/*.seg; do printf x | dd of=$f bs=1 seek=9 conv=notrunc status=none; done", "a day's segments are damaged");
    struct store *s = open_store(7 * 86400);
    for (int i = 0; i < 3; i++)
        first += sum(s, types[i], &complete);
    tap_ok(first < 33 * total && !complete, "what is damaged is missing, and the answer says so");
    check_sums(s, "damaged");
    store_maintain(s);
    check(s, total, "sealed again");
    check_sums(s, "sealed again");
    store_close(s);
}

static void test_retention(void)
{
    bool complete;
    fill("retention");
    if ((int64_t)(clock_realtime_ns() / NS_PER_S) % 86400 < 3700) {
        tap_skip("retention: yesterday is not an hour ago");
        return;
    }
    struct store *s = open_store(3600);
    uint64_t left = 0;
    for (uint64_t i = 0; i < RECORDINGS; i += 2)
        left += i + 1 + 100 + i;
    store_maintain(s);
    for (uint64_t i = 0; i < 3; i++)
        tap_ok(sum(s, types[i], &complete) == left * (i * 10 + 1) && !complete, "%s: yesterday is gone, and the answer says so", types[i]);
    check_sums(s, "a day is gone");
    store_close(s);
}

/* The clock of the host may be wrong when the catalogue is rebuilt. Recordings that are too old are deleted by retention, which notes
 * it. */
static void test_old(void)
{
    bool complete;
    uint64_t total = fill("old"), now = 0, gone = 0;
    if ((int64_t)(clock_realtime_ns() / NS_PER_S) % 86400 < 10) {
        tap_skip("old: yesterday is not a second ago");
        return;
    }
    run("rm %s/catalogue.db*", "without its catalogue");
    struct store *s = open_store(1);
    run("! ls -d %s/quarantine/*-segments 2> /dev/null", "its segments are removed, as the recordings have all of it");
    tap_ok(sum(s, types[0], &complete) == total && complete, "recordings that are too old are found again");
    store_maintain(s);
    struct store_query q = {.from = today - 8 * 86400, .to = today + 86400, .type = types[0]};
    struct missing m = {0};
    struct error e;
    now = sum(s, types[0], &complete);
    gone = store_forgotten(s, &q, &m, &e) ? 0 : m.sums[MISSING_RETAIN].weight;
    tap_ok(now && now < total && !complete && now + gone == total, "retention deletes them, and answers say so");
    store_close(s);
}

/* A catalogue is lost, and for the recordings of one day only the samples had been kept. */
static void test_rebuilt(void)
{
    bool complete;
    uint64_t total = fill("rebuilt"), left;
    run("rm %s/catalogue.db* && cd %1$s/recordings && rm */010[048]*", "without its catalogue, and without some recordings");
    struct store *s = open_store(7 * 86400);
    store_maintain(s);
    left = sum(s, types[0], &complete);
    struct store_query q = {.from = today - 8 * 86400, .to = today + 86400, .type = types[0]};
    struct missing m = {0};
    struct catalogue_sums sums;
    struct error e;
    char text[400];
    bool known = !store_forgotten(s, &q, &m, &e) && !catalogue_sums(store_catalogue(s), &sums, &e);
    tap_ok(known && left && left < total && !complete && m.sums[MISSING_REBUILT].parts + sums.recordings == RECORDINGS,
           "what is not found again counts as missing: %s", missing_text(&m, types[0], text, sizeof text));
    run("[ $(ls -d %s/quarantine/*-segments | wc -l) = 1 ]", "its segments are put aside");
    store_close(s);
}

/* How many recordings are missing since the catalogue was rebuilt, according to an answer; UINT64_MAX: if these and the present ones are
 * not all. */
static uint64_t rebuilt_of(struct store *s)
{
    struct store_query q = {.from = today - 8 * 86400, .to = today + 86400, .type = types[0]};
    struct missing m = {0};
    struct catalogue_sums sums;
    struct error e;
    if (store_forgotten(s, &q, &m, &e) || catalogue_sums(store_catalogue(s), &sums, &e))
        return UINT64_MAX;
    uint64_t missing = m.sums[MISSING_REBUILT].parts;
    return missing + sums.recordings == RECORDINGS ? missing : UINT64_MAX;
}

/* The server is killed while it rebuilds the catalogue: before the first recording is found again, and after the last note. */
static void test_interrupted(void)
{
    bool complete;
    uint64_t total = fill("interrupted");
    run("rm %s/catalogue.db* && cd %1$s/recordings && rm */010[048]*", "without its catalogue, and without some recordings");
    run("cd %s && mv segments quarantine/segments-rebuilding && mkdir segments", "killed when its segments were put aside");
    struct store *s = open_store(7 * 86400);
    store_maintain(s);
    uint64_t left = sum(s, types[0], &complete), first = rebuilt_of(s);
    tap_ok(left && left < total && !complete && first && first < RECORDINGS,
           "the next start continues, and answers say what is missing: %llu", (unsigned long long)first);
    store_close(s);
    run("cd %s/quarantine && [ ! -e segments-rebuilding ] && [ $(ls -d *-segments | wc -l) = 1 ]",
        "and its segments stay under another name");
    run("cd %s/quarantine && mv *-segments segments-rebuilding", "killed before they got that name");
    s = open_store(7 * 86400);
    store_maintain(s);
    tap_ok(sum(s, types[0], &complete) == left && !complete && rebuilt_of(s) == first, "what is missing is noted once");
    store_close(s);
    run("cd %s/quarantine && mv *-segments segments-rebuilding && rm -r segments-rebuilding/*", "killed while they were removed");
    s = open_store(7 * 86400);
    tap_ok(sum(s, types[0], &complete) == left && !complete && rebuilt_of(s) == first, "the note stays");
    run("[ -z \"$(ls %s/quarantine | grep segments)\" ]", "and nothing of them");
    store_close(s);
}

/* A recording that cannot be read may have samples that exist nowhere else: it is not removed. */
static void test_unread(void)
{
    static const char *const damages[] = {
        "cd %s/segments/1 && for f in *.seg; do printf x | dd of=$f bs=1 seek=9 conv=notrunc status=none; break; done",
        "cd %s/segments && mv 1 folder && ln -s /nowhere 1 && rm -r folder"};
    bool complete;
    char name[32];
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        snprintf(name, sizeof name, "unread-%zu", i);
        uint64_t total = fill(name);
        run(damages[i], "one of its segments, or a folder of them, cannot be read");
        run("rm %s/catalogue.db*", "and it is without its catalogue");
        struct store *s = open_store(7 * 86400);
        tap_ok(sum(s, types[0], &complete) == total && complete, "all recordings are found again");
        run("[ $(ls -d %s/quarantine/*-segments | wc -l) = 1 ]", "what cannot be read stays");
        store_close(s);
    }
}

/* If parts cannot be sealed, they do not keep their day, nor the recordings of it, from being deleted. */
static void test_unsealed(void)
{
    bool complete;
    uint64_t total = fill("unsealed"), left = 0;
    for (uint64_t i = 0; i < RECORDINGS; i += 2)
        left += i + 1 + 100 + i;
    run("for f in %s/segments/2/*.seg; do printf x | dd of=$f bs=1 seek=9 conv=notrunc status=none; done",
        "yesterday's segments are damaged");
    failing = true;
    struct store *s = open_store(7 * 86400);
    uint64_t first = sum(s, types[0], &complete);
    store_maintain(s);
    tap_ok(first == left && sum(s, types[0], &complete) == left && !complete, "and cannot be sealed again");
    store_close(s);
    max_service = 1;
    s = open_store(7 * 86400);
    store_maintain(s);
    struct store_query q = {.from = today - 8 * 86400, .to = today + 86400, .type = types[0]};
    struct missing m = {0};
    struct catalogue_sums sums;
    struct error e;
    bool forgotten = !store_forgotten(s, &q, &m, &e) && !catalogue_sums(store_catalogue(s), &sums, &e);
    tap_ok(forgotten && m.sums[MISSING_QUOTA].weight == total - left && !sums.pending && sums.recordings == RECORDINGS / 2,
           "they are deleted with their day: %llu pending", (unsigned long long)sums.pending);
    tap_ok(sum(s, types[0], &complete) == left, "the newest day stays");
    check_sums(s, "unsealed parts are gone");
    store_close(s);
    max_service = 0;
    failing = false;
}

/* ---- recordings that an earlier version took for one type only ---- */

static void test_partly(void)
{
    struct store_query q = {.from = today - 8 * 86400, .to = today + 86400, .type = types[0]};
    struct store_result r;
    struct error e;
    bool complete;
    uint64_t total = fill("partly");
    readable = 1;
    run("for f in %s/segments/*/*.seg; do printf x | dd of=$f bs=1 seek=9 conv=notrunc status=none; done", "all segments are damaged");
    struct store *s = open_store(7 * 86400);
    for (int i = 0; i < 3; i++)
        sum(s, types[i], &complete);
    store_maintain(s);
    tap_ok(sum(s, types[0], &complete) == total && complete, "of a recording that can be read in part, that part is sealed again");
    tap_ok(!sum(s, types[1], &complete) && !complete, "the rest is lost, and the answer says so");
    tap_ok(add(s, today, "x.A.main 1\n", 3000) == -EINVAL, "a new recording that can be read in part is refused");
    store_close(s);
    run("rm %s/catalogue.db*", "without its catalogue");
    s = open_store(7 * 86400);
    tap_ok(sum(s, types[0], &complete) == total && !complete, "a recording that is found again has the part that can be read");
    struct profile p;
    profile_init(&p);
    tap_ok(!store_profile(s, &q, &p, &r, &e) && r.missing.sums[MISSING_FLAWED].parts == RECORDINGS, "and counts as flawed");
    store_result_deinit(&r);
    profile_deinit(&p);
    store_close(s);
    readable = 3;
}

/* ---- a directory of the version before ---- */

static const char to_version_3[] = STORE_TO_VERSION_8
    "DROP TRIGGER labelset_gone; DROP TABLE metric; DROP INDEX recording_unmeasured; ALTER TABLE recording DROP COLUMN measured;"
    "DROP TRIGGER recording_waits; DROP TRIGGER recording_unjudged; DROP TABLE waiting; DROP TABLE judging; DROP TABLE finding;"
    "DROP TABLE finding_label;"
    "DROP TABLE account; DROP TABLE book; ALTER TABLE recording DROP COLUMN begun; ALTER TABLE recording DROP COLUMN ended;"
    "DROP TRIGGER service_added; DROP TRIGGER recording_added; DROP TRIGGER recording_gone; DROP TRIGGER recording_raw;"
    "DROP TRIGGER segment_added; DROP TRIGGER segment_gone; DROP TRIGGER segment_changed; DROP TRIGGER dictionary_added;"
    "DROP TRIGGER dictionary_gone; DROP TRIGGER dictionary_changed; DROP TRIGGER part_added; DROP TRIGGER part_gone;"
    "DROP TRIGGER part_changed; DROP TABLE usage; DROP INDEX recording_service; DROP INDEX recording_raw;"
    "ALTER TABLE recording ADD COLUMN type TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE recording ADD COLUMN weight INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE recording ADD COLUMN samples INTEGER NOT NULL DEFAULT 0;"
    "UPDATE recording SET type = 'cpu:samples', weight = c.weight, samples = c.samples FROM content c WHERE c.recording = id AND place = 0;"
    "CREATE TABLE old (recording INTEGER NOT NULL, day INTEGER NOT NULL, segment INTEGER, rows INTEGER NOT NULL, weight INTEGER NOT NULL,"
    " first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (recording, day)) WITHOUT ROWID;"
    "INSERT INTO old SELECT recording, day, segment, rows, p.weight, first, last FROM part p"
    " JOIN type t ON t.id = p.type AND name = 'cpu:samples';"
    "DELETE FROM segment WHERE id NOT IN (SELECT segment FROM old);"
    "DROP TABLE part; DROP TABLE content; DROP TABLE type;"
    "ALTER TABLE old RENAME TO part; CREATE INDEX part_segment ON part (segment); CREATE INDEX part_day ON part (day);"
    "PRAGMA user_version = 3;";

static int version_of(const char *file)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    int version = -1;
    if (!sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL) && !sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &s, NULL)) {
        version = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int(s, 0) : -1;
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
    return version;
}

static void test_upgrade(void)
{
    char file[512], *failed = NULL;
    bool complete;
    sqlite3 *db;
    uint64_t total = fill("upgrade");
    snprintf(file, sizeof file, "%s/catalogue.db", path);
    sqlite3_open(file, &db);
    bool made = !sqlite3_exec(db, to_version_3, NULL, NULL, &failed);
    sqlite3_close(db);
    tap_ok(made, "a catalogue of version 3: %s", failed ? failed : "made");
    run("find %s -maxdepth 1 -name 'catalogue.db.*' -delete", "without its digest");
    struct store *s = open_store(7 * 86400);
    tap_ok(sum(s, types[0], &complete) == total && complete && !sum(s, types[1], &complete), "it has what it had");
    check_sums(s, "upgraded");
    snprintf(file, sizeof file, "%s/catalogue-version-3.db", path);
    tap_ok(version_of(file) == 3, "the catalogue of version 3 is beside it");
    tap_ok(!add(s, today, "x.A.main 9\n", 2000) && sum(s, types[0], &complete) == total + 9 && sum(s, types[1], &complete) == 99,
           "new recordings have all their types");
    for (int i = 0; i < 20; i++)
        store_maintain(s);
    tap_ok(sum(s, types[0], &complete) == total + 9 && sum(s, types[2], &complete) == 189, "also when merged");
    check_sums(s, "upgraded and merged");
    store_close(s);
}

int main(void)
{
    char command[300];
    if (!mkdtemp(folder))
        return 1;
    today = (int64_t)(clock_realtime_ns() / NS_PER_S);
    test_sums();
    if (store_place_has_files("damaged segments"))
        test_damage();
    test_retention();
    test_old();
    if (store_place_has_files("what is damaged or left of a lost catalogue")) {
        test_unsealed();
        test_rebuilt();
        test_interrupted();
        test_unread();
        test_partly();
    }
    test_upgrade();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        tap_note("%s stays", folder);
    return tap_done();
}
