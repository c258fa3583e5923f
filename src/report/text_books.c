#include "report/text.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 32 };

struct line {
    const char *name;
    int indent;
    int64_t ns;
    uint64_t count;
    bool counted; /* the account has counts */
};

static void put_line(const struct text *t, const struct line *l, int64_t cpu)
{
    char time[32], count[32] = "";
    if (l->counted)
        text_count(count, sizeof count, l->count);
    fprintf(t->out, "%*s", l->indent, "");
    utf8_print(t->out, l->name);
    int fill = NAME_COLUMNS - l->indent - (int)utf8_columns(l->name);
    fprintf(t->out, "%*s%10s  %7.2f", fill > 1 ? fill : 1, "", text_time(time, sizeof time, l->ns),
            cpu > 0 ? (double)l->ns / (double)cpu * 100 : 0);
    if (*count)
        fprintf(t->out, "  %11s", count);
    fputc('\n', t->out);
}

static int compare_lines(const void *left, const void *right)
{
    const struct profile_book *const *a = left, *const *b = right;
    return ((*a)->ns < (*b)->ns) - ((*a)->ns > (*b)->ns);
}

/* An account with reasons: its sum, and under it the reasons that are not empty, largest first. */
static void put_reasons(const struct text *t, const char *account, bool counted, int64_t cpu)
{
    const struct profile *p = t->p;
    struct line sum = {.name = account, .indent = 4, .counted = counted};
    const struct profile_book **list = calloc(p->book_count, sizeof *list);
    size_t n = 0;
    for (uint32_t i = 0; list && i < p->book_count; i++)
        if (!strcmp(profile_text(p, p->books[i].account), account))
            list[n++] = &p->books[i];
    for (size_t i = 0; i < n; i++) {
        sum.ns = (int64_t)((uint64_t)sum.ns + (uint64_t)list[i]->ns);
        sum.count += list[i]->count;
    }
    put_line(t, &sum, cpu);
    if (n)
        qsort(list, n, sizeof *list, compare_lines);
    for (size_t i = 0; i < n; i++) {
        struct line l = {.name = profile_text(p, list[i]->reason),
                         .indent = 6,
                         .ns = list[i]->ns,
                         .count = list[i]->count,
                         .counted = counted};
        if (l.ns || l.count)
            put_line(t, &l, cpu);
    }
    free(list);
}

static int64_t put_account(const struct text *t, const char *account, const char *name, int indent, bool counted,
                           int64_t cpu)
{
    const struct profile_book *book = profile_book(t->p, account, "");
    struct line l = {.name = name, .indent = indent, .counted = counted && book};
    if (book) {
        l.ns = book->ns;
        l.count = book->count;
    }
    put_line(t, &l, cpu ? cpu : l.ns);
    return l.ns;
}

void text_books(const struct text *t)
{
    text_heading(t, "Books", "  where the CPU time of the process went");
    if (!t->p->book_count) {
        fputs("This recording has none: what its profiler lost, or could not see, is unknown.\n", t->out);
        return;
    }
    text_begin(t, TEXT_FAINT);
    fprintf(t->out, "  %-*s%10s  %7s  %11s\n", NAME_COLUMNS - 2, "account", "time", "% CPU", "count");
    text_end(t, TEXT_FAINT);
    int64_t cpu = put_account(t, "cpu", "cpu", 2, false, 0);
    put_account(t, "complete", "complete", 4, true, cpu);
    put_account(t, "truncated", "truncated", 4, true, cpu);
    put_reasons(t, "failed", true, cpu);
    put_reasons(t, "lost", true, cpu);
    put_reasons(t, "unseen", false, cpu);
    put_account(t, "residual", "residual", 4, false, cpu);
    put_account(t, "own_cost", "own cost (within the above)", 2, false, cpu);
}

/* Settings that change what the figures mean. */
static void put_caveats(const struct text *t)
{
    static const struct {
        const char *name, *value, *text;
    } caveats[] = {
        {"kernel", "excluded", "the kernel's part of the CPU time is not sampled (kernel=excluded): see 'unseen'"},
        {"kernel_stacks", "unnamed",
         "the kernel's functions have no names (kernel.kptr_restrict): one frame [kernel] stands for all of them"},
        {"kernel_stacks", "none",
         "stacks of samples in the kernel end at the function that called it: this clock gives no more"},
    };
    for (size_t i = 0; i < sizeof caveats / sizeof *caveats; i++) {
        const char *value = profile_setting(t->p, caveats[i].name);
        if (value && !strcmp(value, caveats[i].value))
            fprintf(t->out, "\nnote: %s\n", caveats[i].text);
    }
}

static void put_approximate(const struct text *t)
{
    double share = stats_approximate_share(t->p);
    if (share > 0)
        fprintf(t->out,
                "\nnote: in %.1f %% of the time the line, and the method that was inlined there, are approximate: it was in code\n"
                "compiled before the agent came; load the agent at start (-agentpath) or record with --recompile for exact ones\n",
                100 * share);
}

void text_problems(const struct text *t)
{
    const struct profile *p = t->p;
    put_caveats(t);
    put_approximate(t);
    if (p->problem_count)
        fputc('\n', t->out);
    for (uint32_t i = 0; i < p->problem_count; i++) {
        const char *level = profile_text(p, p->problems[i].level);
        enum text_style style = !strcmp(level, "error")     ? TEXT_ERROR
                                : !strcmp(level, "warning") ? TEXT_WARNING
                                                            : TEXT_PLAIN;
        text_begin(t, style);
        fprintf(t->out, "%s: ", style == TEXT_PLAIN ? "note" : level);
        text_end(t, style);
        utf8_print(t->out, profile_text(p, p->problems[i].text));
        fputc('\n', t->out);
    }
}
