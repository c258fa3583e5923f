#include "format/read/perf_line.h"

#include "base/time_units.h"

#include <ctype.h>
#include <string.h>

/* Skips the processor, such as "[003]". */
static void skip_cpu(struct span *t)
{
    struct span rest = lines_from(*t, lines_blanks(*t));
    uint64_t cpu;
    if (lines_take_sign(&rest, '[') && lines_take_number(&rest, &cpu) && lines_take_sign(&rest, ']'))
        *t = rest;
}

/* Reads the time, such as "4794564.109216:", if there is one. */
static void take_time(struct span *t, uint64_t *ns)
{
    struct span rest = lines_from(*t, lines_blanks(*t));
    uint64_t seconds, part, unit = NS_PER_S;
    if (!lines_take_number(&rest, &seconds) || !lines_take_sign(&rest, '.'))
        return;
    size_t digits = rest.len;
    if (!lines_take_number(&rest, &part) || (digits -= rest.len) > 9 || !lines_take_sign(&rest, ':') || seconds >= 1ull << 33)
        return;
    while (digits--)
        unit /= 10;
    *ns = seconds * NS_PER_S + part * unit;
    *t = rest;
}

static void take_period(struct span *t, struct perf_head *h)
{
    struct span rest = lines_from(*t, lines_blanks(*t));
    uint64_t period;
    if (!lines_take_number(&rest, &period) || !lines_blanks(rest))
        return;
    h->period = period;
    h->has_period = true;
    *t = rest;
}

/* Reads the text after the thread: "[000] 95.123: 10101010 cpu-clock:u: ...". */
static bool take_event(struct span t, struct perf_head *h)
{
    skip_cpu(&t);
    take_time(&t, &h->time_ns);
    take_period(&t, h);
    t = lines_from(t, lines_blanks(t));
    size_t n = lines_word(t);
    if (n < 2 || t.bytes[n - 1] != ':' || isdigit((unsigned char)*t.bytes))
        return false;
    h->event = (struct span){t.bytes, n - 1};
    h->rest = lines_trim(lines_from(t, n));
    return true;
}

/* Reads the thread: "19983" or "19980/19983". */
static bool take_thread(struct span *t, struct perf_head *h)
{
    if (!lines_take_number(t, &h->tid))
        return false;
    if (!lines_take_sign(t, '/'))
        return lines_blanks(*t) != 0;
    h->pid = h->tid;
    return lines_take_number(t, &h->tid) && lines_blanks(*t);
}

/* Parses a head. A command may contain blanks and numbers, so the first number after which the rest fits the format is the thread. */
bool perf_line_head(struct span line, struct perf_head *head)
{
    line = lines_trim(line);
    for (size_t at = lines_word(line); at < line.len;) {
        struct span rest = lines_from(line, at + lines_blanks(lines_from(line, at)));
        *head = (struct perf_head){.comm = {line.bytes, at}};
        size_t next = line.len - rest.len + lines_word(rest);
        if (at && take_thread(&rest, head) && take_event(rest, head))
            return true;
        at = next;
    }
    return false;
}

/* Removes "+0x46" from the end of a symbol. */
static struct span without_offset(struct span t)
{
    const char *plus = memrchr(t.bytes, '+', t.len);
    if (plus && (size_t)(t.bytes + t.len - plus) > 3 && plus[1] == '0' && plus[2] == 'x')
        t.len = (size_t)(plus - t.bytes);
    return t;
}

/* Takes "(/lib/x.so)", which may contain brackets, from the end of the text. Empty if there is none. */
static struct span take_dso(struct span *t)
{
    size_t at = t->len;
    int depth = 0;
    if (!at || t->bytes[at - 1] != ')')
        return (struct span){"", 0};
    do {
        at--;
        depth += t->bytes[at] == ')';
        depth -= t->bytes[at] == '(';
    } while (at && depth);
    if (depth || (at && !isspace((unsigned char)t->bytes[at - 1])))
        return (struct span){"", 0};
    struct span dso = {t->bytes + at + 1, t->len - at - 2};
    t->len = at;
    *t = lines_trim(*t);
    return dso;
}

bool perf_line_frame(struct span line, struct perf_frame *frame)
{
    line = lines_trim(line);
    *frame = (struct perf_frame){0};
    if (!lines_take_hex(&line, &frame->address) || !lines_blanks(line))
        return false;
    line = lines_trim(line);
    frame->dso = take_dso(&line);
    frame->symbol = without_offset(line);
    return frame->dso.len || frame->symbol.len;
}
