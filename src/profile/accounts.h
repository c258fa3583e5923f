/* Reads the books of a profile, by the table of accounts (base/agreed/accounts.h): whether it has books, and the sums in them. */
#ifndef CANDOR_PROFILE_ACCOUNTS_H
#define CANDOR_PROFILE_ACCOUNTS_H

#include "base/agreed/accounts.h"
#include "profile/profile.h"

struct account_sum {
    int64_t ns; /* in the account's unit */
    uint64_t count;
    uint32_t lines; /* 0 = the recording does not have the account */
};

/* A line of an account that has no reasons. Borrows; NULL when there is none. */
const struct profile_book *accounts_line(const struct profile *p, enum account_id id);
/* The line of an account with that reason, by its place in a list. Borrows; NULL when there is none. */
const struct profile_book *accounts_reason(const struct profile *p, enum account_id id, enum reason_list list, unsigned reason);
bool accounts_is(const struct profile *p, const struct profile_book *line, enum account_id id);
/* Whether the line's time is a present value, not a sum. */
bool accounts_is_level(const struct profile *p, const struct profile_book *line);
/* The sum over all reasons of the account. */
struct account_sum accounts_sum(const struct profile *p, enum account_id id);
/* The sum over all accounts of a book that have one of these roles (bits of enum account_role). */
struct account_sum accounts_sum_roles(const struct profile *p, enum book book, unsigned roles);
bool accounts_has_book(const struct profile *p, enum book book);
/* The book that covers the profile's samples; the profile may lack it. */
enum book accounts_book_of(const struct profile *p);

#endif
