#include "report/text/text.h"

#include "base/text/utf8.h"

#include <string.h>

static int64_t put_account(const struct text *t, const char *account, const char *name, int indent, bool counted,
                           int64_t cpu)
{
    const struct profile_book *book = profile_book(t->p, account, "");
    struct text_account l = {.name = name, .indent = indent, .counted = counted && book};
    if (book) {
        l.ns = book->ns;
        l.count = book->count;
    }
    text_account(t, &l, cpu ? cpu : l.ns);
    return l.ns;
}

void text_books(const struct text *t)
{
    if (t->p->kind == PROFILE_ALLOC) {
        text_allocation_books(t);
        return;
    }
    if (t->p->kind == PROFILE_LIVE) {
        text_live_books(t);
        return;
    }
    if (profile_is_of_locks(t->p)) {
        text_lock_books(t);
        return;
    }
    if (t->p->kind == PROFILE_WALL && profile_book(t->p, "wall_time", "")) {
        text_wall(t);
        return;
    }
    if (profile_book(t->p, "events", "")) {
        text_event_books(t);
        return;
    }
    if (profile_book(t->p, "thread_time", "") && !profile_book(t->p, "cpu", "")) {
        text_thread_time(t);
        return;
    }
    if (profile_book(t->p, "halt_gc", "") && !profile_book(t->p, "cpu", ""))
        return;
    text_heading(t, "Books", t->p->kind == PROFILE_RUNNING ? "  where the CPU time of the process went" : "");
    if (!t->p->book_count) {
        fputs("This recording has none: what its profiler lost, or could not see, is unknown.\n", t->out);
        return;
    }
    text_account_heads(t, "% CPU");
    int64_t cpu = put_account(t, "cpu", "cpu", 2, false, 0);
    put_account(t, "complete", "complete", 4, true, cpu);
    put_account(t, "truncated", "truncated", 4, true, cpu);
    text_account_reasons(t, "failed", true, cpu);
    text_account_reasons(t, "lost", true, cpu);
    text_account_reasons(t, "unseen", false, cpu);
    put_account(t, "residual", "residual", 4, false, cpu);
    put_account(t, "own_cost", "own cost (within the above)", 2, false, cpu);
    if (text_has_account(t, "suppressed")) {
        text_account_reasons(t, "suppressed", true, cpu);
        fputs("Suppressed are expiries that would have cost more than was allowed, and the CPU time in which they were: nothing is\n"
              "lost, the samples there stand for more.\n", t->out);
    }
    if (text_has_account(t, "context_lost")) {
        text_account_reasons(t, "context_lost", true, -1);
        fputs("Context lost: samples that are there, without all of the context that their threads had.\n", t->out);
    }
}

enum { SWITCH_NS_LEAST = 500, SWITCH_NS_MOST = 2000 }; /* what a clock of perf's adds to a context switch: bare metal, virtual machine */

/* What no account has: the kernel's own work for the clock. */
static void put_switches(const struct text *t)
{
    const struct profile_book *switches = profile_book(t->p, "switches", ""), *cpu = profile_book(t->p, "cpu", "");
    char count[32];
    if (!switches || !cpu || cpu->ns <= 0)
        return;
    double share = 100 * (double)switches->count / (double)cpu->ns;
    if (SWITCH_NS_MOST * share < 1)
        return;
    text_count(count, sizeof count, switches->count);
    fprintf(t->out,
            "\nnote: at each of %s context switches the kernel stopped this clock and set it again: some %.1f to %.1f %% of the CPU time,\n"
            "which 'own cost' lacks; --clock timer costs nothing there, but shows only what runs when the kernel's timer ticks\n",
            count, SWITCH_NS_LEAST * share, SWITCH_NS_MOST * share);
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
    const char *kernel = profile_setting(t->p, "kernel");
    bool counts = profile_book(t->p, "events", "") != NULL;
    if (counts && kernel && !strcmp(kernel, "excluded"))
        fputs("\nnote: events in the kernel are not counted: this process may not watch it (kernel=excluded)\n", t->out);
    for (size_t i = counts; i < sizeof caveats / sizeof *caveats; i++) { /* the first is of CPU time */
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
                "compiled before the agent came; load the agent at start (-agentpath) or record without --heal off for exact ones\n",
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
