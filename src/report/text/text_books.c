#include "report/text/text.h"

#include "base/text/utf8.h"
#include "profile/accounts.h"

#include <math.h>
#include <string.h>

static void put_heading(const struct text *t, enum book book)
{
    char about[128];
    snprintf(about, sizeof about, "  %s", book_rows[book].about);
    text_heading(t, book_rows[book].heading, about);
}

static void put_turns(const struct text *t)
{
    const struct profile_book *enabled = accounts_line(t->p, ACCOUNT_EVENTS_ENABLED);
    const struct profile_book *running = accounts_line(t->p, ACCOUNT_EVENTS_RUNNING);
    char part[32], whole[32];
    if (enabled && running && running->ns < enabled->ns)
        fprintf(t->out, "The processor counted this event for %s of %s, taking turns with other events: the figures are scaled up.\n",
                text_time(part, sizeof part, running->ns), text_time(whole, sizeof whole, enabled->ns));
}

/* Shares of the whole, in percent. Books with less than SEEN_LEAST in samples with a stack, or with more than MISSING_MOST that failed,
 * is lost, or is unexplained, are shown account by account, because their reader should know why. */
#define SEEN_LEAST   95.0
#define MISSING_MOST 1.0
#define CHANCE_MOST  5.0 /* the same for what clocks by lot show too much, or too little; from CHANCE_TOLD on it is shown at all */
#define CHANCE_TOLD  0.05

static double share_of(const struct text *t, enum book book, enum account_role role, double whole)
{
    return 100 * (double)accounts_sum_roles(t->p, book, 1u << role).ns / whole;
}

/* Returns the part of the whole by which samples stand for too little, by chance; negative = for too much. */
static double chance_of(const struct text *t, enum book book, double whole)
{
    int64_t chance = book == BOOK_CPU ? accounts_chance(t->p) : book == BOOK_WALL ? accounts_sum(t->p, ACCOUNT_WALL_UNSEEN).ns : 0;
    return 100 * (double)chance / whole;
}

/* Returns the percentage to print: not "-0.0". */
static double plain(double percent)
{
    return fabs(percent) < 0.05 ? 0 : percent;
}

/* Prints the books in one line, if nothing in them needs an explanation. Returns whether it did. */
static bool put_in_short(const struct text *t, enum book book)
{
    const struct account_row *sign = &account_rows[book_rows[book].sign];
    double whole = (double)accounts_sum(t->p, book_rows[book].sign).ns;
    if (t->o->all_books || sign->role != ACCOUNT_IS_WHOLE || sign->unit != ACCOUNT_IN_NS || whole <= 0)
        return false;
    double no_java = book == BOOK_WALL ? 100 * (double)accounts_without_java(t->p) / whole : 0;
    double seen = share_of(t, book, ACCOUNT_IS_SEEN, whole), failed = share_of(t, book, ACCOUNT_IS_FAILED, whole) - no_java;
    double lost = share_of(t, book, ACCOUNT_IS_LOST, whole);
    double residual = share_of(t, book, ACCOUNT_IS_RESIDUAL, whole), chance = chance_of(t, book, whole);
    double unseen = share_of(t, book, ACCOUNT_IS_UNSEEN, whole) - chance;
    if (seen + no_java + chance < SEEN_LEAST || fabs(chance) > CHANCE_MOST || failed + lost > MISSING_MOST || fabs(residual) > MISSING_MOST)
        return false;
    char about[400], by_chance[96] = "", without[80] = "";
    if (fabs(chance) >= CHANCE_TOLD)
        snprintf(by_chance, sizeof by_chance, " (%.1f %% too %s, by chance: %s)", fabs(chance), chance < 0 ? "much" : "little",
                 book == BOOK_CPU ? "clocks by lot" : "threads that began or ended");
    if (no_java >= CHANCE_TOLD)
        snprintf(without, sizeof without, ", %.1f %% in threads of the JVM without Java frames", no_java);
    snprintf(about, sizeof about,
             "  %.1f %% of the %s is in samples with a stack%s%s; failed %.1f %%, lost %.1f %%, unseen %.1f %%, residual %.1f %% "
             "(all: --sections books)",
             seen, book_rows[book].whole, by_chance, without, plain(failed), lost, plain(unseen), plain(residual));
    text_heading(t, book_rows[book].heading, about);
    return true;
}

/* Explains the line not_drawn, which may be negative: other lines then add up to more than the whole. */
static void put_chance(const struct text *t)
{
    double whole = (double)accounts_sum(t->p, ACCOUNT_CPU).ns, chance = whole > 0 ? chance_of(t, BOOK_CPU, whole) : 0;
    if (fabs(chance) >= CHANCE_TOLD)
        fprintf(t->out,
                "Not_drawn is chance: with clocks by lot, the samples stand for %.1f %% %s than the CPU time that there was. Shares and\n"
                "their intervals take this into account; --clocks all avoids it.\n",
                fabs(chance), chance < 0 ? "more" : "less");
}

void text_books(const struct text *t)
{
    enum book book = accounts_book_of(t->p);
    if (book == BOOK_HALT || (accounts_has_book(t->p, book) && put_in_short(t, book)))
        return;
    put_heading(t, book);
    if (!accounts_has_book(t->p, book) && (book != BOOK_CPU || !t->p->book_count)) {
        fputs(t->p->books_elsewhere ? "The books stay on the server: its page shows them.\n"
                                    : "This recording has no books: what its profiler lost, or could not see, is unknown.\n",
              t->out);
        return;
    }
    text_accounts(t, book);
    if (book == BOOK_CPU)
        put_chance(t);
    if (book == BOOK_ALLOC)
        text_allocation_counts(t);
    if (book == BOOK_EVENTS)
        put_turns(t);
    if (book == BOOK_LIVE)
        text_live_limits(t);
}

void text_halt_books(const struct text *t)
{
    const char *counters = profile_setting(t->p, "halt_counters");
    if (!accounts_has_book(t->p, BOOK_HALT))
        return;
    put_heading(t, BOOK_HALT);
    text_accounts(t, BOOK_HALT);
    if (counters && *counters == 'n')
        fputs("The JVM keeps no counters (-XX:-UsePerfData): causes, collectors and other safepoints than these pauses are unknown.\n",
              t->out);
}

enum { SWITCH_NS_LEAST = 500, SWITCH_NS_MOST = 2000 }; /* the cost of perf's clock at a context switch: least and most */

/* Prints an estimate of the kernel's own work for the clock, which no account contains. With clocks by lot few switches have it. */
static void put_switches(const struct text *t)
{
    const struct profile_book *switches = accounts_line(t->p, ACCOUNT_SWITCHES), *cpu = accounts_line(t->p, ACCOUNT_CPU);
    const char *clocks = profile_setting(t->p, "clocks");
    char count[32];
    if (!switches || !cpu || cpu->ns <= 0 || (clocks && !strcmp(clocks, "lot")))
        return;
    double share = 100 * (double)switches->count / (double)cpu->ns;
    if (SWITCH_NS_MOST * share < 1)
        return;
    text_count(count, sizeof count, switches->count);
    fprintf(t->out,
            "\nnote: at each of %s context switches the kernel stopped this clock and started it again: some %.1f to %.1f %% of the CPU "
            "time,\nwhich 'own cost' lacks; --clock timer costs nothing there, but shows only what runs when the kernel's timer ticks\n",
            count, SWITCH_NS_LEAST * share, SWITCH_NS_MOST * share);
}

/* Prints notes about settings that change the meaning of the figures. */
static void put_caveats(const struct text *t)
{
    static const struct {
        const char *name, *value, *text;
    } caveats[] = {
        {"kernel", "excluded", "kernel time is not sampled (kernel=excluded): it is in 'unseen'"},
        {"kernel_stacks", "unnamed",
         "the kernel's functions have no names (kernel.kptr_restrict): one frame [kernel] stands for all of them"},
        {"kernel_stacks", "none", "stacks of samples in the kernel end at the function that called it: this clock provides no more"},
    };
    const char *kernel = profile_setting(t->p, "kernel");
    bool counts = accounts_has_book(t->p, BOOK_EVENTS);
    if (counts && kernel && !strcmp(kernel, "excluded"))
        fputs("\nnote: events in the kernel are not counted: this process may not sample it (kernel=excluded)\n", t->out);
    for (size_t i = counts; i < sizeof caveats / sizeof *caveats; i++) { /* the first note is about CPU time */
        const char *value = profile_setting(t->p, caveats[i].name);
        if (value && !strcmp(value, caveats[i].value))
            fprintf(t->out, "\nnote: %s\n", caveats[i].text);
    }
}

static void put_approximate(const struct text *t)
{
    double share = stats_approximate_share(t->p);
    if (share > 0)
        fprintf(
            t->out,
            "\nnote: for %.1f %% of the time the line, and the inlined method, are approximate: the time was spent in code that "
            "was\ncompiled before the agent was loaded; for exact lines load the agent at start (-agentpath), or record with --heal now\n",
            100 * share);
}

void text_problems(const struct text *t)
{
    const struct profile *p = t->p;
    put_caveats(t);
    put_approximate(t);
    text_healing(t);
    put_switches(t);
    text_allocation_caveats(t);
    if (p->problem_count)
        fputc('\n', t->out);
    for (uint32_t i = 0; i < p->problem_count; i++) {
        const char *level = profile_text(p, p->problems[i].level);
        enum text_style style = !strcmp(level, "error") ? TEXT_ERROR : !strcmp(level, "warning") ? TEXT_WARNING : TEXT_PLAIN;
        text_begin(t, style);
        fprintf(t->out, "%s: ", style == TEXT_PLAIN ? "note" : level);
        text_end(t, style);
        utf8_print(t->out, profile_text(p, p->problems[i].text));
        fputc('\n', t->out);
    }
}
