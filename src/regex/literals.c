/* Finds texts that are in every match of a pattern, in this order. Most names that a pattern does not match lack one of them, so they are
 * refused without running the program, which takes a hundred times as long. */
#include "regex/regex_internal.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>

enum { LEAST = 2, MOST = 8 }; /* bytes of a literal; number of literals */

static int put(struct regex *r, char c)
{
    if (ARRAY_GROW(r->literals, r->literal_cap, r->literal_bytes))
        return -ENOMEM;
    r->literals[r->literal_bytes++] = c;
    return 0;
}

/* Ends the literal that begins at `from`, or forgets it if it is too short to be worth a search. */
static int end_literal(struct regex *r, uint32_t from)
{
    if (r->literal_bytes - from < LEAST) {
        r->literal_bytes = from;
        return 0;
    }
    r->literal_count++;
    return put(r, 0);
}

/* A step is in every match unless a step before it can continue behind it. Steps that wait for one ASCII character each, and follow each
 * other, are a literal. */
int regex_find_literals(struct regex *r)
{
    uint32_t sure = 0, from = 0; /* steps from `sure` on cannot be left out */
    int rc = 0;
    for (uint32_t i = 0; !rc && i < r->count && r->literal_count < MOST; i++) {
        const struct regex_step *s = &r->steps[i];
        bool moves = s->op == OP_SPLIT || s->op == OP_JUMP;
        if (moves && s->to > sure)
            sure = s->to;
        if (i >= sure && s->op == OP_RUNE && s->value && s->value < 0x80) {
            rc = put(r, (char)s->value);
            continue;
        }
        rc = end_literal(r, from);
        from = r->literal_bytes;
    }
    return rc;
}

bool regex_has_literals(const struct regex *r, const char *text, const char *end)
{
    const char *literal = r->literals;
    for (uint32_t i = 0; i < r->literal_count; i++) {
        size_t n = strlen(literal);
        text = memmem(text, (size_t)(end - text), literal, n);
        if (!text)
            return false;
        text += n;
        literal += n + 1;
    }
    return true;
}
