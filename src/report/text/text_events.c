#include "report/text/text.h"

#include "base/text/utf8.h"

#include <string.h>

enum { NAME_COLUMNS = 32 };

static const struct profile_book *book_of(const struct text *t, const char *account)
{
    return profile_book(t->p, account, "");
}

static void put_line(const struct text *t, const char *name, int indent, int64_t events, int64_t whole, const uint64_t *samples)
{
    char number[32], share[32], count[32] = "";
    text_count(number, sizeof number, events < 0 ? 0 - (uint64_t)events : (uint64_t)events);
    snprintf(share, sizeof share, "%.2f", whole ? (double)events / (double)whole * 100 : 0);
    if (samples)
        text_count(count, sizeof count, *samples);
    fprintf(t->out, "%*s", indent, "");
    utf8_print(t->out, name);
    int fill = NAME_COLUMNS - indent - (int)utf8_columns(name);
    fprintf(t->out, "%*s", fill > 0 ? fill : 0, "");
    fill = 15 - (int)strlen(number);
    fprintf(t->out, "%*s%s  %7s  %11s\n", fill > 1 ? fill : 1, events < 0 ? "-" : "", number, share, count);
}

static void put_reasons(const struct text *t, const char *account, const char *name, int64_t whole)
{
    const struct profile *p = t->p;
    int64_t sum = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < p->book_count; i++)
        if (!strcmp(profile_text(p, p->books[i].account), account)) {
            sum = (int64_t)((uint64_t)sum + (uint64_t)p->books[i].ns);
            count += p->books[i].count;
        }
    put_line(t, name, 4, sum, whole, &count);
    for (uint32_t i = 0; i < p->book_count; i++)
        if (!strcmp(profile_text(p, p->books[i].account), account))
            put_line(t, profile_text(p, p->books[i].reason), 6, p->books[i].ns, whole, &p->books[i].count);
}

void text_event_books(const struct text *t)
{
    const struct profile_book *all = book_of(t, "events"), *complete = book_of(t, "events_complete");
    const struct profile_book *truncated = book_of(t, "events_truncated"), *residual = book_of(t, "events_residual");
    const struct profile_book *enabled = book_of(t, "events_enabled_time"), *running = book_of(t, "events_running_time");
    const uint64_t none = 0;
    char part[32], whole[32];
    text_heading(t, "Books", "  what became of the events that the kernel counted");
    text_begin(t, TEXT_FAINT);
    fprintf(t->out, "  %-*s%15s  %7s  %11s\n", NAME_COLUMNS - 2, "account", "events", "%", "samples");
    text_end(t, TEXT_FAINT);
    put_line(t, "counted", 2, all->ns, all->ns, NULL);
    put_line(t, "complete", 4, complete ? complete->ns : 0, all->ns, complete ? &complete->count : &none);
    put_line(t, "truncated", 4, truncated ? truncated->ns : 0, all->ns, truncated ? &truncated->count : &none);
    put_reasons(t, "events_failed", "failed", all->ns);
    put_reasons(t, "events_lost", "lost", all->ns);
    put_line(t, "residual", 4, residual ? residual->ns : 0, all->ns, NULL);
    if (enabled && running && running->ns < enabled->ns)
        fprintf(t->out, "The processor counted for %s of %s, by turns with other events: the figures are scaled up.\n",
                text_time(part, sizeof part, running->ns), text_time(whole, sizeof whole, enabled->ns));
}
