/* Books in the store (base/agreed/accounts.h): those of a recording by minute on their way in, and their sum on its way out. */
#ifndef CANDOR_STORE_BOOKS_H
#define CANDOR_STORE_BOOKS_H

#include "base/agreed/accounts.h"
#include "profile/profile.h"
#include "store/catalogue/catalogue.h"

enum { STORE_BOOK_TEXT = 80, STORE_BOOK_LINES = 512 };

/* The lines of the profile's books by minute, as the catalog takes them: sorted by minute, one for each minute, account and reason. It
 * leaves out lines of accounts that this version does not know; minutes before or after these limits count as the limit. Texts are
 * borrowed from the profile; free(*lines). 0 or -ENOMEM. */
int books_of_recording(const struct profile *p, int64_t oldest, int64_t newest, struct catalogue_book **lines, uint32_t *n);

struct store_book {
    char account[STORE_BOOK_TEXT], reason[STORE_BOOK_TEXT];
    int64_t ns, count;
};

/* The sum of the books of several recordings, of the book that covers one type of samples. */
struct store_books {
    enum book book;      /* BOOKS = samples of this type have none */
    uint64_t recordings; /* how many have such a book */
    int64_t from, to;    /* seconds since the epoch: whole minutes; to is excluded */
    struct store_book *list;
    uint32_t count, cap;
};

/* The book that covers samples of the type ("cpu:ns"); BOOKS = none does. */
enum book books_of_type(const char *type);
/* The books (bits of enum book) that have an account with that name. */
unsigned books_with(const char *account);
/* Whether the account is the sign of the book. */
bool books_is_sign(enum book book, const char *account);
/* Adds to the line of that account and reason. Sums wrap. 0, or -ENOMEM; lines beyond STORE_BOOK_LINES are added to their account's line
 * without a reason. */
int books_add(struct store_books *b, const char *account, const char *reason, int64_t ns, int64_t count);
/* The sum over all accounts of the book that have one of these roles (bits of enum account_role). */
int64_t books_sum(const struct store_books *b, unsigned roles);
/* The largest lines first. */
void books_sort(struct store_books *b);
/* One line for people: "of 20.2 s CPU time, 20.0 s were sampled; 130 ms unseen (profiler 129 ms, before_arming 756 us), 0 lost, 17.9 ms
 * residual; own cost 181 ms"; "" if there are no books. recordings: how many there are with samples of the type. Returns out. */
char *books_text(const struct store_books *b, uint64_t recordings, char *out, size_t size);
void books_deinit(struct store_books *b);

#endif
