#include "base/text/number.h"
#include "format/collapsed.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

struct line {
    const char *stack;
    size_t len;
    double weight;
};

/* Takes async-profiler's mark for a frame's type from the end of the name. */
static uint8_t take_mark(const char *name, size_t *len)
{
    static const struct {
        const char *mark;
        uint8_t type;
    } marks[] = {{"_[0]", JFR_FRAME_INTERPRETED},
                 {"_[j]", JFR_FRAME_C2},
                 {"_[i]", JFR_FRAME_INLINED},
                 {"_[k]", JFR_FRAME_KERNEL},
                 {"_[1]", JFR_FRAME_C1}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (*len > 4 && !memcmp(name + *len - 4, marks[i].mark, 4)) {
            *len -= 4;
            return marks[i].type;
        }
    return PROFILE_TYPE_OTHER;
}

/* Parses a thread as async-profiler writes it: "[main tid=4711]". */
static bool take_thread(const char *name, size_t len, const char **thread, size_t *thread_len, uint64_t *tid)
{
    static const char word[] = " tid=";
    const char *at = len > 2 && name[0] == '[' && name[len - 1] == ']' ? memmem(name, len, word, sizeof word - 1) : NULL;
    if (!at)
        return false;
    const char *digits = at + sizeof word - 1, *end = name + len - 1;
    if (number_take_before(&digits, end, 10, tid) || digits != end)
        return false;
    *thread = name + 1;
    *thread_len = (size_t)(at - name) - 1;
    return true;
}

/* Parses a line such as "a;b;c 12". The number is the text after the last blank. */
static bool parse_line(const char *text, size_t len, struct line *l)
{
    char number[32];
    while (len && isspace((unsigned char)text[len - 1]))
        len--;
    const char *blank = memrchr(text, ' ', len);
    size_t digits = blank ? len - (size_t)(blank - text) - 1 : 0;
    if (!blank || blank == text || !digits || digits >= sizeof number || !isdigit((unsigned char)blank[1]))
        return false;
    memcpy(number, blank + 1, digits);
    number[digits] = 0;
    *l = (struct line){.stack = text, .len = (size_t)(blank - text)};
    return !number_parse_real(number, 0, INFINITY, &l->weight);
}

struct reader {
    struct profile *p;
    struct import_stack stack;
    uint64_t refused, left_out;
    bool ns;
};

static int take_line(struct reader *r, const struct line *l)
{
    struct profile_sample s = {0};
    const char *thread = NULL;
    size_t thread_len = 0;
    uint64_t tid = 0;
    uint32_t frame, name;
    bool truncated;
    for (size_t at = 0, end; at <= l->len; at = end + 1) {
        const char *next = memchr(l->stack + at, ';', l->len - at);
        end = next ? (size_t)(next - l->stack) : l->len;
        size_t len = end - at;
        if (!at && take_thread(l->stack, len, &thread, &thread_len, &tid))
            continue;
        uint8_t type = take_mark(l->stack + at, &len);
        if (import_frame(r->p, l->stack + at, len, 0, type, &frame) || import_stack_add(&r->stack, frame))
            return -ENOMEM;
    }
    int rc = import_stack_take(&r->stack, r->p, false, &s.stack, &truncated);
    if (!rc && !s.stack)
        rc = import_no_stack(r->p, &s.stack);
    if (!rc && thread)
        rc = profile_string(r->p, thread, thread_len, &name) || profile_thread(r->p, name, tid, 0, &s.thread) ? -ENOMEM : 0;
    else if (!rc)
        rc = import_no_thread(r->p, &s.thread);
    s.weight = l->weight < 4e18 ? (uint64_t)(l->weight + 0.5) : UINT64_MAX;
    s.count = r->ns ? 1 : s.weight < UINT32_MAX ? (uint32_t)s.weight : UINT32_MAX;
    return rc ? rc : import_sample(r->p, &s, truncated, &r->refused);
}

/* Returns the end of the line that begins at `at`. */
static size_t line_end(const struct import *in, size_t at)
{
    const uint8_t *end = memchr(in->bytes + at, '\n', in->size - at);
    return end ? (size_t)(end - in->bytes) : in->size;
}

static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\r')
            return false;
    return true;
}

/* The number of lines of each kind at the beginning of a file. */
struct looks {
    size_t stacks; /* frames separated by ';', and a number */
    size_t frames; /* one frame without blanks, and a number */
    size_t words;  /* several words and a number: this is a frame if the file also has stacks, else it may be any text */
    size_t others;
};

static void look_at(struct looks *l, const char *line, size_t len)
{
    struct line one;
    bool counted = parse_line(line, len, &one);
    if (counted && memchr(one.stack, ';', one.len))
        l->stacks++;
    else if (counted && !memchr(one.stack, ' ', one.len) && !memchr(one.stack, '\t', one.len))
        l->frames++;
    else if (counted)
        l->words++;
    else
        l->others++;
}

/* Many texts have some lines that end in a number, but in a file of stacks nine of ten lines do. A line of one frame with blanks in its
 * name counts only if the file also has real stacks. */
bool collapsed_is(const uint8_t *bytes, size_t size, bool whole)
{
    const struct import in = {.bytes = bytes, .size = size};
    struct looks l = {0};
    for (size_t at = 0, end; at < size; at = end + 1) {
        end = line_end(&in, at);
        if (!is_text(bytes + at, end - at))
            return false;
        bool cut = end == size && !whole;
        if (cut && !l.stacks && !l.frames && !l.words && !l.others) /* a very long line, whose end is not known */
            return memchr(bytes + at, ';', end - at);
        if (!cut && bytes[at] != '#' && end > at && bytes[at] != '\r')
            look_at(&l, (const char *)bytes + at, end - at);
    }
    return l.stacks ? l.others <= (l.stacks + l.frames + l.words) / 9 : l.frames && !l.words && !l.others;
}

int collapsed_read(struct profile *p, const struct import *in)
{
    struct reader r = {.p = p, .ns = in->value && !strcmp(in->value, "ns")};
    int rc = 0;
    p->unit = r.ns ? PROFILE_UNIT_NS : PROFILE_UNIT_SAMPLES;
    if (in->value && !r.ns && strcmp(in->value, "samples"))
        return import_bad(in, "collapsed stacks have only one value, the number of samples (with --value ns: nanoseconds), not '%.60s'",
                          in->value);
    for (size_t at = 0, end; !rc && at < in->size; at = end + 1) {
        struct line l;
        end = line_end(in, at);
        if (end == at || in->bytes[at] == '#' || (end == at + 1 && in->bytes[at] == '\r'))
            continue;
        if (memchr(in->bytes + at, 0, end - at) || !parse_line((const char *)in->bytes + at, end - at, &l))
            r.left_out++;
        else
            rc = take_line(&r, &l);
    }
    if (!rc && !p->sample_count && (r.left_out || !in->size))
        rc = import_bad(in, "not collapsed stacks: no line ends in a number");
    if (!rc && r.left_out)
        rc = profile_add_problem(p, "warning", "%llu lines left out that are not a stack followed by a number",
                                 (unsigned long long)r.left_out);
    rc = rc ? rc : import_refused(p, r.refused);
    import_stack_deinit(&r.stack);
    return rc;
}
