#include "report/text/text.h"

static void put_line(const struct text *t, const char *account, const char *name, int indent, bool timed)
{
    const struct profile_book *book = profile_book(t->p, account, "");
    struct text_account a = {.name = name, .indent = indent, .counted = true, .timeless = !timed};
    if (!book)
        return;
    a.ns = timed ? book->ns : 0;
    a.count = book->count;
    text_account(t, &a, -1);
}

void text_halt_books(const struct text *t)
{
    if (!profile_book(t->p, "halt_gc", ""))
        return;
    text_heading(t, "Halts", "  of all threads; 'candor report --kind halt' shows each");
    text_account_heads(t, "");
    put_line(t, "halt_gc", "GC pauses", 2, true);
    if (text_has_account(t, "halt_lost"))
        text_account_reasons(t, "halt_lost", true, -1);
    put_line(t, "halt_gc_counted", "collections the JVM counted", 2, false);
    put_line(t, "halt_safepoints", "safepoints the JVM counted", 2, true);
    put_line(t, "halt_synchronizing", "until all threads stood", 4, true);
    const char *counters = profile_setting(t->p, "halt_counters");
    if (counters && *counters == 'n')
        fputs("The JVM keeps no counters (-XX:-UsePerfData): causes, collectors and other safepoints than these pauses are unknown.\n",
              t->out);
}
