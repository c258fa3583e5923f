#include "report/text/text.h"

#include "base/text/utf8.h"
#include "profile/locks.h"

#include <string.h>

enum { LOCKS_TOP = 20, HOLDERS_TOP = 3 };

static double share_of(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static const char *text_or(const struct text *t, uint32_t string, const char *otherwise)
{
    return string ? profile_text(t->p, string) : otherwise;
}

static const char *class_of(const struct text *t, const struct locks_row *r)
{
    return text_or(t, r->class_name, "[unknown]");
}

static void put_holders(const struct text *t, const struct locks_row *r)
{
    const struct locks_holder *h = &t->o->locks->holders[r->first];
    bool known = r->holders > 1 || h->owner;
    for (uint32_t i = 0; known && i < r->holders && i < HOLDERS_TOP; i++) {
        fputs(i ? ", " : "  held by ", t->out);
        utf8_print(t->out, text_or(t, h[i].owner, "[unknown]"));
        fprintf(t->out, " %.0f %%", 100 * share_of(h[i].weight, r->weight));
    }
    if (known && r->holders > HOLDERS_TOP)
        fprintf(t->out, " and %u more", r->holders - HOLDERS_TOP);
}

static void put_lock(const struct text *t, const struct locks_row *r, bool wide)
{
    char time[32], count[32];
    fprintf(t->out, "%*.1f %10s %9s  %-7s  ", wide ? 5 : 4, 100 * share_of(r->weight, t->p->weight),
            text_weight(time, sizeof time, t->p, r->weight), text_count(count, sizeof count, r->samples),
            r->state == JFR_STATE_MONITOR ? "monitor" : "park");
    utf8_print(t->out, class_of(t, r));
    if (r->address)
        fprintf(t->out, " %s", profile_text(t->p, r->address));
    put_holders(t, r);
    fputc('\n', t->out);
}

static void put_link(const struct text *t, uint32_t sample, uint32_t owner_sample)
{
    const struct profile *p = t->p;
    const struct profile_sample *s = &p->samples[sample];
    fputs("  ", t->out);
    utf8_print(t->out, profile_text(p, p->threads[s->thread].name));
    fputs(s->state == JFR_STATE_MONITOR ? " waits for the monitor of " : " is parked for ", t->out);
    utf8_print(t->out, text_or(t, locks_label(p, s, "class"), "[unknown]"));
    uint32_t address = locks_label(p, s, "address");
    fprintf(t->out, "%s%s, which ", address ? " " : "", text_or(t, address, ""));
    utf8_print(t->out, profile_text(p, p->threads[p->samples[owner_sample].thread].name));
    fputs(" has\n", t->out);
}

static void put_deadlocks(const struct text *t)
{
    const struct locks *l = t->o->locks;
    uint32_t first = 0;
    for (uint32_t i = 0; i < l->link_count; i++) {
        if (i == first)
            text_heading(t, "Deadlock", "  threads that wait for each other forever");
        put_link(t, l->links[i].sample, l->links[l->links[i].ends ? first : i + 1].sample);
        if (l->links[i].ends)
            first = i + 1;
    }
}

void text_locks(const struct text *t)
{
    const struct locks *l = t->o->locks;
    if (!l)
        return;
    put_deadlocks(t);
    if (!l->row_count)
        return;
    uint32_t top = t->o->top_set ? t->o->top : LOCKS_TOP;
    bool wide = text_is_full(share_of(l->rows[0].weight, t->p->weight));
    text_heading(t, "Locks", "  % of the waiting time, time, samples, kind, class, and the threads that held it");
    for (uint32_t i = 0; i < l->row_count && (i < top || !top) && l->rows[i].weight; i++)
        put_lock(t, &l->rows[i], wide);
}
