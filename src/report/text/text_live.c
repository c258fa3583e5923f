/* Prints the section on live objects: the heap after collections, objects that grow in number, and the books. */
#include "report/text/text.h"

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "profile/accounts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CANDIDATES_TOP = 10, PATH_FRAMES = 5, TEXT_BYTES = 32, NUMBER_BYTES = 20 };

static const double MOST_BYTES = 1e19; /* limit of what is printed; in a damaged file the heap may grow by more in an hour */

static const char *size(char out[TEXT_BYTES], double n)
{
    return units_format_bytes(out, TEXT_BYTES, n > 0 ? (uint64_t)fmin(n, MOST_BYTES) : 0);
}

void text_live_header(const struct text *t)
{
    const struct profile *p = t->p;
    char a[TEXT_BYTES], b[TEXT_BYTES];
    if (!p->live_set_count) {
        fprintf(t->out, "%s, %s\n", size(a, (double)t->s->weight),
                p->merged > 1 ? "of several recordings together" : "by the objects' own size");
        return;
    }
    const struct profile_live_set *first = &p->live_sets[0], *last = &p->live_sets[p->live_set_count - 1];
    fprintf(t->out, "%s +- %s of the bytes allocated during the recording\n", size(a, (double)last->bytes),
            size(b, 1.96 * (double)last->error));
    if (!first->heap_used || !last->heap_used)
        return;
    double per_hour = leaks_heap_per_hour(p);
    fprintf(t->out, "          heap after collections: %s at first, %s at the end", size(a, (double)first->heap_used),
            size(b, (double)last->heap_used));
    fprintf(t->out, ", %s%s an hour\n", per_hour < 0 ? "-" : "+", size(a, fabs(per_hour)));
}

/* ---- leak candidates ---- */

static void put_path(const struct text *t, const struct leak *l)
{
    const struct profile *p = t->p;
    uint32_t at = l->stack;
    fputs("       by ", t->out);
    for (int i = 0; at && i < PATH_FRAMES; i++, at = p->nodes[at].parent) {
        fputs(i ? " < " : "", t->out);
        utf8_print(t->out, profile_text(p, p->frames[p->nodes[at].frame].label));
    }
    fputs(at ? " < ...\n" : "\n", t->out);
}

/* Rounds a probability up to one digit. It never rounds down, because the value is an upper bound. */
static double rounded_up(double chance)
{
    double p = fmax(chance, 1e-99), unit = pow(10, floor(log10(p)));
    return ceil(p / unit - 1e-6) * unit;
}

static void put_candidate(const struct text *t, const struct leak *l, uint32_t number)
{
    const char *class_name = profile_text(t->p, l->class_name);
    char a[TEXT_BYTES], b[TEXT_BYTES], c[TEXT_BYTES];
    fprintf(t->out, "  %2" PRIu32 ". ", number);
    utf8_print(t->out, *class_name ? class_name : "[unknown class]");
    fputs(" of ", t->out);
    text_plain_name(t, profile_text(t->p, l->site));
    fprintf(t->out, "       grew by %s +- %s, %s an hour; p <= %.0e\n", size(a, l->growth), size(b, 1.96 * l->growth_error),
            size(c, l->per_hour), rounded_up(l->chance));
    fprintf(t->out, "       alive: %s +- %s by %" PRIu32 " sampled objects, %s old on average\n", size(a, (double)l->bytes),
            size(b, 1.96 * l->error), l->objects, text_time(c, sizeof c, (int64_t)l->age_ns));
    put_path(t, l);
    text_first_holder(t, &l->holders);
}

static void put_proof(const struct text *t, const struct leaks *l)
{
    if (l->proof == LEAKS_NO_OLD_COLLECTION)
        fputs("Not each quarter of the recording has a collection of old objects, so growth may be garbage. Record for longer, or "
              "start\ncollections meanwhile ('jcmd PID GC.run').\n",
              t->out);
    else if (l->proof == LEAKS_OLD_UNKNOWN)
        fputs("This JVM does not report when old objects were collected (perhaps because of -XX:-UsePerfData), so growth may be garbage.\n",
              t->out);
}

void text_leaks(const struct text *t)
{
    const struct leaks *l = t->o->leaks;
    uint32_t top = t->o->top_set ? t->o->top : CANDIDATES_TOP;
    if (!l || !t->p->live_set_count)
        return;
    text_heading(t, "Leak candidates", "  live bytes that grew in each quarter of the recording, by class and allocating method");
    if (l->is_too_short) {
        fprintf(t->out, "Too few collections to judge (%" PRIu32 " looks at the objects that they left): record for longer.\n", l->looks);
        return;
    }
    if (!l->count)
        fprintf(t->out, "none of %" PRIu32 " groups of objects; by chance, one recording in a million has a candidate\n", l->groups);
    for (uint32_t i = 0; i < l->count && (i < top || !top); i++)
        put_candidate(t, &l->rows[i], i + 1);
    if (top && l->count > top)
        fprintf(t->out, "  ... and %" PRIu32 " more\n", l->count - top);
    put_proof(t, l);
}

/* ---- books ---- */

static void put_walks(const struct text *t)
{
    const struct profile_book *walked = accounts_line(t->p, ACCOUNT_PATHS_WALKED);
    const struct profile_book *stopped = accounts_line(t->p, ACCOUNT_PATHS_STOPPED);
    char time[TEXT_BYTES], counted[TEXT_BYTES], times[TEXT_BYTES];
    if (!walked)
        return;
    if (!walked->count) {
        fputs("The heap was not walked, so there are no paths.\n", t->out);
        return;
    }
    bool is_counted = stopped && stopped->ns;
    snprintf(times, sizeof times, "%" PRIu64 " times", walked->count);
    fprintf(t->out, "To find paths, the heap was walked %s, in %s; all threads were stopped for %s by the JVM's counters.\n",
            walked->count == 1 ? "once" : times, text_time(time, sizeof time, walked->ns),
            is_counted ? text_time(counted, sizeof counted, stopped->ns) : "?");
}

void text_live_limits(const struct text *t)
{
    const char *most = profile_setting(t->p, "live_max");
    put_walks(t);
    if (!most)
        return;
    fputs("Bytes are those that the sampled objects represent. At most ", t->out);
    utf8_write(t->out, most, strnlen(most, NUMBER_BYTES));
    fputs(" are watched (--live-max); they also represent\nthe displaced objects.\n", t->out);
}
