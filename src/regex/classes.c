/* Sets of characters. */
#include "regex/regex_internal.h"

#include "base/array.h"

#include <string.h>

void class_add(struct regex_class *c, uint32_t first, uint32_t last)
{
    if (c->failed || ARRAY_GROW(c->ranges, c->cap, c->count))
        c->failed = true;
    else
        c->ranges[c->count++] = (struct regex_range){first, last};
}

/* Adds all characters outside of `ranges`, which are sorted and do not touch. */
static void add_others(struct regex_class *c, const struct regex_range *ranges, uint32_t n)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (ranges[i].first > next)
            class_add(c, next, ranges[i].first - 1);
        next = ranges[i].last + 1;
    }
    if (next <= RUNE_MAX)
        class_add(c, next, RUNE_MAX);
}

/* ---- names ---- */

static const struct named {
    const char *name;
    struct regex_range ranges[5]; /* sorted, with gaps; the first {0, 0} after the first range ends them */
} names[] = {
    {"d", {{'0', '9'}}},
    {"s", {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}},
    {"w", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"ascii", {{0, 0x7f}}},
    {"blank", {{'\t', '\t'}, {' ', ' '}}},
    {"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}},
    {"digit", {{'0', '9'}}},
    {"graph", {{'!', '~'}}},
    {"lower", {{'a', 'z'}}},
    {"print", {{' ', '~'}}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{'\t', '\r'}, {' ', ' '}}},
    {"upper", {{'A', 'Z'}}},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

static bool add_named(struct regex_class *c, const char *name, size_t len, bool negated)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct named *of = &names[i];
        uint32_t n = 1;
        if (strlen(of->name) != len || memcmp(of->name, name, len))
            continue;
        while (of->ranges[n].last)
            n++;
        if (negated)
            add_others(c, of->ranges, n);
        for (uint32_t k = 0; !negated && k < n; k++)
            class_add(c, of->ranges[k].first, of->ranges[k].last);
        return true;
    }
    return false;
}

bool class_add_perl(struct regex_class *c, char kind)
{
    bool negated = kind == 'D' || kind == 'S' || kind == 'W';
    char name = negated ? (char)(kind - 'A' + 'a') : kind;
    return (name == 'd' || name == 's' || name == 'w') && add_named(c, &name, 1, negated);
}

bool class_add_posix(struct regex_class *c, const char *name, size_t len, bool negated)
{
    return len > 1 && add_named(c, name, len, negated);
}

/* ---- the whole ---- */

static void fold_range(struct regex_class *c, struct regex_range r, uint32_t from, uint32_t to, int32_t by)
{
    uint32_t first = r.first > from ? r.first : from, last = r.last < to ? r.last : to;
    if (first <= last)
        class_add(c, (uint32_t)((int32_t)first + by), (uint32_t)((int32_t)last + by));
}

void class_fold(struct regex_class *c)
{
    for (uint32_t i = 0, n = c->count; i < n; i++) {
        struct regex_range r = c->ranges[i];
        fold_range(c, r, 'a', 'z', 'A' - 'a');
        fold_range(c, r, 'A', 'Z', 'a' - 'A');
    }
}

static int by_first(const void *left, const void *right)
{
    const struct regex_range *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

static void join(struct regex_class *c)
{
    uint32_t n = 0;
    if (c->count)
        qsort(c->ranges, c->count, sizeof *c->ranges, by_first);
    for (uint32_t i = 0; i < c->count; i++) {
        struct regex_range r = c->ranges[i];
        if (!n || r.first > c->ranges[n - 1].last + 1)
            c->ranges[n++] = r;
        else if (r.last > c->ranges[n - 1].last)
            c->ranges[n - 1].last = r.last;
    }
    c->count = n;
}

void class_end(struct regex_class *c, bool negated)
{
    join(c);
    if (negated) {
        struct regex_class others = {0};
        add_others(&others, c->ranges, c->count);
        others.failed |= c->failed;
        free(c->ranges);
        *c = others;
    }
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t r = c->ranges[i].first; r <= c->ranges[i].last && r < 128; r++)
            c->ascii[r / 64] |= (uint64_t)1 << r % 64;
}

bool class_has(const struct regex_class *c, uint32_t rune)
{
    uint32_t low = 0, high = c->count;
    if (rune < 128)
        return c->ascii[rune / 64] >> rune % 64 & 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->ranges[middle].last < rune)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->count && c->ranges[low].first <= rune;
}
