#include "report/text/text.h"

#include "base/buffer.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "profile/names.h"

#include <inttypes.h>
#include <string.h>

/* The columns of a name if no terminal limits them. Java's names are shorter; names of C++ may have a page of template arguments. */
enum { NAME_COLUMNS = 160 };

static const char *const styles[] = {"", "\033[1m", "\033[2m", "\033[33m", "\033[31m"};

void text_begin(const struct text *t, enum text_style style)
{
    if (t->o->colour)
        fputs(styles[style], t->out);
}

void text_end(const struct text *t, enum text_style style)
{
    if (t->o->colour && style != TEXT_PLAIN)
        fputs("\033[m", t->out);
}

void text_heading(const struct text *t, const char *title, const char *about)
{
    fputc('\n', t->out);
    text_begin(t, TEXT_HEADING);
    utf8_print(t->out, title);
    text_end(t, TEXT_HEADING);
    text_begin(t, TEXT_FAINT);
    utf8_print(t->out, about);
    text_end(t, TEXT_FAINT);
    fputc('\n', t->out);
}

char *text_count(char *out, size_t size, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
    size_t at = 0;
    for (int i = 0; i < len && at + 2 < size; i++) {
        if (i && (len - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = 0;
    return out;
}

char *text_time(char *out, size_t size, int64_t ns)
{
    char plain[32];
    uint64_t size_of_it = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (ns)
        units_format_duration(plain, sizeof plain, size_of_it);
    else
        snprintf(plain, sizeof plain, "0");
    snprintf(out, size, "%s%s", ns < 0 ? "-" : "", plain);
    return out;
}

char *text_weight(char *out, size_t size, const struct profile *p, uint64_t weight)
{
    if (p->unit == PROFILE_UNIT_NS)
        return text_time(out, size, (int64_t)weight);
    if (p->unit == PROFILE_UNIT_BYTES)
        return units_format_bytes(out, size, weight);
    return text_count(out, size, weight);
}

const char *text_whole(const struct text *t)
{
    return profile_whole(t->p);
}

bool text_is_full(double share)
{
    return share * 100 >= 99.95;
}

void text_shares(const struct text *t, double total, double self, bool wide_total, bool wide_self)
{
    fprintf(t->out, "(t %*.1f,s %*.1f) ", wide_total ? 5 : 4, total * 100, wide_self ? 5 : 4, self * 100);
}

void text_interval(const struct text *t, struct interval i, bool wide)
{
    char plain[32];
    snprintf(plain, sizeof plain, "[%.1f..%.1f]", i.low * 100, i.high * 100);
    text_begin(t, TEXT_FAINT);
    fprintf(t->out, "%-*s ", wide ? 13 : 12, plain);
    text_end(t, TEXT_FAINT);
}

const char *text_mark(uint8_t type)
{
    return type == JFR_FRAME_KERNEL ? " (kernel)" : "";
}

void text_name(const struct text *t, uint32_t label, size_t used, const char *tail)
{
    const char *name = profile_text(t->p, label);
    struct buffer b;
    buffer_init(&b, 1 << 20);
    used += strlen(tail);
    size_t room = t->o->width > used ? t->o->width - used : 0;
    if (room || utf8_columns(name) > NAME_COLUMNS) {
        names_short(&b, name, room ? room : NAME_COLUMNS);
        buffer_u8(&b, 0);
        if (!b.failed)
            name = (const char *)b.data;
    }
    utf8_print(t->out, name);
    fputs(tail, t->out);
    fputc('\n', t->out);
    buffer_deinit(&b);
}

void text_plain_name(const struct text *t, const char *name)
{
    utf8_print(t->out, *name ? name : "[none]");
    fputc('\n', t->out);
}

bool text_is_shown(const struct text *t, const struct stats_figure *f)
{
    return f->weight && (t->o->top_set || f->share >= 0.0005);
}

/* Returns the length of a plural's singular: "methods", "classes". */
static int singular_length(const char *plural)
{
    size_t n = strlen(plural);
    return (int)(n > 4 && !strcmp(plural + n - 4, "sses") ? n - 2 : n - 1);
}

void text_rest(const struct text *t, uint32_t count, uint64_t weight, const char *what)
{
    char number[32];
    bool is_one = count == 1;
    if (!count)
        return;
    double share = t->s->weight ? (double)weight / (double)t->s->weight : 0;
    text_begin(t, TEXT_FAINT);
    fprintf(t->out, "%s more %.*s, %ss %.1f", text_count(number, sizeof number, count), is_one ? singular_length(what) : (int)strlen(what),
            what, is_one ? "" : "together ", share * 100);
    text_end(t, TEXT_FAINT);
    fputc('\n', t->out);
}

int report_text(FILE *out, const struct profile *p, struct stats *s, const struct report_options *o)
{
    struct text t = {.out = out, .p = p, .s = s, .o = o};
    int rc = 0;
    text_header(&t);
    text_label(&t);
    if (o->sections & REPORT_METHODS) {
        text_leaks(&t);
        text_holders(&t);
        text_allocated(&t);
        text_locks(&t);
    }
    if (o->sections & REPORT_METHODS) {
        text_own(&t);
        text_methods(&t);
    }
    if (o->sections & REPORT_LINES)
        text_lines(&t);
    text_source(&t);
    text_groups(&t);
    rc = text_trees(&t);
    if (o->sections & REPORT_THREADS)
        text_threads(&t);
    if (o->sections & REPORT_BOOKS)
        text_books(&t);
    if (o->sections & REPORT_BOOKS)
        text_halt_books(&t);
    text_problems(&t);
    return rc;
}
