/* Sums up the books of the recordings that a query selects. */
#include "store/query/gather.h"

#include <errno.h>
#include <string.h>

struct selection {
    const struct gather *g;
    struct store_books *books;
    struct map recordings; /* recordings that have the book */
    uint64_t others;       /* the same of recordings whose rows are deleted */
};

enum { IN_BOOK = 1, IS_SIGN = 2 }; /* marks of accounts */

static bool is_selected(void *context, uint64_t labelset)
{
    const struct selection *l = context;
    return map_find(&l->g->labelsets, labelset) != NULL;
}

static unsigned mark_account(void *context, const char *account)
{
    const struct selection *l = context;
    if (!(books_with(account) & 1u << l->books->book))
        return 0;
    return books_is_sign(l->books->book, account) ? IN_BOOK | IS_SIGN : IN_BOOK;
}

static int take_line(void *context, const struct catalogue_book_hit *hit)
{
    struct selection *l = context;
    bool added;
    if (hit->recordings)
        l->others += hit->mark & IS_SIGN ? hit->recordings : 0;
    else if (hit->mark & IS_SIGN && hit->recording && !map_add(&l->recordings, hit->recording, &added))
        return -ENOMEM;
    return books_add(l->books, hit->line.account, hit->line.reason, hit->line.ns, hit->line.count);
}

int select_books(const struct gather *g, struct store *s, const struct store_query *q, struct store_result *r, struct error *e)
{
    struct selection l = {.g = g, .books = &r->books};
    const struct catalogue_book_visitor visitor = {is_selected, mark_account, take_line, &l};
    struct store_asking asking = {s, q};
    struct catalogue_patience patience = store_patience(&asking);
    const char *type = q->type && *q->type ? q->type : r->type; /* a recording may have books without samples */
    r->books = (struct store_books){.book = books_of_type(type), .from = q->from / 60 * 60, .to = (q->to + 59) / 60 * 60};
    if (!q->books || r->books.book == BOOKS)
        return 0;
    int rc = catalogue_books(s->catalogue, q->from, q->to, &patience, &visitor, e);
    r->books.recordings = l.recordings.count + l.others;
    books_sort(&r->books);
    map_deinit(&l.recordings);
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}
