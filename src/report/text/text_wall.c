#include "report/text/text.h"

static void put_account(const struct text *t, const char *account, const char *name, int indent, bool counted, int64_t whole)
{
    const struct profile_book *book = profile_book(t->p, account, "");
    struct text_account a = {.name = name, .indent = indent, .counted = counted};
    if (book) {
        a.ns = book->ns;
        a.count = book->count;
    }
    text_account(t, &a, whole);
}

void text_wall(const struct text *t)
{
    int64_t whole = profile_book(t->p, "wall_time", "")->ns;
    text_heading(t, "Books", "  what Java's threads did with their time, by the wall clock");
    text_account_heads(t, "%");
    put_account(t, "wall_time", "time x threads", 2, false, whole);
    text_account_reasons(t, "wall_running", true, whole);
    text_account_reasons(t, "wall_waiting", true, whole);
    text_account_reasons(t, "wall_failed", true, whole);
    text_account_reasons(t, "wall_lost", true, whole);
    put_account(t, "wall_pending", "wall_pending", 4, true, whole);
    text_account_reasons(t, "wall_unseen", true, whole);
    put_account(t, "wall_residual", "wall_residual", 4, false, whole);
    put_account(t, "wall_guessed", "states that are guesses", 2, true, whole);
    put_account(t, "wall_not_chosen", "not chosen", 2, true, -1);
    put_account(t, "wall_rounds", "longest round, rounds", 2, true, -1);
    put_account(t, "wall_own_cost", "own cost", 2, true, -1);
    fputs("Running and waiting_for_cpu are told apart by the threads' own CPU clocks. Unseen is what rounds stand for of threads\n"
          "that began or ended between two, too much or too little: 0 on average. Virtual threads that are not mounted are no\n"
          "threads here, and are not seen; nor are threads that are not Java's.\n", t->out);
}
