/* Writes the books of an answer as JSON: what share of the time, or of the bytes, its samples stand for, and why they lack the rest. */
#include "server/request/question.h"

#include <stdio.h>
#include <string.h>

const char question_rounded_text[] = "weights of single samples are rounded (--weights rounded), sums of recordings are exact";

enum { TEXT = 1200 };

static const struct account_row *row_of(enum book book, const char *account)
{
    for (int id = 0; id < ACCOUNTS; id++)
        if (account_rows[id].books & 1u << book && !strcmp(account_rows[id].name, account))
            return &account_rows[id];
    return NULL;
}

static void put_line(struct jsonw *j, const struct account_row *row, const struct store_book *line)
{
    jsonw_object(j);
    jsonw_member_text(j, "account", line->account);
    jsonw_member_text(j, "reason", line->reason);
    jsonw_member_text(j, "role", account_roles[row->role].word);
    jsonw_key(j, "amount");
    jsonw_int(j, line->ns);
    jsonw_key(j, "count");
    jsonw_int(j, line->count);
    jsonw_object_end(j);
}

void question_put_books(struct jsonw *j, const struct store_result *r)
{
    const struct store_books *b = &r->books;
    char text[TEXT];
    jsonw_key(j, "books");
    if (b->book == BOOKS || !b->recordings) {
        jsonw_null(j);
        return;
    }
    jsonw_object(j);
    jsonw_member_uint(j, "recordings", b->recordings);
    jsonw_key(j, "from");
    jsonw_int(j, b->from);
    jsonw_key(j, "to");
    jsonw_int(j, b->to);
    books_text(b, r->recordings, text, sizeof text);
    if (r->missing.rounded_since)
        snprintf(text + strlen(text), sizeof text - strlen(text), "; %s", question_rounded_text);
    jsonw_member_text(j, "text", text);
    jsonw_key(j, "lines");
    jsonw_array(j);
    for (uint32_t i = 0; i < b->count; i++) {
        const struct account_row *row = row_of(b->book, b->list[i].account);
        if (row)
            put_line(j, row, &b->list[i]);
    }
    jsonw_array_end(j);
    jsonw_object_end(j);
}
