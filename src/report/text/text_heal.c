/* What became of code that was compiled before the agent came: below the books, since it is no account of the CPU time. */
#include "report/text/text.h"

#include <string.h>

static const char *note_of(const char *reason)
{
    static const struct {
        const char *reason, *text;
    } notes[] = {
        {"unmodifiable", "their classes cannot be retransformed, or are gone"},
        {"refused", "the JVM, or a class transformer, refused"},
        {"java_agent", "a Java agent would have transformed their classes again; --heal now does it nevertheless"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (!strcmp(notes[i].reason, reason))
            return notes[i].text;
    return reason;
}

static void put_kept(const struct text *t)
{
    for (uint32_t i = 0; i < t->p->book_count; i++) {
        const struct profile_book *b = &t->p->books[i];
        char time[32];
        if (!strcmp(profile_text(t->p, b->account), "heal_kept") && b->count)
            fprintf(t->out, "  left as they are: %llu methods with %s: %s\n", (unsigned long long)b->count,
                    text_time(time, sizeof time, b->ns), note_of(profile_text(t->p, b->reason)));
    }
}

void text_healing(const struct text *t)
{
    const struct profile_book *methods = profile_book(t->p, "heal_methods", ""), *pauses = profile_book(t->p, "heal_pauses", ""),
                              *cpu = profile_book(t->p, "heal_cpu", ""), *left = profile_book(t->p, "heal_left", ""),
                              *of = profile_book(t->p, "heal_left_of", "");
    char stopped[32], compiled[32];
    if (!methods || !pauses || !cpu || !left || !of || !pauses->count)
        return;
    fprintf(t->out, "\nHealed: code from before the agent came was thrown away in %llu step%s, and compiled anew; samples had met\n"
                    "%llu of its methods. All threads stood still for %s in all, and the compilers took about %s more than usual.\n",
            (unsigned long long)pauses->count, pauses->count == 1 ? "" : "s", (unsigned long long)methods->count,
            text_time(stopped, sizeof stopped, pauses->ns), text_time(compiled, sizeof compiled, cpu->ns));
    if (of->ns > 0)
        fprintf(t->out, "  still approximate at the end: %.1f %% of the sampled time\n", 100.0 * (double)left->ns / (double)of->ns);
    put_kept(t);
}
