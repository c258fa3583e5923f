/* Reads the books of a profile with the help of the table of accounts (base/agreed/accounts.h). The functions say whether the profile
 * has books, and add up their lines. */
#ifndef CANDOR_PROFILE_ACCOUNTS_H
#define CANDOR_PROFILE_ACCOUNTS_H

#include "base/agreed/accounts.h"
#include "profile/profile.h"

struct account_sum {
    int64_t ns; /* in the account's unit */
    uint64_t count;
    uint32_t lines; /* lines of the books that were added up; 0 = the recording does not have the account */
};

/* Returns the line of an account that has no reasons. The caller borrows it; NULL if there is none. */
const struct profile_book *accounts_line(const struct profile *p, enum account_id id);
/* Returns the line of an account with a certain reason; `reason` is the reason's place in `list`. The caller borrows it; NULL if there
 * is none. */
const struct profile_book *accounts_reason(const struct profile *p, enum account_id id, enum reason_list list, unsigned reason);
bool accounts_is(const struct profile *p, const struct profile_book *line, enum account_id id);
/* Whether the line's time is a current value, not a sum. */
bool accounts_is_level(const struct profile *p, const struct profile_book *line);
/* Adds up the account's lines over all reasons. */
struct account_sum accounts_sum(const struct profile *p, enum account_id id);
/* Adds up the lines of all accounts of a book that have one of these roles (bits of enum account_role). */
struct account_sum accounts_sum_roles(const struct profile *p, enum book book, unsigned roles);
/* Returns the account unseen without accounts_chance: CPU time that no sample stands for. */
int64_t accounts_unseen(const struct profile *p);
/* Returns by how much the samples of clocks by lot stand for less CPU time than their threads used (the reason not_drawn). It is chance:
 * negative = they stand for more. */
int64_t accounts_chance(const struct profile *p);
/* Returns the wall-clock time of threads without Java frames, which lack a stack, but not because a walk failed. */
int64_t accounts_without_java(const struct profile *p);
bool accounts_has_book(const struct profile *p, enum book book);
/* Returns the book that covers the profile's samples. The profile may lack this book. */
enum book accounts_book_of(const struct profile *p);

#endif
