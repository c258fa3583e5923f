/* Prints what happened to code that was compiled before the agent was loaded (healing). This is printed below the books, because it is
 * not an account of the CPU time. */
#include "report/text/text.h"

#include "profile/accounts.h"

static struct account_sum sum(const struct text *t, enum account_id id)
{
    return accounts_sum(t->p, id);
}

static void put_steps(const struct text *t)
{
    struct account_sum pauses = sum(t, ACCOUNT_HEAL_PAUSES);
    char stopped[32], compiled[32];
    fprintf(t->out,
            "\nHealed: code compiled before the agent was loaded was discarded in %llu step%s, and compiled again; %llu of its\nmethods "
            "had samples. All threads were stopped for %s in all, and the compilers took about %s more than usual.\n",
            (unsigned long long)pauses.count, pauses.count == 1 ? "" : "s", (unsigned long long)sum(t, ACCOUNT_HEAL_METHODS).count,
            text_time(stopped, sizeof stopped, pauses.ns), text_time(compiled, sizeof compiled, sum(t, ACCOUNT_HEAL_CPU).ns));
}

static void put_kept(const struct text *t)
{
    const struct reason_rows *reasons = &reason_lists[REASON_LIST_HEAL_KEEP];
    for (unsigned i = 0; i < reasons->count; i++) {
        const struct profile_book *kept = accounts_reason(t->p, ACCOUNT_HEAL_KEPT, REASON_LIST_HEAL_KEEP, i);
        const struct reason_row *why = &reasons->rows[i];
        char time[32];
        if (kept && kept->count)
            fprintf(t->out, "  left as they are: %llu methods with %s: %s%s%s\n", (unsigned long long)kept->count,
                    text_time(time, sizeof time, kept->ns), why->meaning, *why->remedy ? "; remedy: " : "", why->remedy);
    }
}

void text_healing(const struct text *t)
{
    struct account_sum left = sum(t, ACCOUNT_HEAL_LEFT), of = sum(t, ACCOUNT_HEAL_LEFT_OF);
    if (sum(t, ACCOUNT_HEAL_PAUSES).count)
        put_steps(t);
    else if (sum(t, ACCOUNT_HEAL_KEPT).count)
        fputs("\nNot healed: code compiled before the agent was loaded has approximate lines.\n", t->out);
    else
        return;
    if (of.ns > 0)
        fprintf(t->out, "  still approximate at the end: %.1f %% of the sampled time\n", 100.0 * (double)left.ns / (double)of.ns);
    put_kept(t);
}
