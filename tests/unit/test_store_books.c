/*
 * The books of recordings in the store: by minute, summed for any labels and time, after a lost catalogue, after deletion, and in a
 * directory of the version that had no books.
 * tier: default
 * timeout: 60
 */
#include "store_shop.h"
#include "store_versions.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDINGS = 6, MINUTES = 3 };

static char folder[] = "/tmp/candor-books-XXXXXX";
static int64_t today; /* its first second */

static void put(struct profile *p, int64_t minute, const char *account, const char *reason, int64_t ns)
{
    struct profile_book_minute line = {.minute = minute, .ns = ns, .count = 1};
    profile_string(p, account, strlen(account), &line.account);
    profile_string(p, reason, strlen(reason), &line.reason);
    p->book_minutes = realloc(p->book_minutes, (p->book_minute_count + 1) * sizeof line);
    p->book_minutes[p->book_minute_count++] = line;
}

/* A sample; and, unless its host is "none", books of three minutes from its beginning: each has 1000 ns of CPU time, and a residual that
 * is different in each minute. */
static int load(struct store_profiles *to, const struct envelope *v, struct error *e)
{
    struct profile *p;
    int rc = shop_load(to, v, &p, e);
    if (!strcmp(labels_get(&v->note.labels, "host"), "none"))
        return rc;
    for (int64_t k = 0; k < MINUTES; k++) {
        int64_t minute = v->note.from_ns / NS_PER_S / 60 + k;
        put(p, minute, "cpu", "", 1000);
        put(p, minute, "complete", "", 900);
        put(p, minute, "unseen", "profiler", 50);
        put(p, minute, "unseen", "kernel", 20);
        for (int i = 0; i < 20; i++) { /* reasons that nobody knows */
            char strange[32];
            snprintf(strange, sizeof strange, "strange_%d_%lld", i, (long long)k);
            put(p, minute, "unseen", strange, 0);
        }
        put(p, minute, "lost", "queue_full", 10);
        put(p, minute, "residual", "", 30 - 10 * k);
        put(p, minute, "residual", "", -10 + 10 * k);
        put(p, minute, "own_cost", "", 5);
        put(p, minute, "no such account", "", 77);
        put(p, minute, "alloc_bytes", "", 1 << 20);
    }
    return rc;
}

static struct store *fill(const char *name)
{
    struct store *s = shop_open(folder, name, 7 * 86400, load);
    for (uint8_t i = 0; i < RECORDINGS; i++)
        shop_add(s, today - (i % 2) * 86400 + i * 60, i < 3 ? "a" : "b", i);
    return s;
}

static struct store_result ask(struct store *s, const char *select, int64_t from, int64_t to, const char *type)
{
    struct selector selector;
    struct store_series series;
    struct store_result r, of_series;
    struct profile p;
    struct error e;
    selector_parse(&selector, select, &e);
    struct store_query q = {.selector = &selector, .from = from, .to = to, .type = type, .books = true};
    profile_init(&p);
    if (store_profile(s, &q, &p, &r, &e) || store_series(s, &q, 60, NULL, &series, &of_series, &e)) {
        tap_note("%s", e.text);
        exit(1);
    }
    const struct profile_book *cpu = profile_book(&p, "cpu", "");
    int64_t whole = books_sum(&r.books, 1u << ACCOUNT_IS_WHOLE);
    if (r.books.book == BOOK_CPU && ((cpu ? cpu->ns : 0) != whole || books_sum(&of_series.books, 1u << ACCOUNT_IS_WHOLE) != whole))
        tap_ok(false, "profile, result and series have the same books");
    store_result_deinit(&of_series);
    store_series_deinit(&series);
    profile_deinit(&p);
    selector_deinit(&selector);
    return r;
}

/* The books of this many minutes, from this many recordings. */
static void check(struct store *s, const char *select, int64_t from, int64_t to, int64_t minutes, uint64_t recordings, const char *what)
{
    struct store_result r = ask(s, select, from, to, "cpu:ns");
    unsigned parts = 1u << ACCOUNT_IS_SEEN | 1u << ACCOUNT_IS_FAILED | 1u << ACCOUNT_IS_LOST | 1u << ACCOUNT_IS_UNSEEN;
    int64_t whole = books_sum(&r.books, 1u << ACCOUNT_IS_WHOLE), residual = books_sum(&r.books, 1u << ACCOUNT_IS_RESIDUAL);
    tap_ok(whole == 1000 * minutes && books_sum(&r.books, parts) == 980 * minutes && residual == 20 * minutes &&
               r.books.recordings == recordings,
           "%s: %" PRId64 " minutes, %" PRIu64 " recordings", what, whole / 1000, r.books.recordings);
    store_result_deinit(&r);
}

static void test_sums(void)
{
    struct store *s = fill("sums");
    const int64_t from = today - 7 * 86400, to = today + 3600;
    check(s, "{}", from, to, RECORDINGS * MINUTES, RECORDINGS, "all");
    check(s, "{host=\"a\"}", from, to, 3 * MINUTES, 3, "of a label");
    check(s, "{host=\"c\"}", from, to, 0, 0, "of no recording");
    check(s, "{}", today - 3600, to, 3 * MINUTES, 3, "of today");
    check(s, "{}", today + 60, today + 120, 1, 1, "of a minute");
    check(s, "{}", today + 119, today + 121, 3, 2, "of the minutes in which it begins and ends");
    shop_add(s, today, "none", 100);
    struct store_result r = ask(s, "{}", from, to, "cpu:ns");
    char text[1000];
    books_text(&r.books, r.recordings, text, sizeof text);
    tap_ok(r.books.count == 7 + 16 + 1, "of 60 reasons that nobody knows 16 are kept: %u lines", r.books.count);
    tap_ok(r.recordings == 7 && r.books.recordings == 6 && strstr(text, "; 1 of 7 recordings do not say"), "one without books counts: %s",
           text);
    tap_ok(!strncmp(text,
                    "of 18.0 us CPU time, 16.2 us were sampled, 1.26 us unseen (profiler 900 ns, kernel 360 ns), 180 ns lost "
                    "(queue_full 180 ns), 360 ns residual; own cost 90 ns; ",
                    155),
           "and the words say what became of it");
    store_result_deinit(&r);
    r = ask(s, "{}", from, to, "alloc_space:bytes");
    tap_ok(!*r.type && r.books.book == BOOK_ALLOC && books_sum(&r.books, 1u << ACCOUNT_IS_SEEN) == (int64_t)RECORDINGS * MINUTES << 20,
           "samples of another type have another book, and may have that alone");
    store_result_deinit(&r);
    store_close(s);
}

static void test_chance(void)
{
    struct store_books b = {.book = BOOK_CPU, .recordings = 1};
    char text[400];
    books_add(&b, "cpu", "", 1000, 0);
    books_add(&b, "complete", "", 1060, 1);
    books_add(&b, "unseen", "profiler", 10, 0);
    books_add(&b, "unseen", "not_drawn", -70, 0);
    books_text(&b, 1, text, sizeof text);
    tap_ok(!strcmp(text,
                   "of 1.00 us CPU time, 1.06 us were sampled, 10 ns unseen (profiler 10 ns), 70 ns too much by chance (clocks by lot), "
                   "0 ns lost, 0 ns residual"),
           "clocks by lot may show too much: %s", text);
    books_deinit(&b);
}

static void test_again(void)
{
    const int64_t from = today - 7 * 86400, to = today + 3600;
    store_close(fill("again"));
    shop_run(folder, "rm again/catalogue.db*");
    struct store *s = shop_open(folder, "again", 7 * 86400, load);
    check(s, "{}", from, to, RECORDINGS * MINUTES, RECORDINGS, "made anew from the recordings");
    store_close(s);
    s = shop_open(folder, "again", 1, load);
    store_maintain(s);
    check(s, "{}", from, to, 3 * MINUTES, 3, "yesterday is deleted, and so are its books");
    store_close(s);
}

static void test_upgrade(void)
{
    const int64_t from = today - 7 * 86400, to = today + 3600;
    store_close(fill("upgrade"));
    shop_run(folder, "cp -r upgrade back && rm upgrade/catalogue.db.sum");
    sqlite3 *db;
    char file[300];
    snprintf(file, sizeof file, "%s/upgrade/catalogue.db", folder);
    sqlite3_open(file, &db);
    tap_ok(
        !sqlite3_exec(
            db,
            STORE_TO_VERSION_8
            "DROP TRIGGER labelset_gone; DROP TABLE metric; DROP INDEX recording_unmeasured; ALTER TABLE recording DROP COLUMN measured; "
            "DROP TRIGGER recording_waits; DROP TRIGGER recording_unjudged; DROP TABLE waiting; DROP TABLE judging; DROP TABLE finding; "
            "DROP TABLE finding_label; DROP TABLE book; DROP TABLE account; ALTER TABLE recording DROP COLUMN begun; ALTER TABLE "
            "recording DROP COLUMN "
            "ended; PRAGMA user_version = 5",
            NULL, NULL, NULL),
        "a catalogue of version 5");
    sqlite3_close(db);
    struct store *s = shop_open(folder, "upgrade", 7 * 86400, load);
    check(s, "{}", from, to, 0, 0, "it has no books");
    struct store_result r = ask(s, "{}", from, to, "cpu:ns");
    tap_ok(r.weight == 900 * RECORDINGS && r.recordings == RECORDINGS && !missing_parts(&r.missing), "and all samples");
    store_result_deinit(&r);
    shop_add(s, today, "a", 50);
    check(s, "{}", from, to, MINUTES, 1, "what comes now has them");
    store_close(s);
    shop_run(folder, "cp upgrade/catalogue-version-5.db upgrade/catalogue.db && rm -f upgrade/catalogue.db.sum");
    s = shop_open(folder, "upgrade", 7 * 86400, load);
    r = ask(s, "{}", from, to, "cpu:ns");
    tap_ok(r.weight == 900 * (RECORDINGS + 1) && !missing_parts(&r.missing), "with the copy from before, all recordings are there again");
    store_result_deinit(&r);
    check(s, "{}", from, to, MINUTES, 1, "those that had come since also with their books");
    store_close(s);
}

int main(void)
{
    char command[300];
    if (!mkdtemp(folder))
        return 1;
    today = (int64_t)(clock_realtime_ns() / NS_PER_S) / 86400 * 86400;
    test_sums();
    test_chance();
    test_again();
    test_upgrade();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command))
        tap_note("%s stays", folder);
    return tap_done();
}
