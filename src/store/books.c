#include "store/books.h"

#include "base/array.h"
#include "base/text/units.h"
#include "jfr/schema.h"
#include "profile/kinds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned books_with(const char *account)
{
    unsigned books = 0;
    for (int id = 0; id < ACCOUNTS; id++)
        if (!strcmp(account_rows[id].name, account))
            books |= account_rows[id].books;
    return books;
}

bool books_is_sign(enum book book, const char *account)
{
    return !strcmp(account_rows[book_rows[book].sign].name, account);
}

enum book books_of_type(const char *type)
{
    static const enum book of_kind[PROFILE_KINDS] = {
        [PROFILE_RUNNING] = BOOK_CPU, [PROFILE_WALL] = BOOK_WALL,  [PROFILE_ALLOC] = BOOK_ALLOC,
        [PROFILE_LIVE] = BOOKS,       [PROFILE_LOCK] = BOOK_LOCK,  [PROFILE_HOLDER] = BOOK_LOCK,
        [PROFILE_WAITING] = BOOKS,    [PROFILE_NATIVEMEM] = BOOKS, [PROFILE_NATIVELEAK] = BOOKS};
    static const char running[] = "running:ns", events[] = ":events";
    size_t n = strlen(type), m = sizeof events - 1;
    for (int kind = 0; kind < PROFILE_KINDS; kind++)
        if (profile_kinds[kind].stored && !strcmp(profile_kinds[kind].stored, type))
            return of_kind[kind];
    if (!strcmp(type, running))
        return BOOK_SAFEPOINT;
    return n > m && !strcmp(type + n - m, events) ? BOOK_EVENTS : BOOKS;
}

/* ---- books of one recording ---- */

static int by_minute(const void *left, const void *right)
{
    const struct catalogue_book *a = left, *b = right;
    if (a->minute != b->minute)
        return a->minute < b->minute ? -1 : 1;
    int order = strcmp(a->account, b->account);
    return order ? order : strcmp(a->reason, b->reason);
}

static void add_wrapping(int64_t *to, int64_t more)
{
    *to = (int64_t)((uint64_t)*to + (uint64_t)more);
}

static uint32_t join_equal(struct catalogue_book *lines, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (kept && !by_minute(&lines[kept - 1], &lines[i])) {
            add_wrapping(&lines[kept - 1].ns, lines[i].ns);
            add_wrapping(&lines[kept - 1].count, lines[i].count);
        } else {
            lines[kept++] = lines[i];
        }
    }
    return kept;
}

enum { STRANGERS_MAX = 16 };

static bool list_has(enum reason_list list, const char *reason)
{
    const struct reason_rows *rows = &reason_lists[list];
    for (unsigned i = 0; i < rows->count; i++)
        if (!strcmp(rows->rows[i].name, reason))
            return true;
    for (unsigned i = 0; list == REASON_LIST_STATE && i < JFR_STATES; i++)
        if (!strcmp(jfr_thread_state_names[i], reason))
            return true;
    return false;
}

static bool is_known(const char *account, const char *reason)
{
    for (int id = 0; id < ACCOUNTS; id++)
        for (unsigned list = 0; list < REASON_LIST_COUNT && !strcmp(account_rows[id].name, account); list++)
            if (account_rows[id].reasons & 1u << list && list_has((enum reason_list)list, reason))
                return true;
    return !*reason;
}

/* Reasons of a recording that this server does not know. An agent of another version may have some. */
struct strangers {
    const char *reasons[STRANGERS_MAX];
    uint32_t count;
};

/* Returns the reason, or "" if the recording has too many unknown reasons: the store keeps each different reason forever, so their
 * number must be limited, whatever a sender writes. The sum of the account stays right. */
static const char *bounded_reason(struct strangers *s, const char *account, const char *reason)
{
    if (is_known(account, reason))
        return reason;
    for (uint32_t i = 0; i < s->count; i++)
        if (!strcmp(s->reasons[i], reason))
            return reason;
    if (s->count == STRANGERS_MAX || strlen(reason) >= STORE_BOOK_TEXT)
        return "";
    return s->reasons[s->count++] = reason;
}

int books_of_recording(const struct profile *p, int64_t oldest, int64_t newest, struct catalogue_book **lines, uint32_t *n)
{
    struct strangers strangers = {.count = 0};
    struct catalogue_book *list = *lines = calloc((size_t)p->book_minute_count + 1, sizeof *list);
    *n = 0;
    if (!list)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->book_minute_count; i++) {
        const struct profile_book_minute *of = &p->book_minutes[i];
        const char *account = profile_text(p, of->account), *reason = profile_text(p, of->reason);
        int64_t minute = of->minute < oldest ? oldest : of->minute > newest ? newest : of->minute;
        if (books_with(account))
            list[(*n)++] = (struct catalogue_book){minute, account, bounded_reason(&strangers, account, reason), of->ns, of->count};
    }
    qsort(list, *n, sizeof *list, by_minute);
    *n = join_equal(list, *n);
    return 0;
}

/* ---- the sum of the books of several recordings ---- */

static struct store_book *line_of(const struct store_books *b, const char *account, const char *reason)
{
    for (uint32_t i = 0; i < b->count; i++)
        if (!strcmp(b->list[i].account, account) && !strcmp(b->list[i].reason, reason))
            return &b->list[i];
    return NULL;
}

int books_add(struct store_books *b, const char *account, const char *reason, int64_t ns, int64_t count)
{
    struct store_book *line = line_of(b, account, reason);
    if (!line && b->count >= STORE_BOOK_LINES)
        line = line_of(b, account, reason = "");
    if (!line) {
        if (ARRAY_GROW(b->list, b->cap, b->count))
            return -ENOMEM;
        line = &b->list[b->count++];
        *line = (struct store_book){0};
        snprintf(line->account, sizeof line->account, "%s", account);
        snprintf(line->reason, sizeof line->reason, "%s", reason);
    }
    add_wrapping(&line->ns, ns);
    add_wrapping(&line->count, count);
    return 0;
}

static const struct account_row *row_of(enum book book, const char *account)
{
    for (int id = 0; id < ACCOUNTS; id++)
        if (account_rows[id].books & 1u << book && !strcmp(account_rows[id].name, account))
            return &account_rows[id];
    return NULL;
}

static bool has_role(const struct store_books *b, const struct store_book *line, unsigned roles)
{
    const struct account_row *row = row_of(b->book, line->account);
    return row && roles & 1u << row->role;
}

int64_t books_sum(const struct store_books *b, unsigned roles)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < b->count; i++)
        if (has_role(b, &b->list[i], roles))
            add_wrapping(&sum, b->list[i].ns);
    return sum;
}

static int largest_first(const void *left, const void *right)
{
    const struct store_book *a = left, *b = right;
    return (a->ns < b->ns) - (a->ns > b->ns);
}

void books_sort(struct store_books *b)
{
    if (b->count)
        qsort(b->list, b->count, sizeof *b->list, largest_first);
}

void books_deinit(struct store_books *b)
{
    free(b->list);
    *b = (struct store_books){.book = BOOKS};
}

/* ---- the text for people ---- */

static const char *not_drawn(void)
{
    return reason_lists[REASON_LIST_UNSEEN].rows[UNSEEN_NOT_DRAWN].name;
}

enum { AMOUNT = 64 };

static const char *amount_of(const struct store_books *b, int64_t value, char out[AMOUNT])
{
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int at = snprintf(out, AMOUNT, "%s", value < 0 ? "-" : "");
    enum account_unit unit = account_rows[book_rows[b->book].sign].unit;
    if (unit == ACCOUNT_IN_NS)
        units_format_duration(out + at, AMOUNT - (size_t)at, size);
    else if (unit == ACCOUNT_IN_BYTES)
        units_format_bytes(out + at, AMOUNT - (size_t)at, size);
    else
        snprintf(out + at, AMOUNT - (size_t)at, "%" PRIu64, size);
    return out;
}

struct text {
    char *out;
    size_t size, at;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->out + t->at, t->size - t->at, format, args);
    va_end(args);
    t->at = n < 0 || (size_t)n >= t->size - t->at ? t->size - 1 : t->at + (size_t)n;
}

/* Returns what samples of clocks by lot stand for too little; negative = too much. */
static int64_t chance_of(const struct store_books *b)
{
    const struct store_book *line = line_of(b, account_rows[ACCOUNT_UNSEEN].name, not_drawn());
    return b->book == BOOK_CPU && line ? line->ns : 0;
}

/* Appends, for example, ", 2.10 s too much by chance (clocks by lot)". */
static void put_chance(struct text *t, const struct store_books *b)
{
    int64_t chance = chance_of(b);
    uint64_t size = chance < 0 ? 0 - (uint64_t)chance : (uint64_t)chance;
    char amount[AMOUNT];
    if (!chance)
        return;
    units_format_duration(amount, sizeof amount, size);
    put(t, ", %s too %s by chance (clocks by lot)", amount, chance < 0 ? "much" : "little");
}

/* Appends, for example, ", 130 ms unseen (profiler 129 ms, before_arming 756 us)". */
static void put_role(struct text *t, const struct store_books *b, enum account_role role, const char *word)
{
    char amount[AMOUNT];
    bool any = false;
    int64_t chance = role == ACCOUNT_IS_UNSEEN ? chance_of(b) : 0;
    put(t, ", %s %s", amount_of(b, (int64_t)((uint64_t)books_sum(b, 1u << role) - (uint64_t)chance), amount), word);
    for (uint32_t i = 0; i < b->count; i++) {
        const struct store_book *line = &b->list[i];
        if (!line->ns || !*line->reason || !has_role(b, line, 1u << role) || (chance && !strcmp(line->reason, not_drawn())))
            continue;
        put(t, "%s%s %s", any ? ", " : " (", line->reason, amount_of(b, line->ns, amount));
        any = true;
    }
    put(t, "%s", any ? ")" : "");
}

static void put_own_cost(struct text *t, const struct store_books *b)
{
    static const char own[] = "own_cost";
    char amount[AMOUNT];
    for (uint32_t i = 0; i < b->count; i++) {
        size_t n = strlen(b->list[i].account);
        if (n >= sizeof own - 1 && !strcmp(b->list[i].account + n - (sizeof own - 1), own)) {
            units_format_duration(amount, sizeof amount, (uint64_t)b->list[i].ns);
            put(t, "; own cost %s", amount);
        }
    }
}

char *books_text(const struct store_books *b, uint64_t recordings, char *out, size_t size)
{
    struct text t = {out, size, 0};
    char whole[AMOUNT], sampled[AMOUNT];
    *out = 0;
    if (b->book == BOOKS || !b->recordings)
        return out;
    unsigned samples = 1u << ACCOUNT_IS_SEEN | 1u << ACCOUNT_IS_FAILED;
    unsigned parts = samples | 1u << ACCOUNT_IS_LOST | 1u << ACCOUNT_IS_UNSEEN | 1u << ACCOUNT_IS_RESIDUAL;
    bool measured = book_rows[b->book].whole;
    put(&t, "of %s %s, %s were sampled", amount_of(b, books_sum(b, measured ? 1u << ACCOUNT_IS_WHOLE : parts), whole),
        measured ? book_rows[b->book].whole : "that were due", amount_of(b, books_sum(b, samples), sampled));
    if (books_sum(b, 1u << ACCOUNT_IS_FAILED))
        put_role(&t, b, ACCOUNT_IS_FAILED, "of these without a stack");
    put_role(&t, b, ACCOUNT_IS_UNSEEN, "unseen");
    put_chance(&t, b);
    put_role(&t, b, ACCOUNT_IS_LOST, "lost");
    if (measured)
        put_role(&t, b, ACCOUNT_IS_RESIDUAL, "residual");
    put_own_cost(&t, b);
    if (b->recordings < recordings)
        put(&t, "; %" PRIu64 " of %" PRIu64 " recordings do not say", recordings - b->recordings, recordings);
    return out;
}
