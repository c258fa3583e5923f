#include "profile/check.h"

#include "base/text/number.h"
#include "base/text/units.h"
#include "profile/accounts.h"

#include <math.h>
#include <stdio.h>

/* The tolerance of sums: the writer rounds each line to whole nanoseconds. */
static const double close_ns = 1000;
/* The last samples may be later than the last books, by at most a second of a few threads. Therefore the tolerance is generous. It is
 * far below the effect of a lost piece of the file. */
static const double missing_share = 0.01, missing_intervals = 20;

enum { TEXT_BYTES = 48 };

/* Formats a figure of a book with its unit. */
static const char *figure(char out[TEXT_BYTES], enum account_unit unit, double value)
{
    uint64_t n = value < 0 ? 0 : (uint64_t)fmin(value, 9e18);
    if (unit == ACCOUNT_IN_NS)
        return units_format_duration(out, TEXT_BYTES, n);
    if (unit == ACCOUNT_IN_BYTES)
        return units_format_bytes(out, TEXT_BYTES, n);
    snprintf(out, TEXT_BYTES, "%.0f events", value);
    return out;
}

static double sum_of(const struct profile *p, enum book book, unsigned roles)
{
    return (double)accounts_sum_roles(p, book, roles).ns;
}

static int check_closes(struct profile *p, enum book book)
{
    const unsigned whole = 1u << ACCOUNT_IS_WHOLE, parts = (1u << ACCOUNT_IS_WITHIN) - 1 - whole;
    const struct account_row *sign = &account_rows[book_rows[book].sign];
    char text[TEXT_BYTES];
    double gap = fabs(sum_of(p, book, whole) - sum_of(p, book, parts));
    if (sign->role != ACCOUNT_IS_WHOLE || gap <= close_ns)
        return 0;
    return profile_add_problem(p, "error", "the books do not balance: the accounts differ from the %s by %s", book_rows[book].whole,
                               figure(text, sign->unit, gap));
}

/* Returns the samples' weight according to the books: samples of the profile's kind, with or without a stack. */
static double weight_by_books(const struct profile *p, enum book book)
{
    if (book == BOOK_SAFEPOINT)
        return (double)accounts_sum(p, p->kind == PROFILE_WAITING ? ACCOUNT_WAITING : ACCOUNT_RUNNING).ns;
    return sum_of(p, book, 1u << ACCOUNT_IS_SEEN | 1u << ACCOUNT_IS_FAILED);
}

/* Returns the interval between two samples, in the unit of the book. */
static double interval_of(const struct profile *p, enum book book, double said)
{
    const char *events = profile_setting(p, "event_interval");
    if (book == BOOK_EVENTS)
        return events ? (double)number_or_zero(events) : 1;
    if (book == BOOK_ALLOC)
        return said / fmax(1, (double)accounts_sum(p, ACCOUNT_ALLOC_BYTES).count);
    return (double)p->interval_ns;
}

/* Compares the weight of the samples in the file with the weight in the books. */
static int check_weight(struct profile *p, enum book book)
{
    char a[TEXT_BYTES], b[TEXT_BYTES];
    const struct account_row *sign = &account_rows[book_rows[book].sign];
    double held = (double)p->weight, said = weight_by_books(p, book);
    double whole = sign->role == ACCOUNT_IS_WHOLE ? sum_of(p, book, 1u << ACCOUNT_IS_WHOLE) : said;
    if (fabs(held - said) <= fmax(missing_share * whole, missing_intervals * interval_of(p, book, said)))
        return 0;
    return profile_add_problem(p, "error", "the file's samples add up to %s, but the books to %s: the file is incomplete",
                               figure(a, sign->unit, held), figure(b, sign->unit, said));
}

int profile_check(struct profile *p)
{
    enum book book = accounts_book_of(p);
    bool of_running = p->kind == PROFILE_RUNNING || (book != BOOK_CPU && book != BOOK_EVENTS);
    if (p->kind == PROFILE_HOLDER || book == BOOK_HALT || !accounts_has_book(p, book))
        return 0;
    if (book == BOOK_LIVE) /* the books are later than the last set that was written */
        return 0;
    if (book == BOOK_SAFEPOINT && !profile_is_safepoint(p)) /* the profile has better samples from the same file */
        return 0;
    if (book == BOOK_ALLOC && !accounts_sum(p, ACCOUNT_ALLOC_BYTES).count)
        return 0;
    int rc = check_closes(p, book);
    return rc || !of_running ? rc : check_weight(p, book);
}
