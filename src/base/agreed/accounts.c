#include "base/agreed/accounts.h"

#include <string.h>

#define REASON_ROW(symbol, name, meaning, remedy) {name, meaning, remedy},
#define REASON_ROWS(symbol, rows, about)          static const struct reason_row symbol##_ROWS[] = {rows(REASON_ROW){0}};
REASON_LISTS(REASON_ROWS)

#define REASON_LIST(symbol, rows, about) {about, symbol##_ROWS, sizeof symbol##_ROWS / sizeof *symbol##_ROWS - 1},
const struct reason_rows reason_lists[REASON_LIST_COUNT] = {REASON_LISTS(REASON_LIST)};

#define BOOK_ROW(symbol, member, sign, whole, share, count, heading, about, note)                                                          \
    [BOOK_##symbol] = {member, whole, share, count, heading, about, note, ACCOUNT_##sign},
const struct book_row book_rows[BOOKS] = {BOOK_ROWS(BOOK_ROW)};

#define ROLE_ROW(symbol, word, meaning) {word, meaning},
const struct account_role_row account_roles[ACCOUNT_ROLE_COUNT] = {ACCOUNT_ROLES(ROLE_ROW)};

#define ACCOUNT_ROW(symbol, name, books, role, unit, counts, reasons, title, meaning, remedy)                                              \
    [ACCOUNT_##symbol] = {name, counts, title, meaning, remedy, books, reasons, ACCOUNT_IS_##role, ACCOUNT_IN_##unit},
const struct account_row account_rows[ACCOUNTS] = {ACCOUNT_ROWS(ACCOUNT_ROW)};

#define MEMBER_ROW(book, key, symbol, figure)   {BOOK_##book, ACCOUNT_AS_##figure, key, ACCOUNT_##symbol, NULL},
#define SETTING_ROW(book, key, setting, figure) {BOOK_##book, ACCOUNT_AS_##figure, key, ACCOUNTS, setting},
const struct account_member account_members[] = {ACCOUNT_JSON(MEMBER_ROW, SETTING_ROW)};
const unsigned account_member_count = sizeof account_members / sizeof *account_members;

const char *reason_of_frame(const char *name, size_t len)
{
    static const enum reason_list lists[] = {REASON_LIST_OUTCOME, REASON_LIST_TRUNCATION, REASON_LIST_UNNAMED};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (unsigned i = 0; i < reason_lists[lists[l]].count; i++) {
            const struct reason_row *row = &reason_lists[lists[l]].rows[i];
            if (strlen(row->name) == len && !memcmp(row->name, name, len))
                return row->meaning;
        }
    return NULL;
}

bool account_is_level(const char *name)
{
    for (int id = 0; id < ACCOUNTS; id++)
        if (account_rows[id].role == ACCOUNT_IS_LEVEL && !strcmp(account_rows[id].name, name))
            return true;
    return false;
}
