#include "report/text/text.h"

static void put_account(const struct text *t, const char *account, const char *name, int64_t whole)
{
    const struct profile_book *book = profile_book(t->p, account, "");
    struct text_account a = {.name = name, .indent = 2, .counted = true};
    if (book) {
        a.ns = book->ns;
        a.count = book->count;
    }
    text_account(t, &a, whole);
}

void text_thread_time(const struct text *t)
{
    int64_t whole = profile_book(t->p, "thread_time", "")->ns;
    text_heading(t, "Books", "  where the wall-clock time of Java's threads went");
    text_account_heads(t, "%");
    put_account(t, "thread_time", "time x threads", whole);
    text_account_reasons(t, "running", true, whole);
    text_account_reasons(t, "waiting", true, whole);
    text_account_reasons(t, "failed", true, whole);
    text_account_reasons(t, "lost", true, whole);
    put_account(t, "not_chosen", "not chosen", whole);
    put_account(t, "stopped", "all stopped for samples", -1);
    put_account(t, "own_cost", "own cost", -1);
    fputs("These books do not balance CPU time, and cannot: a running thread is one that the JVM calls runnable. It may wait for\n"
          "a processor, or in a system call. Threads that are not Java's are not seen, nor are virtual threads.\n", t->out);
}
