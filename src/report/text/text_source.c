/* The source code of the methods that cost most, with the cost of each line. */
#include "report/text/text.h"

#include "base/text/utf8.h"

#include <inttypes.h>

static double share_of(const struct text *t, uint64_t weight)
{
    return t->s->weight ? (double)weight / (double)t->s->weight : 0;
}

static void put_line(const struct text *t, const struct source_line *l, bool wide_total, bool wide_self)
{
    int columns = 17 + wide_total + wide_self;
    if (l->total)
        text_shares(t, share_of(t, l->total), share_of(t, l->self), wide_total, wide_self);
    else
        fprintf(t->out, "%*s", columns - 1, "");
    text_begin(t, TEXT_FAINT);
    fprintf(t->out, "%5" PRIu32, l->number);
    text_end(t, TEXT_FAINT);
    if (*l->text)
        fputs("  ", t->out);
    utf8_print(t->out, l->text);
    fputc('\n', t->out);
}

static void put_method(const struct text *t, const struct source_method *m)
{
    bool wide_total = false, wide_self = false;
    for (uint32_t i = 0; i < m->count; i++) {
        wide_total |= text_is_full(share_of(t, m->lines[i].total));
        wide_self |= text_is_full(share_of(t, m->lines[i].self));
    }
    fputc('\n', t->out);
    utf8_print(t->out, profile_text(t->p, m->label));
    text_begin(t, TEXT_FAINT);
    fputs("  ", t->out);
    utf8_print(t->out, m->file);
    text_end(t, TEXT_FAINT);
    fputc('\n', t->out);
    for (uint32_t i = 0; i < m->count; i++) {
        if (i && m->lines[i].number > m->lines[i - 1].number + 1)
            fprintf(t->out, "%*s...\n", 18 + wide_total + wide_self, "");
        put_line(t, &m->lines[i], wide_total, wide_self);
    }
    if (m->beyond)
        fprintf(t->out,
                "%" PRIu32 " line%s with samples %s behind the end of this file: it is not the source of the program that was recorded\n",
                m->beyond, m->beyond == 1 ? "" : "s", m->beyond == 1 ? "is" : "are");
}

void text_source(const struct text *t)
{
    const struct sources *s = t->o->sources;
    char about[96], count[32];
    if (!s)
        return;
    snprintf(about, sizeof about, "  %% of %s: t total, s self of each line", text_whole(t));
    text_heading(t, "Source lines", about);
    for (uint32_t i = 0; i < s->count; i++)
        put_method(t, &s->list[i]);
    if (!s->count)
        fputs("--source has no file of a method with a thousandth of the time: it takes the folder above the packages, such as "
              "src/main/java\n",
              t->out);
    else if (s->missing)
        fprintf(t->out, "\n%s other method%s of the program cost%s as much, but --source has no file of %s\n",
                text_count(count, sizeof count, s->missing), s->missing == 1 ? "" : "s", s->missing == 1 ? "s" : "",
                s->missing == 1 ? "it" : "them");
}
