/* Key metrics from the books of a recording, which its profile has by minute. */
#include "profile/accounts.h"
#include "server/measure/measure.h"

#include <string.h>

static const struct source {
    enum key_metric metric;
    enum book book; /* the recording must have it, because books share names of accounts */
    enum account_id account;
    int state; /* enum jfr_thread_state: the reason; -1 = all reasons are added up */
    bool counts;
} sources[] = {
    {KEY_CPU, BOOK_CPU, ACCOUNT_CPU, -1, false},
    {KEY_OWN_COST_SHARE, BOOK_CPU, ACCOUNT_OWN_COST, -1, false},
    {KEY_UNSEEN_SHARE, BOOK_CPU, ACCOUNT_UNSEEN, -1, false},
    {KEY_LOST_SHARE, BOOK_CPU, ACCOUNT_LOST, -1, false},
    {KEY_FAILED_SHARE, BOOK_CPU, ACCOUNT_FAILED, -1, false},
    {KEY_TRUNCATED_SHARE, BOOK_CPU, ACCOUNT_TRUNCATED, -1, false},
    {KEY_SWITCHES, BOOK_CPU, ACCOUNT_SWITCHES, -1, true},
    {KEY_THREADS, BOOK_WALL, ACCOUNT_WALL_TIME, -1, false},
    {KEY_CPU_QUEUE, BOOK_WALL, ACCOUNT_WALL_WAITING, JFR_STATE_READY, false},
    {KEY_IO_WAIT, BOOK_WALL, ACCOUNT_WALL_WAITING, JFR_STATE_IO, false},
};

/* Whether the line is what clocks by lot show too much or too little: other samples stand for that time. */
static bool is_chance(enum account_id account, const char *reason)
{
    return account == ACCOUNT_UNSEEN && !strcmp(reason, reason_lists[REASON_LIST_UNSEEN].rows[UNSEEN_NOT_DRAWN].name);
}

static void add_account(struct minutes *m, const struct profile *p, const struct source *from)
{
    const char *account = account_rows[from->account].name;
    for (uint32_t i = 0; i < p->book_minute_count; i++) {
        const struct profile_book_minute *line = &p->book_minutes[i];
        if (strcmp(profile_text(p, line->account), account) != 0 || is_chance(from->account, profile_text(p, line->reason)))
            continue;
        if (from->state < 0 || !strcmp(profile_text(p, line->reason), jfr_thread_state_names[from->state]))
            minutes_add_minute(m, from->metric, line->minute, from->counts ? line->count : line->ns);
    }
}

void measure_books(struct minutes *m, const struct profile *p)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const struct source *from = &sources[i];
        if (!accounts_has_book(p, from->book) || (from->counts && !accounts_line(p, from->account)))
            continue;
        minutes_know(m, from->metric);
        add_account(m, p, from);
    }
}
