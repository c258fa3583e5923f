/* The books of a file, computed from notes of its chunks: base values are subtracted, and a recording that begins again is noticed. If a
 * file invents very many accounts, the time per account stays the same.
 * tier: quick
 * timeout: 60 */
#include "../tap.h"

#include "profile/load/load_whole.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct profile p;

static uint32_t string(const char *text)
{
    uint32_t id = 0;
    profile_string(&p, text, strlen(text), &id);
    return id;
}

static void add(struct load_part *part, enum load_note_kind kind, const char *account, const char *reason, uint64_t ns, uint64_t count)
{
    load_part_note(part, (struct load_note){.kind = kind, .a = string(account), .b = string(reason), .x = ns, .y = count});
}

/* Adds the parts, one after the other. */
static int take(struct load_part *parts, int count)
{
    struct load_whole w;
    int rc = 0;
    load_whole_init(&w, &p);
    for (int i = 0; !rc && i < count; i++)
        rc = load_whole_take(&w, &parts[i], NULL);
    rc = rc ? rc : load_whole_settle(&w);
    load_whole_deinit(&w);
    for (int i = 0; i < count; i++)
        load_part_deinit(&parts[i]);
    return rc;
}

static bool is(const char *account, const char *reason, int64_t ns, uint64_t count)
{
    const struct profile_book *book = profile_book(&p, account, reason);
    return book && book->ns == ns && book->count == count;
}

static void test_bases(void)
{
    struct load_part parts[2] = {0};
    profile_init(&p);
    add(&parts[0], LOAD_BOOK_BASE, "cpu", "", 100, 0);
    add(&parts[0], LOAD_BOOK_BASE, "lost", "a", 30, 3);
    add(&parts[0], LOAD_BOOK_BASE, "lost", "gone", 5, 5);
    add(&parts[0], LOAD_BOOK, "cpu", "", 150, 0);
    add(&parts[1], LOAD_BOOK_BASE, "cpu", "", 150, 0);
    add(&parts[1], LOAD_BOOK, "cpu", "", 190, 0);
    add(&parts[1], LOAD_BOOK, "lost", "a", 45, 2);
    add(&parts[1], LOAD_BOOK, "lost", "b", 7, 1);
    add(&parts[0], LOAD_BOOK_BASE, "wall_rounds", "", 50, 8);
    add(&parts[1], LOAD_BOOK, "wall_rounds", "", 60, 10);
    load_part_note(&parts[0], (struct load_note){.kind = LOAD_SETTING, .a = string("began_ns"), .b = string("1")});
    tap_ok(!take(parts, 2) && is("cpu", "", 90, 0) && is("lost", "a", 15, 0) && is("lost", "b", 7, 1) && p.book_count == 4,
           "what the file begins with goes off, each from its own; a count is never below 0");
    tap_ok(is("wall_rounds", "", 60, 2), "but not from a level: the longest round is no sum");
    tap_ok(!p.problem_count && p.discarded, "the recording had more");
    profile_deinit(&p);
}

static void test_anew(void)
{
    struct load_part parts[1] = {0};
    profile_init(&p);
    add(&parts[0], LOAD_BOOK, "lost", "a", 1, 1);
    add(&parts[0], LOAD_BOOK, "cpu", "", 100, 0);
    add(&parts[0], LOAD_BOOK, "cpu", "", 110, 0);
    add(&parts[0], LOAD_BOOK, "lost", "a", 0, 0);
    add(&parts[0], LOAD_BOOK, "cpu", "", 20, 0);
    tap_ok(!take(parts, 1) && p.problem_count == 1 && strstr(profile_text(&p, p.problems[0].text), "several recordings") &&
               is("cpu", "", 20, 0),
           "books that begin anew are told, and are the last ones");
    profile_deinit(&p);
}

/* A comparison of all pairs would take minutes. */
static void test_many(void)
{
    enum { ACCOUNTS = 200000 };
    struct load_part parts[1] = {0};
    char reason[32];
    profile_init(&p);
    for (int i = 0; i < ACCOUNTS; i++) {
        snprintf(reason, sizeof reason, "%d", i);
        add(&parts[0], LOAD_BOOK_BASE, "lost", reason, 1, 1);
        add(&parts[0], LOAD_BOOK, "lost", reason, (uint64_t)i + 1, 2);
    }
    for (int i = 0; i < ACCOUNTS; i++)
        add(&parts[0], LOAD_BOOK, "cpu", "", (uint64_t)i, 0);
    tap_ok(!take(parts, 1) && p.book_count == ACCOUNTS + 1 && is("lost", "199999", ACCOUNTS - 1, 1) && is("cpu", "", ACCOUNTS - 1, 0),
           "%d accounts", ACCOUNTS);
    profile_deinit(&p);
}

static void line_at(struct load_part *part, int64_t second, const char *account, uint64_t ns, uint64_t count)
{
    add(part, LOAD_BOOK, account, "", ns, count);
    part->notes[part->note_count - 1].time_ns = second * INT64_C(1000000000);
}

/* The amount of the account in this minute, and in all minutes. */
static int64_t in_minute(int64_t minute, const char *account, int64_t *all)
{
    int64_t sum = *all = 0;
    for (uint32_t i = 0; i < p.book_minute_count; i++) {
        const struct profile_book_minute *m = &p.book_minutes[i];
        if (strcmp(profile_text(&p, m->account), account))
            continue;
        *all += m->ns;
        sum += m->minute == minute ? m->ns : 0;
    }
    return sum;
}

static void test_minutes(void)
{
    struct load_part parts[2] = {0};
    int64_t all = 0, other;
    profile_init(&p);
    p.books_by_minute = true;
    add(&parts[0], LOAD_BOOK_BASE, "cpu", "", 1000, 0);
    line_at(&parts[0], 658, "cpu", 1010, 0);
    line_at(&parts[0], 659, "cpu", 1030, 0);
    line_at(&parts[0], 659, "residual", 7, 0);
    line_at(&parts[0], 660, "cpu", 1070, 0); /* most of it belongs to the minute before */
    line_at(&parts[0], 661, "residual", 3, 0);
    line_at(&parts[0], 661, "wall_rounds", 9, 1);
    line_at(&parts[1], 1200, "cpu", 1150, 0); /* after minutes without data: in the middle of them */
    bool taken = !take(parts, 2) && in_minute(10, "cpu", &all) == 70 && all == 150 && is("cpu", "", 150, 0);
    tap_ok(taken, "the minutes add up to the line; what the file begins with is in none: %" PRId64, all);
    tap_ok(in_minute(15, "cpu", &all) == 80, "a long interval counts in its middle");
    taken = in_minute(10, "residual", &all) == 7 && in_minute(11, "residual", &other) == -4 && all == 3;
    tap_ok(taken, "a line may shrink");
    taken = !in_minute(11, "wall_rounds", &all) && !all;
    tap_ok(taken, "a level has no minutes");
    profile_deinit(&p);
}

int main(void)
{
    test_bases();
    test_minutes();
    test_anew();
    test_many();
    return tap_done();
}
