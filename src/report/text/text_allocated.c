#include "report/text/text.h"

#include "base/text/units.h"
#include "profile/accounts.h"

#include <math.h>
#include <string.h>

enum { CLASSES_TOP = 20 };

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

/* Whether the samples' sum of bytes differs by more than chance from the JVM's own count. *times is the ratio of the two. */
static bool is_skewed(const struct profile *p, double *times)
{
    const struct profile_book *counted = accounts_line(p, ACCOUNT_ALLOC_COUNTED);
    const struct profile_book *weighed = accounts_line(p, ACCOUNT_ALLOC_WEIGHED);
    if (!counted || !weighed || counted->ns <= 0 || !weighed->count)
        return false;
    *times = (double)weighed->ns / (double)counted->ns;
    return fabs(*times - 1) > 0.05 + 5 / sqrt((double)weighed->count);
}

void text_allocation_counts(const struct text *t)
{
    const struct profile *p = t->p;
    uint64_t longest = (uint64_t)fmax(0, (double)accounts_sum(p, ACCOUNT_ALLOC_LONGEST).ns);
    double times;
    char text[32];
    if (longest)
        fprintf(t->out, "A thread that allocated less than %s, the longest interval between two samples, may have no sample.\n",
                units_format_bytes(text, sizeof text, longest));
    if (is_skewed(p, &times))
        fprintf(t->out,
                "The JVM's count of bytes and the sum of the samples differ by more than chance: this JVM samples %.2f times as often as "
                "it states.\n",
                times);
}

void text_allocation_caveats(const struct text *t)
{
    const char *mixed = profile_setting(t->p, "alloc_mixed_sizes");
    if (t->p->kind == PROFILE_ALLOC && mixed && !strcmp(mixed, "biased"))
        fputs("\nnote: a JVM before 25 samples objects that do not fit into a thread's allocation buffer up to a fifth too seldom, and "
              "the\nsmall objects between them too often; the shares are correct if a thread allocates objects of similar sizes. With "
              "intervals\nof many megabytes such a JVM may take more samples than it states\n",
              t->out);
}
