/* Runs a program: all its threads at once, and each character of the text once. A thread is a place in the program. Two threads at one
 * place are one thread. So a character takes at most as many steps as the program has. */
#include "regex/regex_internal.h"

#include "base/text/utf8.h"

#include <string.h>

enum { NO_RUNE = -1 }; /* before the first character, and after the last */

struct run {
    const struct regex *r;
    int32_t before, here; /* the characters before and after the place */
    bool matched;
};

static bool is_word(int32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_at(const struct run *m, enum regex_place place)
{
    switch (place) {
    case AT_BEGIN:
        return m->before == NO_RUNE;
    case AT_END:
        return m->here == NO_RUNE;
    case AT_LINE_BEGIN:
        return m->before == NO_RUNE || m->before == '\n';
    case AT_LINE_END:
        return m->here == NO_RUNE || m->here == '\n';
    case AT_WORD:
        return is_word(m->before) != is_word(m->here);
    case AT_NO_WORD:
        return is_word(m->before) == is_word(m->here);
    }
    return false;
}

/* Adds a step to the set. Returns false if it is already there. */
static bool put(struct regex_threads *t, uint32_t step)
{
    uint32_t place = t->place[step];
    if (place < t->count && t->list[place] == step)
        return false;
    t->place[step] = t->count;
    t->list[t->count++] = step;
    return true;
}

/* Follows a thread until it waits for a character. Each step is followed at most once for a place in the text. */
static void follow(struct run *m, struct regex_threads *t, uint32_t step)
{
    const struct regex *r = m->r;
    uint32_t pending = 0;
    r->pending[pending++] = step;
    while (pending) {
        step = r->pending[--pending];
        while (put(t, step)) {
            const struct regex_step *s = &r->steps[step];
            m->matched |= s->op == OP_MATCH;
            if (s->op == OP_SPLIT)
                r->pending[pending++] = s->to;
            if (s->op == OP_JUMP)
                step = s->to;
            else if (s->op == OP_SPLIT || (s->op == OP_AT && is_at(m, s->value)))
                step++;
            else
                break;
        }
    }
}

static bool takes(const struct regex *r, const struct regex_step *s, int32_t c)
{
    return (s->op == OP_RUNE && s->value == (uint32_t)c) || (s->op == OP_CLASS && class_has(&r->classes[s->value], (uint32_t)c));
}

/* Returns the next character, or NO_RUNE at the end, and advances *at. */
static int32_t next_rune(const char **at, const char *end)
{
    const uint8_t *s = (const uint8_t *)*at;
    if (*at == end)
        return NO_RUNE;
    size_t len = utf8_length(*at, (size_t)(end - *at));
    *at += len ? len : 1;
    if (!len)
        return RUNE_BAD;
    uint32_t c = len == 1 ? s[0] : s[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++)
        c = c << 6 | (s[i] & 0x3f);
    return (int32_t)c;
}

uint32_t regex_size(const struct regex *r)
{
    return r->count;
}

bool regex_matches(const struct regex *r, const char *text)
{
    const char *at = text, *end = text + strlen(text);
    if (!regex_has_literals(r, text, end))
        return false;
    struct regex_threads now = r->now, next = r->next;
    struct run m = {.r = r, .before = NO_RUNE, .here = next_rune(&at, end)};
    follow(&m, &now, 0);
    while (!m.matched && m.here != NO_RUNE && (now.count || !r->whole)) {
        int32_t c = m.here;
        m.before = c;
        m.here = next_rune(&at, end);
        for (uint32_t i = 0; i < now.count && !m.matched; i++)
            if (takes(r, &r->steps[now.list[i]], c))
                follow(&m, &next, now.list[i] + 1);
        if (!r->whole)
            follow(&m, &next, 0);
        struct regex_threads swap = now;
        now = next;
        next = swap;
        next.count = 0;
    }
    return m.matched;
}
