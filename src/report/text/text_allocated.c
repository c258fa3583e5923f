#include "report/text/text.h"

#include "base/text/units.h"
#include "base/text/utf8.h"

#include <math.h>
#include <string.h>

enum { CLASSES_TOP = 20, NAME_COLUMNS = 32 };

static void put_class(const struct text *t, const struct stats_row *r, bool wide)
{
    char bytes[32];
    fprintf(t->out, "%*.1f ", wide ? 5 : 4, r->self.share * 100);
    text_interval(t, r->self.interval, text_is_full(r->self.interval.high));
    fprintf(t->out, "%10s  ", units_format_bytes(bytes, sizeof bytes, r->self.weight));
    text_plain_name(t, profile_text(t->p, r->label));
}

void text_allocated(const struct text *t)
{
    struct stats *s = t->o->allocated;
    if (!s || !s->methods.count)
        return;
    stats_sort(&s->methods, t->p, STATS_BY_SELF);
    uint32_t top = t->o->top_set ? t->o->top : CLASSES_TOP, shown = 0;
    if (t->p->kind == PROFILE_LIVE)
        text_heading(t, "Live classes", "  % of live bytes, [95 % interval], bytes");
    else
        text_heading(t, "Allocated classes", "  % of allocated bytes, [95 % interval], bytes");
    for (; shown < s->methods.count && (shown < top || !top) && s->methods.rows[shown].self.weight; shown++)
        put_class(t, &s->methods.rows[shown], text_is_full(s->methods.rows[0].self.share));
}

static int64_t bytes_of(const struct text *t, const char *account)
{
    const struct profile_book *book = profile_book(t->p, account, "");
    return book ? book->ns : 0;
}

/* Of two counts of the same bytes, one by the JVM itself: worth a word when they differ by more than chance. */
static bool is_skewed(const struct profile *p, double *times)
{
    const struct profile_book *counted = profile_book(p, "alloc_counted_bytes", "");
    const struct profile_book *weighed = profile_book(p, "alloc_weighed_bytes", "");
    if (!counted || !weighed || counted->ns <= 0 || !weighed->count)
        return false;
    *times = (double)weighed->ns / (double)counted->ns;
    return fabs(*times - 1) > 0.05 + 5 / sqrt((double)weighed->count);
}

static void put_line(const struct text *t, const char *name, int indent, int64_t bytes, uint64_t count)
{
    char text[32], samples[32];
    int fill = NAME_COLUMNS - indent - (int)utf8_columns(name);
    fprintf(t->out, "%*s", indent, "");
    utf8_print(t->out, name);
    fprintf(t->out, "%*s%10s  %11s\n", fill > 0 ? fill : 0, "",
            units_format_bytes(text, sizeof text, bytes > 0 ? (uint64_t)bytes : 0), text_count(samples, sizeof samples, count));
}

void text_allocation_books(const struct text *t)
{
    const struct profile *p = t->p;
    const struct profile_book *taken = profile_book(p, "alloc_bytes", "");
    double times;
    text_heading(t, "Books", "  what became of the samples that the JVM drew");
    if (!taken) {
        fputs("This recording has none: what its profiler lost is unknown.\n", t->out);
        return;
    }
    text_begin(t, TEXT_FAINT);
    fprintf(t->out, "  %-*s%10s  %11s\n", NAME_COLUMNS - 2, "account", "bytes", "samples");
    text_end(t, TEXT_FAINT);
    put_line(t, "in the recording", 2, taken->ns, taken->count);
    for (uint32_t i = 0; i < p->book_count; i++)
        if (!strcmp(profile_text(p, p->books[i].account), "alloc_lost_bytes")) {
            char name[64];
            snprintf(name, sizeof name, "lost: %.40s", profile_text(p, p->books[i].reason));
            put_line(t, name, 2, p->books[i].ns, p->books[i].count);
        }
    int64_t longest = bytes_of(t, "alloc_longest_interval");
    char text[32];
    if (longest > 0)
        fprintf(t->out, "Of what a thread allocated less than %s of there may be no sample: the longest interval between two.\n",
                units_format_bytes(text, sizeof text, (uint64_t)longest));
    if (!bytes_of(t, "alloc_counted_bytes"))
        return;
    const struct profile_book *weighed = profile_book(p, "alloc_weighed_bytes", "");
    fputs("The JVM's own count of bytes, from each thread's first sample to its last:\n", t->out);
    put_line(t, "counted", 2, bytes_of(t, "alloc_counted_bytes"), weighed ? weighed->count : 0);
    put_line(t, "estimated by these samples", 2, weighed ? weighed->ns : 0, weighed ? weighed->count : 0);
    if (is_skewed(p, &times))
        fprintf(t->out, "These differ by more than chance: this JVM samples %.2f times as much as it says.\n", times);
}

void text_allocation_caveats(const struct text *t)
{
    const char *mixed = profile_setting(t->p, "alloc_mixed_sizes");
    if (t->p->kind == PROFILE_ALLOC && mixed && !strcmp(mixed, "biased"))
        fputs("\nnote: a JVM before 25 samples objects that do not fit into a thread's buffer too seldom, up to a fifth, and the\n"
              "small ones between them too often; where a thread allocates objects of like sizes, they are as they should be. With\n"
              "intervals of many megabytes it may draw more than it says of all of them\n",
              t->out);
}
