/*
 * The copy of the catalog: if the catalog is damaged or lost, answers have all that the store had when the copy was made, even where the
 * recordings have been deleted, and all that came since then. What came and was deleted since then counts as missing. A start that is
 * interrupted goes on with the next one, and without a valid copy the catalog is made anew.
 * tier: default
 * timeout: 120
 */
#include "../tap.h"

#include "base/text/units.h"
#include "base/time_units.h"
#include "compress/intake.h"
#include "format/read/formats.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDINGS = 12, DAY = 86400 };

static char folder[] = "/tmp/candor-copy-XXXXXX";
static char path[256];
static int64_t today;

static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct intake in;
    struct profile *p = store_profiles_add(to);
    int rc = p ? intake_open_memory(&in, v->body, v->size, "test", e) : -ENOMEM;
    return rc ? rc : formats_load_from(p, &in, "test", "collapsed", NULL, NULL, e);
}

static void tell(const char *text)
{
    tap_note("%s", text);
}

static struct store *open_store(void)
{
    struct store_options o = {.path = path, .retain_s = 7 * DAY, .load = load, .tell = tell};
    struct store *s;
    struct error e;
    o.merge.same = 4;
    o.merge.all = 1000000;
    if (store_open(&s, &o, &e)) {
        tap_note("%s", e.text);
        exit(1);
    }
    return s;
}

/* Adds recordings of today and of yesterday in turn, numbered from `first`. Returns the sum of their weights. */
static uint64_t add(struct store *s, uint32_t first, uint32_t count)
{
    uint64_t total = 0;
    for (uint32_t i = first; i < first + count; i++) {
        char body[128];
        struct envelope_writer w;
        struct envelope_note note = {.received_ns = (int64_t)clock_realtime_ns(), .from_ns = (today - i % 2 * DAY) * NS_PER_S};
        uint8_t identity[ENVELOPE_IDENTITY] = {1, (uint8_t)i};
        struct store_added added;
        struct error e;
        snprintf(body, sizeof body, "x.A.main;x.A.m%u %u\n", i, 100 + i);
        int rc = labels_set(&note.labels, "service", 7, "shop", 4, &e);
        rc = rc ? rc : store_begin(s, &w, &e);
        rc = rc ? rc : envelope_put(&w, body, strlen(body), &e);
        rc = rc ? rc : store_add(s, &w, &note, identity, &added, &e);
        labels_deinit(&note.labels);
        if (rc) {
            tap_note("%s", e.text);
            exit(1);
        }
        total += 100 + i;
    }
    return total;
}

static uint64_t sum(struct store *s, bool *complete)
{
    struct store_query q = {.from = today - 8 * DAY, .to = today + DAY};
    struct store_result r;
    struct profile p;
    struct error e;
    profile_init(&p);
    int rc = store_profile(s, &q, &p, &r, &e);
    uint64_t weight = rc || p.weight != r.weight ? UINT64_MAX : p.weight;
    *complete = !rc && !missing_parts(&r.missing);
    store_result_deinit(&r);
    profile_deinit(&p);
    return weight;
}

static void run(const char *command, const char *what)
{
    char text[1024];
    snprintf(text, sizeof text, "cd %s && %s", path, command);
    tap_ok(!system(text), "%s", what);
}

#define DAMAGED       "printf x | dd of=catalogue.db bs=1 seek=200 conv=notrunc status=none"
#define NO_RECORDINGS "rm recordings/*/*"
#define WAS_USED      "[ ! -e quarantine/copy-in-use ] && ls quarantine | grep -q catalogue"

/* Opens the store as it is found, and compares its answer. */
static void check(uint64_t total, bool is_complete, const char *what)
{
    bool complete[2];
    struct store *s = open_store();
    uint64_t first = sum(s, &complete[0]);
    store_maintain(s);
    uint64_t then = sum(s, &complete[1]);
    tap_ok(first == total && then == total && complete[0] == is_complete && complete[1] == is_complete, "%s: %llu and %llu of %llu", what,
           (unsigned long long)first, (unsigned long long)then, (unsigned long long)total);
    store_close(s);
}

/* Makes a store with a copy of its catalog. */
static uint64_t fill(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct store *s = open_store();
    uint64_t total = add(s, 0, RECORDINGS);
    store_maintain(s);
    store_close(s);
    run("[ -s catalogue.db.copy ] && [ -s catalogue.db.copy.sum ] && [ -z \"$(ls incoming)\" ]", name);
    return total;
}

static void test_used(void)
{
    static const char *const damages[] = {DAMAGED, "rm catalogue.db", "rm catalogue.db*m && truncate -s 5000 catalogue.db"};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char name[32];
        snprintf(name, sizeof name, "used-%zu", i);
        uint64_t total = fill(name);
        run(NO_RECORDINGS, "its recordings are gone");
        run(damages[i], "its catalog is damaged or gone");
        check(total, true, "the copy has everything");
        run("[ ! -e quarantine/copy-in-use ] && [ -s catalogue.db.copy ]", "and another copy is made");
    }
}

/* Segments of the copy were merged with later ones. */
static void test_later(void)
{
    uint64_t total = fill("later");
    struct store *s = open_store();
    total += add(s, RECORDINGS, 2 * RECORDINGS);
    store_maintain(s);
    store_close(s);
    run(DAMAGED, "more comes, and the catalog is damaged");
    check(total, true, "what came after the copy is read again");
    run(WAS_USED, "the damaged catalog is kept");
    run("! ls -d quarantine/*-segments 2> /dev/null", "and no segments, as recordings have all of it");
}

static void test_missing(void)
{
    uint64_t total = fill("missing");
    run("touch before", "before others come");
    struct store *s = open_store();
    add(s, RECORDINGS, 3);
    store_close(s);
    run("find recordings -newer before -type f -delete", "what came after the copy is deleted");
    run(DAMAGED, "and the catalog is damaged");
    check(total, false, "that is missing, and the answer says so");
    run("[ $(ls -d quarantine/*-segments | wc -l) = 1 ]", "its segments are kept");
}

static void test_interrupted(void)
{
    uint64_t total = fill("interrupted");
    run(NO_RECORDINGS " && mv catalogue.db.copy.sum catalogue.db.sum && mv catalogue.db quarantine && > quarantine/copy-in-use",
        "killed before the copy has the catalog's name");
    check(total, true, "the next start goes on");
    total = fill("interrupted-later");
    run(NO_RECORDINGS " && mv catalogue.db.copy catalogue.db && rm catalogue.db*m && > quarantine/copy-in-use && rm segments/1/*.seg",
        "killed after that, and the segments of today are gone");
    check(total / 2 + RECORDINGS / 4, false, "what the copy lists, but is gone, is missing");
    run("[ ! -e quarantine/copy-in-use ]", "and that is noted");
}

/* The catalog is damaged while the server runs: it does not replace the good copy. */
static void test_damaged_meanwhile(void)
{
    uint64_t total = fill("meanwhile");
    struct store *s = open_store();
    run("dd if=/dev/zero of=catalogue.db bs=4096 seek=8 count=16 conv=notrunc status=none && touch -d '2 hours ago' catalogue.db.copy",
        "the catalog is damaged while the server runs");
    store_maintain(s);
    store_close(s);
    run("[ ! -e catalogue.db.copy.new ]", "no copy is made of it");
    run(NO_RECORDINGS, "its recordings are gone");
    check(total, true, "the copy from before is used");
}

static void test_invalid(void)
{
    uint64_t total = fill("invalid");
    run(DAMAGED " && printf x | dd of=catalogue.db.copy bs=1 seek=300 conv=notrunc status=none", "the copy is damaged, too");
    check(total, true, "the catalog is made anew");
    run("ls quarantine/*-catalogue.db quarantine/*-catalogue.db.copy", "both are kept");
    total = fill("invalid-without");
    run(NO_RECORDINGS "/* 2> /dev/null; rm catalogue.db*", "there is no copy");
    check(total, true, "and the catalog is made anew");
}

int main(void)
{
    today = (int64_t)(clock_realtime_ns() / NS_PER_S) / DAY * DAY;
    if (!mkdtemp(folder))
        return 1;
    test_used();
    test_later();
    test_missing();
    test_interrupted();
    test_damaged_meanwhile();
    test_invalid();
    char text[64];
    snprintf(text, sizeof text, "rm -rf %s", folder);
    tap_ok(!system(text), "cleaned up");
    return tap_done();
}
