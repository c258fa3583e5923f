/* The program's own code in the text report: a table of own methods, each with what it called; and for code that does not belong to the
 * program, the own method that called it. Separate from the tables of methods because its rows add up what is above an own method. */
#include "report/text/text.h"

#include "base/text/utf8.h"
#include "profile/names.h"

#include <string.h>

enum {
    OWN_TOP = 10,
    CALLER_COLUMNS = 60,  /* of the second name in a row, if no terminal limits it */
    ROOM_FOR_CALLER = 64, /* fewer columns are left to the first name alone */
    LINK_COLUMNS = 10     /* " < " and " (99 %)" */
};

static void put_short(const struct text *t, uint32_t label, size_t columns)
{
    struct buffer b;
    buffer_init(&b, 1 << 20);
    names_short(&b, profile_text(t->p, label), columns);
    buffer_u8(&b, 0);
    if (!b.failed)
        utf8_print(t->out, (const char *)b.data);
    buffer_deinit(&b);
}

/* Prints a name, and after `link` a second one, with its share of the row: "shop.Cart.total > java.util.HashMap.get (80 %)". room: the
 * columns for all of it, at least ROOM_FOR_CALLER; 0 = any number. */
static void put_linked(const struct text *t, uint32_t label, const char *mark, const char *link, uint32_t second, double share, size_t room)
{
    size_t names = room ? room - LINK_COLUMNS - strlen(mark) : 0;
    put_short(t, label, room ? names / 2 : CALLER_COLUMNS * 2);
    fputs(mark, t->out);
    text_begin(t, TEXT_FAINT);
    fputs(link, t->out);
    put_short(t, second, room ? names - names / 2 : CALLER_COLUMNS);
    if (share < 0.995)
        fprintf(t->out, " (%.0f %%)", share * 100);
    text_end(t, TEXT_FAINT);
    fputc('\n', t->out);
}

void text_method_name(const struct text *t, const struct stats_row *r, size_t used, const char *mark)
{
    const struct stats_own_pair *pair = r->self.weight ? stats_own_caller(t->s, r->label) : NULL;
    size_t room = t->o->width > used ? t->o->width - used : 0;
    bool fits = !t->o->width || room >= ROOM_FOR_CALLER;
    if (pair && pair->own != r->label && fits)
        put_linked(t, r->label, mark, " < ", pair->own, (double)pair->weight / (double)r->self.weight, room);
    else
        text_name(t, r->label, used, mark);
}

static void put_own(const struct text *t, const struct stats_row *r, bool wide, bool wide_interval)
{
    const struct stats_own_pair *pair = stats_own_callee(t->s, r->label);
    size_t used = (wide ? 10 : 9) + (wide_interval ? 14 : 13), room = t->o->width > used ? t->o->width - used : 0;
    fprintf(t->out, "(s %*.1f) ", wide ? 5 : 4, r->self.share * 100);
    text_interval(t, r->self.interval, wide_interval);
    if (!r->label)
        fputs("[no own method on the stack]\n", t->out);
    else if (pair && pair->leaf && pair->leaf != r->label && (!t->o->width || room >= ROOM_FOR_CALLER))
        put_linked(t, r->label, "", " > ", pair->leaf, (double)pair->weight / (double)r->self.weight, room);
    else
        text_name(t, r->label, used, "");
}

/* Whether the table says more than the table of methods does: some method of the program called other code. */
static bool is_worth_a_table(const struct stats *s)
{
    for (uint32_t i = 0; i < s->own_pair_count; i++)
        if (s->own_pairs[i].own != s->own_pairs[i].leaf)
            return true;
    return false;
}

void text_own(const struct text *t)
{
    const struct stats_table *own = &t->s->own;
    uint32_t top = t->o->top_set ? t->o->top : OWN_TOP, rows = 0;
    bool wide = false, wide_interval = false;
    uint64_t rest = 0;
    char about[128];
    if (!is_worth_a_table(t->s))
        return;
    snprintf(about, sizeof about, "  %% of %s by the innermost own method, with all that it calls; >: the callee with most of it",
             text_whole(t));
    text_heading(t, "Your own code", about);
    for (; rows < own->count && (rows < top || !top) && text_is_shown(t, &own->rows[rows].self); rows++) {
        wide |= text_is_full(own->rows[rows].self.share);
        wide_interval |= text_is_full(own->rows[rows].self.interval.high);
    }
    for (uint32_t i = 0; i < rows; i++)
        put_own(t, &own->rows[i], wide, wide_interval);
    for (uint32_t i = rows; i < own->count; i++)
        rest += own->rows[i].self.weight;
    text_rest(t, own->count - rows, rest, "methods");
}
