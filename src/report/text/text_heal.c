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
        {"all_at_once", "this JVM (JDK 8 to 21) can only throw away all its compiled code at once, which --heal now does"},
        {"java_agent", "a Java agent would have transformed their classes again; --heal now does it nevertheless"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (!strcmp(notes[i].reason, reason))
            return notes[i].text;
    return reason;
}

static bool is_kept(const struct profile *p, const struct profile_book *b)
{
    return b->count && !strcmp(profile_text(p, b->account), "heal_kept");
}

static bool has_kept(const struct profile *p)
{
    for (uint32_t i = 0; i < p->book_count; i++)
        if (is_kept(p, &p->books[i]))
            return true;
    return false;
}

static void put_kept(const struct text *t)
{
    for (uint32_t i = 0; i < t->p->book_count; i++) {
        const struct profile_book *b = &t->p->books[i];
        char time[32];
        if (is_kept(t->p, b))
            fprintf(t->out, "  left as they are: %llu methods with %s: %s\n", (unsigned long long)b->count,
                    text_time(time, sizeof time, b->ns), note_of(profile_text(t->p, b->reason)));
    }
}

static void put_steps(const struct text *t, const struct profile_book *pauses)
{
    const struct profile_book *methods = profile_book(t->p, "heal_methods", ""), *cpu = profile_book(t->p, "heal_cpu", "");
    char stopped[32], compiled[32];
    fprintf(t->out, "\nHealed: code from before the agent came was thrown away in %llu step%s, and compiled anew; samples had met\n"
                    "%llu of its methods. All threads stood still for %s in all, and the compilers took about %s more than usual.\n",
            (unsigned long long)pauses->count, pauses->count == 1 ? "" : "s", (unsigned long long)(methods ? methods->count : 0),
            text_time(stopped, sizeof stopped, pauses->ns), text_time(compiled, sizeof compiled, cpu ? cpu->ns : 0));
}

void text_healing(const struct text *t)
{
    const struct profile_book *pauses = profile_book(t->p, "heal_pauses", ""), *left = profile_book(t->p, "heal_left", ""),
                              *of = profile_book(t->p, "heal_left_of", "");
    if (!pauses || !left || !of || (!pauses->count && !has_kept(t->p)))
        return;
    if (pauses->count)
        put_steps(t, pauses);
    else
        fputs("\nNot healed: code from before the agent came has approximate lines.\n", t->out);
    if (of->ns > 0)
        fprintf(t->out, "  still approximate at the end: %.1f %% of the sampled time\n", 100.0 * (double)left->ns / (double)of->ns);
    put_kept(t);
}
