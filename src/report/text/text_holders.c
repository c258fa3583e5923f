/* Prints the holders of live objects: the paths to the objects, merged. */
#include "report/text/text.h"

#include "base/text/units.h"
#include "base/text/utf8.h"

#include <inttypes.h>
#include <string.h>

enum { HOLDERS_TOP = 10, TEXT_BYTES = 32 };

static const char *size(char out[TEXT_BYTES], uint64_t n)
{
    return units_format_bytes(out, TEXT_BYTES, n);
}

/* Returns the meaning of a reason in Candor's own recordings. Reasons of other tools are printed without one. */
static const char *meaning(const char *reason)
{
    static const struct {
        const char *reason, *meaning;
    } known[] = {
        {"budget", "the next walk of the heap would have stopped the threads for longer than allowed; allow more (--paths=TIME)"},
        {"aborted", "a walk took longer than predicted and was aborted; allow more (--paths=TIME)"},
        {"unreached", "JVMTI reports no strong reference to it: there are only weak ones, or it is garbage that is not collected yet"},
        {"beyond", "there are more references to them than the search can store"},
        {"not_chosen", "not among the objects that were searched for"},
        {"gone", "collected before the search"},
        {"failed", "this JVM refused to walk its heap"},
        {HOLDERS_UNREAD, "the recording has more or longer paths than candor reads"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].reason, reason))
            return known[i].meaning;
    return "";
}

static void put_objects(const struct text *t, uint32_t objects, uint32_t of, uint64_t bytes)
{
    char text[TEXT_BYTES];
    fprintf(t->out, "%" PRIu32 " of %" PRIu32 " sampled object%s, %s", objects, of, of == 1 ? "" : "s", size(text, bytes));
}

/* Returns the number of objects for which a path was searched: all without those that were not chosen for the search. */
static uint32_t searched(const struct text *t, const struct holders *h)
{
    uint32_t objects = h->objects;
    for (uint32_t i = 0; i < h->missing_count; i++)
        if (!strcmp(profile_text(t->p, h->missing[i].reason), "not_chosen"))
            objects -= h->missing[i].objects;
    return objects;
}

static void put_missing(const struct text *t, const struct holders *h, const char *indent)
{
    for (uint32_t i = 0; i < h->missing_count; i++) {
        const struct holders_missing *m = &h->missing[i];
        const char *reason = profile_text(t->p, m->reason), *why = meaning(reason);
        fprintf(t->out, "%snot known of ", indent);
        put_objects(t, m->objects, h->objects, m->bytes);
        fputs(" (", t->out);
        utf8_print(t->out, reason);
        fprintf(t->out, ")%s%s\n", *why ? ": " : "", why);
    }
}

static void put_path(const struct text *t, const struct holder *row, const char *indent)
{
    const char *class_name = profile_text(t->p, row->class_name);
    fputs(indent, t->out);
    utf8_print(t->out, *class_name ? class_name : "[unknown class]");
    fputs(HOLDERS_BETWEEN, t->out);
    utf8_print(t->out, profile_text(t->p, row->path));
    fputs(row->holder ? "\n" : HOLDERS_BETWEEN "?\n", t->out);
}

static void put_sum(const struct text *t, const struct holders *h, const struct holders_sum *sum, const char *indent)
{
    put_objects(t, sum->objects, searched(t, h), sum->bytes);
    fputc('\n', t->out);
    put_path(t, &h->rows[sum->row], indent);
    if (sum->paths > 1)
        fprintf(t->out, "%sand by %" PRIu32 " more path%s (--json has them)\n", indent, sum->paths - 1, sum->paths == 2 ? "" : "s");
}

static void put_name(const struct text *t, const struct holder *row)
{
    utf8_print(t->out, row->holder ? profile_text(t->p, row->holder) : "?");
}

/* Returns the holder with the largest sum. Paths whose end is not known count only if there is no other. */
static const struct holders_sum *first_sum(const struct holders *h)
{
    for (uint32_t i = 0; i < h->sum_count; i++)
        if (h->rows[h->sums[i].row].holder)
            return &h->sums[i];
    return h->sum_count ? &h->sums[0] : NULL;
}

void text_first_holder(const struct text *t, const struct holders *h)
{
    const struct holders_sum *sum = first_sum(h);
    if (sum) {
        fputs("       held by ", t->out);
        put_name(t, &h->rows[sum->row]);
        fputs(": ", t->out);
        put_sum(t, h, sum, "         ");
    }
    put_missing(t, h, "       holder ");
}

static void put_row(const struct text *t, const struct holders *h, const struct holders_sum *sum, uint32_t number)
{
    fprintf(t->out, "  %2" PRIu32 ". ", number);
    put_name(t, &h->rows[sum->row]);
    fputs("\n       holds ", t->out);
    put_sum(t, h, sum, "       ");
}

void text_holders(const struct text *t)
{
    const struct holders *h = t->o->leaks ? &t->o->leaks->holders : NULL;
    uint32_t top = t->o->top_set ? t->o->top : HOLDERS_TOP;
    if (!h || !h->objects)
        return;
    text_heading(t, "Holders", "  what keeps sampled objects alive, with the path of references to them");
    for (uint32_t i = 0; i < h->sum_count && (i < top || !top); i++)
        put_row(t, h, &h->sums[i], i + 1);
    if (top && h->sum_count > top)
        fprintf(t->out, "  ... and %" PRIu32 " more\n", h->sum_count - top);
    put_missing(t, h, "  Holder ");
}
