/*
 * The copy of the catalog: if the catalog is damaged or lost, answers have all that the store had when the copy was made, even where the
 * recordings have been deleted, and all that came since then. What came and was deleted since then counts as missing. A start that is
 * interrupted goes on with the next one, and without a valid copy the catalog is made anew.
 * tier: default
 * timeout: 120
 */
#include "store_days.h"

#include "../tap.h"

#include "base/text/units.h"

#include <stdlib.h>
#include <string.h>

enum { RECORDINGS = 12 };

#define DAMAGED       "printf x | dd of=catalogue.db bs=1 seek=200 conv=notrunc status=none"
#define NO_RECORDINGS "rm recordings/*/*"
#define WAS_USED      "[ ! -e quarantine/copy-in-use ] && ls quarantine | grep -q catalogue"

/* Opens the store as it is found, and compares its answer. */
static void check(uint64_t total, bool is_complete, const char *what)
{
    bool complete[2];
    struct store *s = days_open(0);
    uint64_t first = days_sum(s, &complete[0]);
    store_maintain(s);
    uint64_t then = days_sum(s, &complete[1]);
    tap_ok(first == total && then == total && complete[0] == is_complete && complete[1] == is_complete, "%s: %llu and %llu of %llu", what,
           (unsigned long long)first, (unsigned long long)then, (unsigned long long)total);
    store_close(s);
}

/* Makes a store with a copy of its catalog. */
static uint64_t fill(const char *name)
{
    days_begin(name);
    struct store *s = days_open(0);
    uint64_t total = days_add(s, 0, RECORDINGS);
    store_maintain(s);
    store_close(s);
    tap_ok(days_run("[ -s catalogue.db.copy ] && [ -s catalogue.db.copy.sum ] && [ -z \"$(ls incoming)\" ]"), "%s", name);
    return total;
}

static void test_used(void)
{
    static const char *const damages[] = {DAMAGED, "rm catalogue.db", "rm catalogue.db*m && truncate -s 5000 catalogue.db"};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char name[32];
        snprintf(name, sizeof name, "used-%zu", i);
        uint64_t total = fill(name);
        tap_ok(days_run(NO_RECORDINGS), "its recordings are gone");
        tap_ok(days_run(damages[i]), "its catalog is damaged or gone");
        check(total, true, "the copy has everything");
        tap_ok(days_run("[ ! -e quarantine/copy-in-use ] && [ -s catalogue.db.copy ]"), "and another copy is made");
    }
}

/* Segments of the copy were merged with later ones. */
static void test_later(void)
{
    uint64_t total = fill("later");
    struct store *s = days_open(0);
    total += days_add(s, RECORDINGS, 2 * RECORDINGS);
    store_maintain(s);
    store_close(s);
    tap_ok(days_run(DAMAGED), "more comes, and the catalog is damaged");
    check(total, true, "what came after the copy is read again");
    tap_ok(days_run(WAS_USED), "the damaged catalog is kept");
    tap_ok(days_run("! ls -d quarantine/*-segments 2> /dev/null"), "and no segments, as recordings have all of it");
}

static void test_missing(void)
{
    uint64_t total = fill("missing");
    tap_ok(days_run("touch before"), "before others come");
    struct store *s = days_open(0);
    days_add(s, RECORDINGS, 3);
    store_close(s);
    tap_ok(days_run("find recordings -newer before -type f -delete"), "what came after the copy is deleted");
    tap_ok(days_run(DAMAGED), "and the catalog is damaged");
    check(total, false, "that is missing, and the answer says so");
    tap_ok(days_run("[ $(ls -d quarantine/*-segments | wc -l) = 1 ]"), "its segments are kept");
}

static void test_interrupted(void)
{
    uint64_t total = fill("interrupted");
    tap_ok(
        days_run(NO_RECORDINGS " && mv catalogue.db.copy.sum catalogue.db.sum && mv catalogue.db quarantine && > quarantine/copy-in-use"),
        "killed before the copy has the catalog's name");
    check(total, true, "the next start goes on");
    total = fill("interrupted-later");
    tap_ok(days_run(NO_RECORDINGS
                    " && mv catalogue.db.copy catalogue.db && rm catalogue.db*m && > quarantine/copy-in-use && rm segments/1/*.seg"),
           "killed after that, and the segments of today are gone");
    check(total / 2 + RECORDINGS / 4, false, "what the copy lists, but is gone, is missing");
    tap_ok(days_run("[ ! -e quarantine/copy-in-use ]"), "and that is noted");
}

/* The catalog is damaged while the server runs: it does not replace the good copy. */
static void test_damaged_meanwhile(void)
{
    uint64_t total = fill("meanwhile");
    struct store *s = days_open(0);
    tap_ok(
        days_run(
            "dd if=/dev/zero of=catalogue.db bs=4096 seek=8 count=16 conv=notrunc status=none && touch -d '2 hours ago' catalogue.db.copy"),
        "the catalog is damaged while the server runs");
    store_maintain(s);
    store_close(s);
    tap_ok(days_run("[ ! -e catalogue.db.copy.new ]"), "no copy is made of it");
    tap_ok(days_run(NO_RECORDINGS), "its recordings are gone");
    check(total, true, "the copy from before is used");
}

static void test_invalid(void)
{
    uint64_t total = fill("invalid");
    tap_ok(days_run(DAMAGED " && printf x | dd of=catalogue.db.copy bs=1 seek=300 conv=notrunc status=none"), "the copy is damaged, too");
    check(total, true, "the catalog is made anew");
    tap_ok(days_run("ls quarantine/*-catalogue.db quarantine/*-catalogue.db.copy"), "both are kept");
    total = fill("invalid-without");
    tap_ok(days_run(NO_RECORDINGS "/* 2> /dev/null; rm catalogue.db*"), "there is no copy");
    check(total, true, "and the catalog is made anew");
}

int main(void)
{
    test_used();
    test_later();
    test_missing();
    test_interrupted();
    test_damaged_meanwhile();
    test_invalid();
    tap_ok(days_end(), "cleaned up");
    return tap_done();
}
