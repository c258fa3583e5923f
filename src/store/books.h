/* The books of recordings (base/agreed/accounts.h) in the store: splits those of a recording by minute when it is added, and sums up those
 * of several recordings for an answer. */
#ifndef CANDOR_STORE_BOOKS_H
#define CANDOR_STORE_BOOKS_H

#include "base/agreed/accounts.h"
#include "profile/profile.h"
#include "store/catalogue/catalogue.h"

enum { STORE_BOOK_TEXT = 80, STORE_BOOK_LINES = 512 };

/* Makes the lines of the profile's books, one for each minute, account and reason, sorted by minute. Leaves out lines of accounts that this
 * version does not know. A minute before `oldest` or after `newest` counts as that limit. The texts in the lines are borrowed from the
 * profile. The caller calls free(*lines). Returns 0 or -ENOMEM. */
int books_of_recording(const struct profile *p, int64_t oldest, int64_t newest, struct catalogue_book **lines, uint32_t *n);

struct store_book {
    char account[STORE_BOOK_TEXT], reason[STORE_BOOK_TEXT];
    int64_t ns, count;
};

/* The sum of the books of several recordings. It is the sum of one book: the book that covers the type of samples of a query. */
struct store_books {
    enum book book;      /* BOOKS = no book covers this type */
    uint64_t recordings; /* the number of recordings that have such a book */
    int64_t from, to;    /* seconds since the epoch, in whole minutes; `to` is excluded */
    struct store_book *list;
    uint32_t count, cap;
};

/* Returns the book that covers samples of the type, for example "cpu:ns". Returns BOOKS if no book does. */
enum book books_of_type(const char *type);
/* Returns the books that have an account with that name, as a set of bits (1 << enum book). */
unsigned books_with(const char *account);
/* Whether the account is the one by which the book is recognized. */
bool books_is_sign(enum book book, const char *account);
/* Adds an amount to the line of that account and reason. Sums wrap. If there are STORE_BOOK_LINES lines already, adds it to the account's
 * line without a reason. Returns 0 or -ENOMEM. */
int books_add(struct store_books *b, const char *account, const char *reason, int64_t ns, int64_t count);
/* Returns the sum over all accounts of the book that have one of these roles (a set of bits, 1 << enum account_role). */
int64_t books_sum(const struct store_books *b, unsigned roles);
/* Sorts the lines, the largest first. */
void books_sort(struct store_books *b);
/* Writes the books as one line for people, for example: "of 20.2 s CPU time, 20.0 s were sampled; 130 ms unseen (profiler 129 ms,
 * before_arming 756 us), 0 lost, 17.9 ms residual; own cost 181 ms". The line is "" if there are no books. recordings: the number of
 * recordings that have samples of the type. Returns out. */
char *books_text(const struct store_books *b, uint64_t recordings, char *out, size_t size);
void books_deinit(struct store_books *b);

#endif
