/* Reads single characters of a pattern: escapes after a backslash, and classes in brackets, which consist of characters. */
#include "regex/regex_internal.h"

#include "base/array.h"
#include "base/text/utf8.h"

#include <string.h>

int regex_bad(const struct regex_reader *r, const char *what)
{
    size_t characters = 1;
    for (const char *c = r->begin; c < r->at; c++)
        characters += (*c & 0xc0) != 0x80;
    return error_set(r->error, -EINVAL, "at character %zu: %s", characters, what);
}

/* Decodes a well-formed character. */
static uint32_t decode(const char *at, size_t len)
{
    const uint8_t *s = (const uint8_t *)at;
    uint32_t rune = len == 1 ? s[0] : s[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++)
        rune = rune << 6 | (s[i] & 0x3f);
    return rune;
}

int regex_rune(struct regex_reader *r, uint32_t *rune)
{
    size_t len = utf8_length(r->at, strnlen(r->at, 4));
    if (!len)
        return regex_bad(r, *r->at ? "not valid UTF-8" : "it ends too early");
    *rune = decode(r->at, len);
    r->at += len;
    return 0;
}

static int digit_of(char c, int base)
{
    int v = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
    return v < base ? v : -1;
}

/* Reads a number of at most `most` digits. *n is the number of digits. */
static uint32_t number(struct regex_reader *r, int base, int most, int *n)
{
    uint32_t v = 0;
    int digit;
    for (*n = 0; *n < most && (digit = digit_of(*r->at, base)) >= 0; ++*n, r->at++)
        v = v * (uint32_t)base + (uint32_t)digit;
    return v;
}

/* Reads \x41 or \x{263a}. */
static int hexadecimal(struct regex_reader *r, uint32_t *rune)
{
    int n;
    bool braces = *r->at == '{';
    r->at += braces;
    *rune = number(r, 16, braces ? 6 : 2, &n);
    if (!n || (!braces && n != 2) || (braces && *r->at != '}') || *rune > RUNE_MAX)
        return regex_bad(r, "\\x wants two hexadecimal digits, or {digits}");
    r->at += braces;
    return 0;
}

int regex_escape(struct regex_reader *r, uint32_t *rune)
{
    static const char letters[] = "a\af\fn\nr\rt\tv\v";
    char c = *r->at;
    int n;
    if ((c & 0x80) || !c)
        return regex_bad(r, "a backslash must be followed by an ASCII character that it changes");
    bool octal = c >= '0' && c <= '7' && (c == '0' || digit_of(r->at[1], 8) >= 0);
    if (c >= '1' && c <= '9' && !octal)
        return regex_bad(r, "backreferences are not supported (the syntax is RE2's)");
    if (octal) {
        *rune = number(r, 8, 3, &n);
        return 0;
    }
    r->at++;
    if (c == 'x')
        return hexadecimal(r, rune);
    for (size_t i = 0; i + 1 < sizeof letters; i += 2)
        if (letters[i] == c) {
            *rune = (uint8_t)letters[i + 1];
            return 0;
        }
    *rune = (uint8_t)c;
    r->at--;
    if (c == 'p' || c == 'P' || c == 'C')
        return regex_bad(r, "\\p, \\P and \\C are not supported");
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')
        return regex_bad(r, "no such escape (the syntax is RE2's)");
    r->at++;
    return 0;
}

/* ---- classes ---- */

struct regex_class *regex_new_class(struct regex_tree *tree, uint32_t *id)
{
    if (ARRAY_GROW(tree->classes, tree->class_cap, tree->class_count))
        return NULL;
    *id = tree->class_count++;
    tree->classes[*id] = (struct regex_class){0};
    return &tree->classes[*id];
}

/* Reads [:alpha:] or [:^alpha:]. Returns 1, 0 if there is none, or a negative code. */
static int read_posix(struct regex_reader *r, struct regex_class *c)
{
    const char *end = r->at[0] == '[' && r->at[1] == ':' ? strstr(r->at + 2, ":]") : NULL;
    if (!end)
        return 0;
    const char *name = r->at + 2;
    bool negated = *name == '^';
    name += negated;
    if (!class_add_posix(c, name, (size_t)(end - name), negated))
        return regex_bad(r, "there is no such class of characters");
    r->at = end + 2;
    return 1;
}

/* Reads \d and similar classes. Returns 1, or 0 if there is none. */
static int read_perl(struct regex_reader *r, struct regex_class *c)
{
    if (r->at[0] != '\\' || !class_add_perl(c, r->at[1]))
        return 0;
    r->at += 2;
    return 1;
}

static int read_one(struct regex_reader *r, uint32_t *rune)
{
    if (*r->at != '\\')
        return regex_rune(r, rune);
    r->at++;
    return regex_escape(r, rune);
}

static int read_range(struct regex_reader *r, struct regex_class *c)
{
    uint32_t first, last;
    int rc = read_one(r, &first);
    last = first;
    if (!rc && r->at[0] == '-' && r->at[1] && r->at[1] != ']') {
        r->at++;
        rc = read_one(r, &last);
    }
    if (!rc && last < first)
        rc = regex_bad(r, "a range ends before its beginning");
    if (!rc)
        class_add(c, first, last);
    return rc;
}

int regex_read_class(struct regex_reader *r, uint32_t *id)
{
    struct regex_class *c = regex_new_class(r->tree, id);
    if (!c)
        return -ENOMEM;
    const char *open = r->at++;
    bool negated = *r->at == '^';
    r->at += negated;
    int rc = 0;
    for (bool first = true; rc >= 0 && *r->at && (*r->at != ']' || first); first = false) {
        rc = read_posix(r, c);
        rc = rc ? rc : read_perl(r, c);
        rc = rc ? rc : read_range(r, c);
    }
    if (rc < 0)
        return rc;
    if (!*r->at) {
        r->at = open;
        return regex_bad(r, "a ] is missing for the [");
    }
    r->at++;
    if (r->fold)
        class_fold(c);
    class_end(c, negated);
    return c->failed ? -ENOMEM : 0;
}
