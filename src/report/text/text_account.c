/* Prints the accounts of a book, line by line. The table of accounts (base/agreed/accounts.h) defines them and their words. */
#include "report/text/text.h"

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "profile/accounts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 32, TIME_COLUMNS = 10, EVENT_COLUMNS = 15, TEXT_COLUMNS = 118, TEXT_BYTES = 32, TITLE_BYTES = 64 };

struct layout {
    enum book book;
    enum account_unit unit; /* the unit of the book's first account, which is the whole if there is one */
    int columns;            /* width of the column of figures */
    bool has_whole;
    int64_t whole;
};

struct line {
    const char *name;
    int indent;
    int64_t ns; /* in the unit of the account */
    uint64_t count;
};

static struct layout layout_of(const struct text *t, enum book book)
{
    enum account_id sign = book_rows[book].sign;
    struct layout l = {.book = book, .unit = account_rows[sign].unit, .has_whole = account_rows[sign].role == ACCOUNT_IS_WHOLE};
    l.columns = l.unit == ACCOUNT_IN_EVENTS ? EVENT_COLUMNS : TIME_COLUMNS;
    l.whole = l.has_whole ? accounts_sum(t->p, sign).ns : 0;
    return l;
}

static void put_heads(const struct text *t, const struct layout *l)
{
    static const char *const units[] = {
        [ACCOUNT_IN_NONE] = "", [ACCOUNT_IN_NS] = "time", [ACCOUNT_IN_BYTES] = "bytes", [ACCOUNT_IN_EVENTS] = "events"};
    const struct book_row *book = &book_rows[l->book];
    text_begin(t, TEXT_FAINT);
    fprintf(t->out, "  %-*s%*s", NAME_COLUMNS - 2, "account", l->columns, units[l->unit]);
    if (book->share)
        fprintf(t->out, "  %7s", book->share);
    fprintf(t->out, "  %11s\n", book->count);
    text_end(t, TEXT_FAINT);
}

static const char *figure(char out[TEXT_BYTES], enum account_unit unit, int64_t n)
{
    if (unit == ACCOUNT_IN_NS)
        return text_time(out, TEXT_BYTES, n);
    if (unit == ACCOUNT_IN_BYTES)
        return units_format_bytes(out, TEXT_BYTES, n > 0 ? (uint64_t)n : 0);
    *out = 0;
    if (unit == ACCOUNT_IN_EVENTS) {
        *out = '-';
        text_count(out + (n < 0), TEXT_BYTES - 1, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
    }
    return out;
}

static void put_name(const struct text *t, const struct line *line)
{
    int fill = NAME_COLUMNS - line->indent - (int)utf8_columns(line->name);
    fprintf(t->out, "%*s", line->indent, "");
    utf8_print(t->out, line->name);
    fprintf(t->out, "%*s", fill > 1 ? fill : 1, "");
}

static void put_line(const struct text *t, const struct layout *l, const struct account_row *a, const struct line *line)
{
    char text[TEXT_BYTES], count[TEXT_BYTES] = "", share[TEXT_BYTES] = "";
    bool has_share = l->has_whole && a->role <= ACCOUNT_IS_WITHIN && a->unit == l->unit;
    if (has_share)
        snprintf(share, sizeof share, "%.2f", l->whole ? (double)line->ns / (double)l->whole * 100 : 0);
    if (a->counts)
        text_count(count, sizeof count, line->count);
    put_name(t, line);
    fprintf(t->out, "%*s", l->columns, figure(text, a->unit, line->ns));
    if (book_rows[l->book].share && (*share || *count))
        fprintf(t->out, "  %7s", share);
    if (*count)
        fprintf(t->out, "  %11s", count);
    fputc('\n', t->out);
}

/* ---- reasons ---- */

static int compare_lines(const void *left, const void *right)
{
    const struct profile_book *const *a = left, *const *b = right;
    return ((*a)->ns < (*b)->ns) - ((*a)->ns > (*b)->ns);
}

/* Returns the name of a reason, as in the documents. For an account that is a level, returns the meaning instead. */
static const char *reason_words(const struct account_row *a, const char *name)
{
    for (int list = 0; a->role == ACCOUNT_IS_LEVEL && list < REASON_LIST_COUNT; list++)
        for (unsigned i = 0; a->reasons & 1u << list && i < reason_lists[list].count; i++)
            if (!strcmp(reason_lists[list].rows[i].name, name))
                return reason_lists[list].rows[i].meaning;
    return name;
}

/* Prints the account's reasons in the recording, largest first. */
static void put_reasons(const struct text *t, const struct layout *l, enum account_id id, int indent)
{
    const struct profile *p = t->p;
    const struct account_row *a = &account_rows[id];
    const struct profile_book **list = calloc(p->book_count + 1, sizeof *list);
    size_t n = 0;
    for (uint32_t i = 0; list && i < p->book_count; i++)
        if (accounts_is(p, &p->books[i], id))
            list[n++] = &p->books[i];
    if (n)
        qsort(list, n, sizeof *list, compare_lines);
    for (size_t i = 0; i < n; i++)
        if (list[i]->ns || list[i]->count)
            put_line(t, l, a, &(struct line){reason_words(a, profile_text(p, list[i]->reason)), indent, list[i]->ns, list[i]->count});
    free(list);
}

/* ---- accounts ---- */

/* Writes an account's title. If the account is part of others, the title says so, if there is room. */
static const char *title_of(char out[TITLE_BYTES], const struct account_row *a, int indent)
{
    static const char within[] = " (within the above)";
    bool fits = strlen(a->title) + sizeof within - 1 < (size_t)(NAME_COLUMNS - indent);
    snprintf(out, TITLE_BYTES, "%s%s", a->title, a->role == ACCOUNT_IS_WITHIN && fits && !a->reasons ? within : "");
    return out;
}

static bool is_listed(const struct layout *l, const struct account_row *a, const struct account_sum *sum)
{
    bool is_wanted = l->has_whole && a->role < ACCOUNT_IS_WITHIN;
    bool is_estimate_of_nothing = a->role == ACCOUNT_IS_BESIDE && a->unit == ACCOUNT_IN_BYTES && !sum->ns;
    return a->title && a->books & 1u << l->book && (is_wanted || sum->lines) && !is_estimate_of_nothing;
}

static void put_account(const struct text *t, const struct layout *l, enum account_id id, const struct account_sum *sum)
{
    const struct account_row *a = &account_rows[id];
    bool is_part = a->role != ACCOUNT_IS_WHOLE && (a->role < ACCOUNT_IS_WITHIN || a->reasons);
    int indent = l->has_whole && is_part && a->role != ACCOUNT_IS_LEVEL ? 4 : 2;
    char title[TITLE_BYTES];
    title_of(title, a, indent);
    if (a->role == ACCOUNT_IS_LEVEL && a->reasons)
        fprintf(t->out, "%*s%s\n", indent, "", title);
    else
        put_line(t, l, a, &(struct line){title, indent, sum->ns, sum->count});
    if (a->reasons)
        put_reasons(t, l, id, indent + 2);
}

/* Prints the title and its meaning, broken into lines between words. */
static void explain(const struct text *t, const struct account_row *a)
{
    int column = fprintf(t->out, "%c%s:", toupper((unsigned char)*a->title), a->title + 1);
    for (const char *word = a->meaning; *word; word += strspn(word, " ")) {
        int length = (int)strcspn(word, " ");
        bool is_full = column + 1 + length > TEXT_COLUMNS;
        fprintf(t->out, "%c%.*s", is_full ? '\n' : ' ', length, word);
        column = is_full ? length : column + 1 + length;
        word += length;
    }
    fputs(".\n", t->out);
}

void text_accounts(const struct text *t, enum book book)
{
    struct layout l = layout_of(t, book);
    put_heads(t, &l);
    for (int id = 0; id < ACCOUNTS; id++) {
        struct account_sum sum = accounts_sum(t->p, (enum account_id)id);
        if (is_listed(&l, &account_rows[id], &sum))
            put_account(t, &l, (enum account_id)id, &sum);
    }
    for (int id = 0; id < ACCOUNTS; id++) { /* accounts that have reasons and are not part of the sum */
        const struct account_row *a = &account_rows[id];
        struct account_sum sum = accounts_sum(t->p, (enum account_id)id);
        if (is_listed(&l, a, &sum) && a->reasons && (a->role == ACCOUNT_IS_WITHIN || a->role == ACCOUNT_IS_BESIDE))
            explain(t, a);
    }
    fputs(book_rows[book].note, t->out);
}
