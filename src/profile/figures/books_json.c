#include "profile/figures/books_json.h"

#include "base/text/number.h"
#include "profile/accounts.h"

enum figure { TIME, COUNT };

static void put_figure(struct jsonw *j, int64_t ns, uint64_t count, enum figure figure)
{
    if (figure == TIME)
        jsonw_int(j, ns);
    else
        jsonw_uint(j, count);
}

static void put_reasons(struct jsonw *j, const struct profile *p, enum account_id id, enum figure figure)
{
    jsonw_object(j);
    for (uint32_t i = 0; i < p->book_count; i++) {
        const struct profile_book *line = &p->books[i];
        if (!line->reason || !accounts_is(p, line, id))
            continue;
        jsonw_key(j, profile_text(p, line->reason));
        put_figure(j, line->ns, line->count, figure);
    }
    jsonw_object_end(j);
}

static void put_pair(struct jsonw *j, const struct profile_book *line)
{
    jsonw_object(j);
    jsonw_key(j, "bytes");
    jsonw_int(j, line ? line->ns : 0);
    jsonw_member_uint(j, "objects", line ? line->count : 0);
    jsonw_object_end(j);
}

static void put_account(struct jsonw *j, const struct profile *p, const struct account_member *m)
{
    enum figure figure = m->figure == ACCOUNT_AS_TIME ? TIME : COUNT;
    const struct profile_book *line = accounts_line(p, m->account);
    if (account_rows[m->account].reasons)
        put_reasons(j, p, m->account, figure);
    else if (m->figure == ACCOUNT_AS_PAIR)
        put_pair(j, line);
    else if (m->figure == ACCOUNT_AS_COUNT_OR_NULL && !line)
        jsonw_null(j);
    else
        put_figure(j, line ? line->ns : 0, line ? line->count : 0, figure);
}

static void put_setting(struct jsonw *j, const struct profile *p, const struct account_member *m)
{
    const char *value = profile_setting(p, m->setting);
    if (m->figure == ACCOUNT_AS_TEXT)
        jsonw_text(j, value ? value : "");
    else
        jsonw_uint(j, number_or_zero(value));
}

void books_json_members(struct jsonw *j, const struct profile *p, enum book book)
{
    for (unsigned i = 0; i < account_member_count; i++) {
        const struct account_member *m = &account_members[i];
        if (m->book != book)
            continue;
        jsonw_key(j, m->key);
        if (m->setting)
            put_setting(j, p, m);
        else
            put_account(j, p, m);
    }
}

/* Whether the profile has a book. Recordings of other profilers may have accounts of CPU time without the account that measures it. */
static bool has_book(const struct profile *p, enum book book)
{
    if (book != BOOK_CPU || accounts_has_book(p, BOOK_CPU))
        return accounts_has_book(p, book);
    bool are_others = false;
    for (int other = 0; other < BOOKS; other++)
        are_others |= accounts_has_book(p, (enum book)other);
    return p->book_count && !are_others;
}

void books_json(struct jsonw *j, const struct profile *p, enum book book)
{
    if (!has_book(p, book)) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    books_json_members(j, p, book);
    jsonw_object_end(j);
}

static void put_keys(struct jsonw *j, enum book book, int account)
{
    jsonw_key(j, "keys");
    jsonw_array(j);
    for (int times = 1; times >= 0; times--)
        for (unsigned i = 0; i < account_member_count; i++) {
            const struct account_member *m = &account_members[i];
            bool is_time = m->figure == ACCOUNT_AS_TIME || m->figure == ACCOUNT_AS_PAIR;
            if (m->book == book && !m->setting && (int)m->account == account && is_time == (times == 1))
                jsonw_text(j, m->key);
        }
    jsonw_array_end(j);
}

void books_json_accounts(struct jsonw *j, enum book book)
{
    static const char *const units[] = {
        [ACCOUNT_IN_NONE] = "", [ACCOUNT_IN_NS] = "ns", [ACCOUNT_IN_BYTES] = "bytes", [ACCOUNT_IN_EVENTS] = "events"};
    jsonw_array(j);
    for (int id = 0; id < ACCOUNTS; id++) {
        const struct account_row *row = &account_rows[id];
        if (!(row->books & 1u << book) || !row->title)
            continue;
        jsonw_object(j);
        jsonw_member_text(j, "name", row->name);
        jsonw_member_text(j, "role", account_roles[row->role].word);
        jsonw_member_text(j, "unit", units[row->unit]);
        jsonw_member_text(j, "title", row->title);
        jsonw_member_text(j, "meaning", row->meaning);
        put_keys(j, book, id);
        jsonw_object_end(j);
    }
    jsonw_array_end(j);
}
