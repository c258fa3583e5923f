#include "accounts_page.h"

#include "base/agreed/accounts.h"

#include <ctype.h>
#include <stdbool.h>

static const char intro[] =
    "# Accounts and reasons\n"
    "\n"
    "The lines of a recording's books, and the reasons in them. An account is a `candor.BookLine` ([recording](recording.md)), cumulative\n"
    "since the recording began; `time` is in the account's unit. JSON is its member in the [report](report-json.md): an object by reason\n"
    "where the account has reasons. `candor` says in `problems` when the parts of a whole do not add up to it.\n"
    "\n"
    "`ninja -C build accounts` writes this page from `src/base/agreed/accounts.h` and `reasons.h`, the only tables of them.\n"
    "\n"
    "| part | meaning |\n"
    "|---|---|\n";

static const char *list_symbols[] = {
#define LIST_SYMBOL(symbol, rows, about) #symbol,
    REASON_LISTS(LIST_SYMBOL)};

/* "LOCK_LOSS" as a heading, and as its anchor: "lock-loss". */
static void put_list_name(FILE *out, int list)
{
    for (const char *c = list_symbols[list]; *c; c++)
        fputc(*c == '_' ? '-' : tolower((unsigned char)*c), out);
}

static void put_lists(FILE *out, unsigned lists)
{
    const char *between = "";
    for (int list = 0; list < REASON_LIST_COUNT; list++) {
        if (!(lists & 1u << list))
            continue;
        fprintf(out, "%s[", between);
        put_list_name(out, list);
        fputs("](#", out);
        put_list_name(out, list);
        fputc(')', out);
        between = ", ";
    }
    if (!lists)
        fputc('-', out);
}

static void put_members(FILE *out, int book, int account)
{
    bool any = false;
    for (unsigned i = 0; i < account_member_count; i++) {
        const struct account_member *m = &account_members[i];
        if ((int)m->book != book || m->setting || (int)m->account != account)
            continue;
        fprintf(out, "%s`%s`", any ? ", " : "", m->key);
        any = true;
    }
    if (!any)
        fputc('-', out);
}

static void put_account(FILE *out, int book, int id)
{
    static const char *const units[] = {
        [ACCOUNT_IN_NONE] = "-", [ACCOUNT_IN_NS] = "ns", [ACCOUNT_IN_BYTES] = "bytes", [ACCOUNT_IN_EVENTS] = "events"};
    const struct account_row *a = &account_rows[id];
    fprintf(out, "| `%s` | ", a->name);
    put_members(out, book, id);
    fprintf(out, " | %s | %s | %s | ", account_roles[a->role].word, units[a->unit], a->counts ? a->counts : "-");
    put_lists(out, a->reasons);
    fprintf(out, " | %s | %s |\n", a->meaning, *a->remedy ? a->remedy : "-");
}

/* whole = part + part(reason) + ... */
static void put_sum(FILE *out, int book)
{
    const char *between = " = ";
    if (!book_rows[book].whole)
        return;
    fprintf(out, "\n    %s%s", account_rows[book_rows[book].sign].name, account_rows[book_rows[book].sign].reasons ? "(reason)" : "");
    for (int id = 0; id < ACCOUNTS; id++) {
        const struct account_row *a = &account_rows[id];
        if (!(a->books & 1u << book) || a->role == ACCOUNT_IS_WHOLE || a->role >= ACCOUNT_IS_WITHIN)
            continue;
        fprintf(out, "%s%s%s", between, a->name, a->reasons ? "(reason)" : "");
        between = " + ";
    }
    fputs("\n", out);
}

static void put_book(FILE *out, int book)
{
    const struct book_row *row = &book_rows[book];
    fprintf(out, "\n## %s: %s\n", row->heading, row->about);
    if (row->member)
        fprintf(out, "\nIn JSON: `%s`.\n", row->member);
    put_sum(out, book);
    fputs("\n| account | JSON | part | time | count | reasons | meaning | remedy |\n|---|---|---|---|---|---|---|---|\n", out);
    for (int id = 0; id < ACCOUNTS; id++)
        if (account_rows[id].books & 1u << book)
            put_account(out, book, id);
    for (unsigned i = 0; i < account_member_count; i++)
        if ((int)account_members[i].book == book && account_members[i].setting)
            fprintf(out, "\nThe member `%s` is the setting `%s`.\n", account_members[i].key, account_members[i].setting);
    if (*row->note)
        fprintf(out, "\n%s", row->note);
}

static void put_reasons(FILE *out, int list)
{
    const struct reason_rows *l = &reason_lists[list];
    fputs("\n### ", out);
    put_list_name(out, list);
    fprintf(out, "\n\n%s.\n", l->about);
    if (l->count)
        fputs("\n| reason | meaning | remedy |\n|---|---|---|\n", out);
    for (unsigned i = 0; i < l->count; i++)
        fprintf(out, "| `%s` | %s | %s |\n", l->rows[i].name, l->rows[i].meaning, *l->rows[i].remedy ? l->rows[i].remedy : "-");
}

void accounts_page_write(FILE *out)
{
    fputs(intro, out);
    for (int role = 0; role < ACCOUNT_ROLE_COUNT; role++)
        fprintf(out, "| %s | %s |\n", account_roles[role].word, account_roles[role].meaning);
    for (int book = 0; book < BOOKS; book++)
        put_book(out, book);
    fputs("\n## Reasons\n\nThe names of outcomes are also in the field `outcome` of samples.\n", out);
    for (int list = 0; list < REASON_LIST_COUNT; list++)
        put_reasons(out, list);
}
