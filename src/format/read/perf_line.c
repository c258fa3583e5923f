#include "format/read/perf_line.h"

#include <ctype.h>
#include <string.h>

static struct perf_text from(struct perf_text t, size_t at)
{
    return (struct perf_text){t.bytes + at, t.len - at};
}

static size_t blanks(struct perf_text t)
{
    size_t n = 0;
    while (n < t.len && isspace((unsigned char)t.bytes[n]))
        n++;
    return n;
}

static size_t word(struct perf_text t)
{
    size_t n = 0;
    while (n < t.len && !isspace((unsigned char)t.bytes[n]))
        n++;
    return n;
}

struct perf_text perf_line_trim(struct perf_text t)
{
    t = from(t, blanks(t));
    while (t.len && isspace((unsigned char)t.bytes[t.len - 1]))
        t.len--;
    return t;
}

bool perf_line_next(struct perf_text *text, struct perf_text *line)
{
    if (!text->len)
        return false;
    const char *end = memchr(text->bytes, '\n', text->len);
    size_t n = end ? (size_t)(end - text->bytes) : text->len;
    *line = (struct perf_text){text->bytes, n};
    *text = from(*text, end ? n + 1 : n);
    return true;
}

/* Digits at the beginning, taken off; false when there are none, or more than a number has. */
static bool take_number(struct perf_text *t, uint64_t *number)
{
    size_t n = 0;
    for (*number = 0; n < t->len && isdigit((unsigned char)t->bytes[n]); n++)
        if (__builtin_mul_overflow(*number, 10u, number) || __builtin_add_overflow(*number, (unsigned)(t->bytes[n] - '0'), number))
            return false;
    *t = from(*t, n);
    return n != 0;
}

static bool take_sign(struct perf_text *t, char sign)
{
    if (!t->len || *t->bytes != sign)
        return false;
    *t = from(*t, 1);
    return true;
}

/* "[003]": the processor. */
static void skip_cpu(struct perf_text *t)
{
    struct perf_text rest = from(*t, blanks(*t));
    uint64_t cpu;
    if (take_sign(&rest, '[') && take_number(&rest, &cpu) && take_sign(&rest, ']'))
        *t = rest;
}

/* "4794564.109216:" */
static void take_time(struct perf_text *t, uint64_t *ns)
{
    struct perf_text rest = from(*t, blanks(*t));
    uint64_t seconds, part, unit = 1000000000;
    if (!take_number(&rest, &seconds) || !take_sign(&rest, '.'))
        return;
    size_t digits = rest.len;
    if (!take_number(&rest, &part) || (digits -= rest.len) > 9 || !take_sign(&rest, ':') || seconds >= 1ull << 33)
        return;
    while (digits--)
        unit /= 10;
    *ns = seconds * 1000000000 + part * unit;
    *t = rest;
}

static void take_period(struct perf_text *t, struct perf_head *h)
{
    struct perf_text rest = from(*t, blanks(*t));
    uint64_t period;
    if (!take_number(&rest, &period) || !blanks(rest))
        return;
    h->period = period;
    h->has_period = true;
    *t = rest;
}

/* What stands behind the thread: "[000] 95.123: 10101010 cpu-clock:u: ..." */
static bool take_event(struct perf_text t, struct perf_head *h)
{
    skip_cpu(&t);
    take_time(&t, &h->time_ns);
    take_period(&t, h);
    t = from(t, blanks(t));
    size_t n = word(t);
    if (n < 2 || t.bytes[n - 1] != ':' || isdigit((unsigned char)*t.bytes))
        return false;
    h->event = (struct perf_text){t.bytes, n - 1};
    h->rest = perf_line_trim(from(t, n));
    return true;
}

/* "19983" or "19980/19983" */
static bool take_thread(struct perf_text *t, struct perf_head *h)
{
    if (!take_number(t, &h->tid))
        return false;
    if (!take_sign(t, '/'))
        return blanks(*t) != 0;
    h->pid = h->tid;
    return take_number(t, &h->tid) && blanks(*t);
}

/* A command may have blanks and numbers in it: the first number that all the rest fits to is the thread. */
bool perf_line_head(struct perf_text line, struct perf_head *head)
{
    line = perf_line_trim(line);
    for (size_t at = word(line); at < line.len;) {
        struct perf_text rest = from(line, at + blanks(from(line, at)));
        *head = (struct perf_head){.comm = {line.bytes, at}};
        size_t next = line.len - rest.len + word(rest);
        if (at && take_thread(&rest, head) && take_event(rest, head))
            return true;
        at = next;
    }
    return false;
}

/* "+0x46" behind a symbol. */
static struct perf_text without_offset(struct perf_text t)
{
    const char *plus = memrchr(t.bytes, '+', t.len);
    if (plus && (size_t)(t.bytes + t.len - plus) > 3 && plus[1] == '0' && plus[2] == 'x')
        t.len = (size_t)(plus - t.bytes);
    return t;
}

/* "(/lib/x.so)" at the end, with what stands in brackets in it; taken off. */
static struct perf_text take_dso(struct perf_text *t)
{
    size_t at = t->len;
    int depth = 0;
    if (!at || t->bytes[at - 1] != ')')
        return (struct perf_text){"", 0};
    do {
        at--;
        depth += t->bytes[at] == ')';
        depth -= t->bytes[at] == '(';
    } while (at && depth);
    if (depth || (at && !isspace((unsigned char)t->bytes[at - 1])))
        return (struct perf_text){"", 0};
    struct perf_text dso = {t->bytes + at + 1, t->len - at - 2};
    t->len = at;
    *t = perf_line_trim(*t);
    return dso;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool perf_line_frame(struct perf_text line, struct perf_frame *frame)
{
    size_t n = 0;
    line = perf_line_trim(line);
    *frame = (struct perf_frame){0};
    for (int digit; n < line.len && n < 17 && (digit = hex_digit(line.bytes[n])) >= 0; n++)
        frame->address = frame->address << 4 | (uint64_t)digit;
    if (!n || n > 16 || n == line.len || !isspace((unsigned char)line.bytes[n]))
        return false;
    line = perf_line_trim(from(line, n));
    frame->dso = take_dso(&line);
    frame->symbol = without_offset(line);
    return frame->dso.len || frame->symbol.len;
}
