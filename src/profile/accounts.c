#include "profile/accounts.h"

#include "profile/locks.h"

#include <string.h>

const struct profile_book *accounts_line(const struct profile *p, enum account_id id)
{
    return profile_book(p, account_rows[id].name, "");
}

const struct profile_book *accounts_reason(const struct profile *p, enum account_id id, enum reason_list list, unsigned reason)
{
    return profile_book(p, account_rows[id].name, reason_lists[list].rows[reason].name);
}

bool accounts_is(const struct profile *p, const struct profile_book *line, enum account_id id)
{
    return !strcmp(profile_text(p, line->account), account_rows[id].name);
}

bool accounts_is_level(const struct profile *p, const struct profile_book *line)
{
    return account_is_level(profile_text(p, line->account));
}

struct account_sum accounts_sum(const struct profile *p, enum account_id id)
{
    uint64_t ns = 0;
    struct account_sum sum = {0};
    for (uint32_t i = 0; i < p->book_count; i++) {
        if (!accounts_is(p, &p->books[i], id))
            continue;
        ns += (uint64_t)p->books[i].ns;
        sum.count += p->books[i].count;
        sum.lines++;
    }
    sum.ns = (int64_t)ns;
    return sum;
}

struct account_sum accounts_sum_roles(const struct profile *p, enum book book, unsigned roles)
{
    uint64_t ns = 0;
    struct account_sum sum = {0};
    for (int id = 0; id < ACCOUNTS; id++) {
        const struct account_row *row = &account_rows[id];
        if (!(row->books & 1u << book) || !(roles & 1u << row->role))
            continue;
        struct account_sum one = accounts_sum(p, (enum account_id)id);
        ns += (uint64_t)one.ns;
        sum.count += one.count;
        sum.lines += one.lines;
    }
    sum.ns = (int64_t)ns;
    return sum;
}

int64_t accounts_chance(const struct profile *p)
{
    const struct profile_book *line = accounts_reason(p, ACCOUNT_UNSEEN, REASON_LIST_UNSEEN, UNSEEN_NOT_DRAWN);
    return line ? line->ns : 0;
}

int64_t accounts_without_java(const struct profile *p)
{
    const struct profile_book *line = accounts_reason(p, ACCOUNT_WALL_FAILED, REASON_LIST_OUTCOME, OUTCOME_NO_JAVA_STACK);
    return line ? line->ns : 0;
}

int64_t accounts_unseen(const struct profile *p)
{
    return (int64_t)((uint64_t)accounts_sum(p, ACCOUNT_UNSEEN).ns - (uint64_t)accounts_chance(p));
}

bool accounts_has_book(const struct profile *p, enum book book)
{
    for (uint32_t i = 0; i < p->book_count; i++)
        if (accounts_is(p, &p->books[i], book_rows[book].sign))
            return true;
    return false;
}

enum book accounts_book_of(const struct profile *p)
{
    if (p->kind == PROFILE_ALLOC)
        return BOOK_ALLOC;
    if (p->kind == PROFILE_LIVE)
        return BOOK_LIVE;
    if (profile_is_of_locks(p))
        return BOOK_LOCK;
    if (p->kind == PROFILE_WALL && accounts_has_book(p, BOOK_WALL))
        return BOOK_WALL;
    if (accounts_has_book(p, BOOK_EVENTS))
        return BOOK_EVENTS;
    if (accounts_has_book(p, BOOK_CPU))
        return BOOK_CPU;
    if (accounts_has_book(p, BOOK_SAFEPOINT))
        return BOOK_SAFEPOINT;
    return accounts_has_book(p, BOOK_HALT) ? BOOK_HALT : BOOK_CPU;
}
