/* The tables of accounts and reasons: the accounts of each book add up to its whole, no name occurs twice in a book, each part of a sum
 * is in JSON and in text, and docs/formats/accounts.md is up to date with the tables.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "base/agreed/accounts.h"
#include "docs/formats/accounts_page.h"

#include <stdlib.h>
#include <string.h>

static bool is_in_json(int book, int id)
{
    bool is = false;
    for (unsigned i = 0; i < account_member_count; i++)
        is |= !account_members[i].setting && (int)account_members[i].book == book && (int)account_members[i].account == id;
    return is;
}

static int accounts_like(int book, int id)
{
    int same = 0;
    for (int other = 0; other < ACCOUNTS; other++)
        same += account_rows[other].books & 1u << book && !strcmp(account_rows[other].name, account_rows[id].name);
    return same;
}

static int members_like(unsigned i)
{
    int same = 0;
    for (unsigned k = 0; k < account_member_count; k++)
        same += account_members[k].book == account_members[i].book && !strcmp(account_members[k].key, account_members[i].key);
    return same;
}

static void test_book(int book)
{
    int wholes = 0, residuals = 0, wrong = 0;
    for (int id = 0; id < ACCOUNTS; id++) {
        const struct account_row *a = &account_rows[id];
        if (!(a->books & 1u << book))
            continue;
        wholes += a->role == ACCOUNT_IS_WHOLE;
        residuals += a->role == ACCOUNT_IS_RESIDUAL;
        bool is_good = a->role >= ACCOUNT_IS_WITHIN || (a->title && is_in_json(book, id));
        is_good &= accounts_like(book, id) == 1 && *a->meaning && (a->unit != ACCOUNT_IN_NONE || a->counts);
        wrong += !is_good;
        if (!is_good)
            tap_note("%s", a->name);
    }
    const struct account_row *sign = &account_rows[book_rows[book].sign];
    bool has_whole = book_rows[book].whole;
    bool is_measured = sign->role == ACCOUNT_IS_WHOLE;
    tap_ok(!wrong && sign->books & 1u << book && wholes == has_whole && residuals <= wholes && is_measured == has_whole,
           "%s: %d whole, %d residual, %d rows that lack something", book_rows[book].about, wholes, residuals, wrong);
}

static void test_members(void)
{
    int twice = 0;
    for (unsigned i = 0; i < account_member_count; i++) {
        const struct account_member *m = &account_members[i];
        bool is_of_book = m->setting || account_rows[m->account].books & 1u << m->book;
        twice += members_like(i) != 1 || !is_of_book;
    }
    tap_ok(account_member_count > ACCOUNTS && !twice, "%u members, each once in its book, and of an account of that book",
           account_member_count);
}

static void test_reasons(void)
{
    int rows = 0, wrong = 0;
    for (int list = 0; list < REASON_LIST_COUNT; list++)
        for (unsigned i = 0; i < reason_lists[list].count; i++, rows++) {
            const struct reason_row *row = &reason_lists[list].rows[i];
            bool is_good = *row->name && *row->meaning && row->remedy;
            for (unsigned k = 0; k < i; k++)
                is_good &= strcmp(row->name, reason_lists[list].rows[k].name) != 0;
            wrong += !is_good;
        }
    tap_ok(rows > 50 && !wrong, "%d reasons, each once in its list, with a meaning", rows);
}

static void test_page(void)
{
    char *made = NULL, *held = calloc(1, 1 << 17);
    size_t size = 0, n = 0;
    FILE *out = open_memstream(&made, &size), *doc = fopen(ACCOUNTS_DOC, "r");
    accounts_page_write(out);
    fclose(out);
    if (doc) {
        n = fread(held, 1, (1 << 17) - 1, doc);
        fclose(doc);
    }
    if (!tap_ok(n == size && !memcmp(made, held, n), "accounts.md is made of the tables (%zu bytes)", size))
        tap_note("ninja -C build accounts writes it again");
    free(made);
    free(held);
}

int main(void)
{
    for (int book = 0; book < BOOKS; book++)
        test_book(book);
    test_members();
    test_reasons();
    test_page();
    return tap_done();
}
