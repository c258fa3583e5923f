#include "report/text/text.h"

#include "base/text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 32 };

void text_account_heads(const struct text *t, const char *share)
{
    text_begin(t, TEXT_FAINT);
    fprintf(t->out, "  %-*s%10s  %7s  %11s\n", NAME_COLUMNS - 2, "account", "time", share, "count");
    text_end(t, TEXT_FAINT);
}

void text_account(const struct text *t, const struct text_account *a, int64_t whole)
{
    char time[32], count[32] = "", share[16] = "";
    if (whole >= 0)
        snprintf(share, sizeof share, "%.2f", whole ? (double)a->ns / (double)whole * 100 : 0);
    if (a->counted)
        text_count(count, sizeof count, a->count);
    fprintf(t->out, "%*s", a->indent, "");
    utf8_print(t->out, a->name);
    int fill = NAME_COLUMNS - a->indent - (int)utf8_columns(a->name);
    fprintf(t->out, "%*s%10s", fill > 1 ? fill : 1, "", a->timeless ? "" : text_time(time, sizeof time, a->ns));
    if (*share || *count)
        fprintf(t->out, "  %7s", share);
    if (*count)
        fprintf(t->out, "  %11s", count);
    fputc('\n', t->out);
}

static int compare_lines(const void *left, const void *right)
{
    const struct profile_book *const *a = left, *const *b = right;
    return ((*a)->ns < (*b)->ns) - ((*a)->ns > (*b)->ns);
}

bool text_has_account(const struct text *t, const char *account)
{
    bool has = false;
    for (uint32_t i = 0; i < t->p->book_count; i++)
        has |= !strcmp(profile_text(t->p, t->p->books[i].account), account);
    return has;
}

void text_account_reasons(const struct text *t, const char *account, bool counted, int64_t whole)
{
    const struct profile *p = t->p;
    struct text_account sum = {.name = account, .indent = 4, .counted = counted};
    const struct profile_book **list = calloc(p->book_count, sizeof *list);
    size_t n = 0;
    for (uint32_t i = 0; list && i < p->book_count; i++)
        if (!strcmp(profile_text(p, p->books[i].account), account))
            list[n++] = &p->books[i];
    for (size_t i = 0; i < n; i++) {
        sum.ns = (int64_t)((uint64_t)sum.ns + (uint64_t)list[i]->ns);
        sum.count += list[i]->count;
    }
    text_account(t, &sum, whole);
    if (n)
        qsort(list, n, sizeof *list, compare_lines);
    for (size_t i = 0; i < n; i++) {
        struct text_account l = {.name = profile_text(p, list[i]->reason),
                                 .indent = 6,
                                 .ns = list[i]->ns,
                                 .count = list[i]->count,
                                 .counted = counted};
        if (l.ns || l.count)
            text_account(t, &l, whole);
    }
    free(list);
}
