/* Parses a pattern into a tree. */
#include "base/text/number.h"
#include "regex/regex_internal.h"

#include "base/array.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 250, REPEAT_MAX = 1000 };

/* ---- nodes ---- */

/* Adds a node. Returns its id, or 0 if out of memory. */
static uint32_t new_node(struct regex_reader *r, enum regex_kind kind, uint32_t value)
{
    struct regex_tree *t = r->tree;
    if (ARRAY_GROW(t->nodes, t->cap, t->count))
        return 0;
    t->nodes[t->count] = (struct regex_node){.kind = kind, .value = value};
    return t->count++;
}

/* Returns the largest number of repetitions of a node's deepest part. Nodes with children have it in `value`. */
static uint32_t times_of(const struct regex_node *n)
{
    return n->kind == NODE_CAT || n->kind == NODE_OR || n->kind == NODE_REPEAT ? n->value : 1;
}

/* Adds a node with children, which are a list. */
static uint32_t new_parent(struct regex_reader *r, enum regex_kind kind, uint32_t first)
{
    uint32_t id = new_node(r, kind, 1);
    struct regex_node *nodes = r->tree->nodes;
    for (uint32_t child = id ? first : 0; child; child = nodes[child].next)
        if (times_of(&nodes[child]) > nodes[id].value)
            nodes[id].value = times_of(&nodes[child]);
    if (id)
        nodes[id].first = first;
    return id;
}

/* A list of children, in order, while they are read. */
struct list {
    uint32_t first, last;
};

static void append(struct regex_reader *r, struct list *l, uint32_t id)
{
    if (l->last)
        r->tree->nodes[l->last].next = id;
    else
        l->first = id;
    l->last = id;
}

/* ---- repetitions ---- */

/* Reads a count. A number that is too large becomes the largest number, which exceeds any limit of repetitions. */
static bool read_count(const char **at, long *count)
{
    uint64_t number = LONG_MAX;
    enum number_fault fault = number_take(at, 10, 0, LONG_MAX, &number);
    if (fault == NUMBER_LARGE)
        *at += strspn(*at, "0123456789");
    *count = (long)number;
    return fault == NUMBER_GOOD || fault == NUMBER_LARGE;
}

/* Reads the counts of a repetition {n,m} at "{". Returns false if it is something else; the "{" is then a plain character. */
static bool read_counts(const char **at, long *min, long *max)
{
    const char *c = *at + 1;
    if (!read_count(&c, min))
        return false;
    *max = *min;
    if (*c == ',' && c[1] == '}') {
        *max = -1;
        c++;
    } else if (*c == ',' && (c++, !read_count(&c, max))) {
        return false;
    }
    if (*c != '}')
        return false;
    *at = c + 1;
    return true;
}

static void end_quote(struct regex_reader *r)
{
    if (!r->quoted || r->at[0] != '\\' || r->at[1] != 'E')
        return;
    r->quoted = false;
    r->at += 2;
}

/* Reads a repetition operator. Returns false if there is none. */
static bool read_operator(const char **at, long *min, long *max)
{
    *min = **at == '+';
    *max = **at == '?' ? 1 : -1;
    if (**at == '{')
        return read_counts(at, min, max);
    if (!**at || !strchr("*+?", **at))
        return false;
    ++*at;
    return true;
}

/* Reads the repetitions after an atom. */
static int read_repetition(struct regex_reader *r, uint32_t *id)
{
    long min, max;
    end_quote(r);
    const char *at = r->at, *begin = r->at;
    if (r->quoted || !read_operator(&at, &min, &max))
        return 0;
    long times = max < 0 ? min : max;
    if (min > REPEAT_MAX || times > REPEAT_MAX || (max >= 0 && max < min))
        return regex_bad(r, "a repetition is at most {1000}, and its second number is not below its first");
    uint32_t node = new_parent(r, NODE_REPEAT, *id);
    if (!node)
        return -ENOMEM;
    struct regex_node *n = &r->tree->nodes[node];
    n->min = (int32_t)min;
    n->max = (int32_t)max;
    n->value *= (uint32_t)(times > 1 ? times : 1);
    if (n->value > REPEAT_MAX)
        return regex_bad(r, "repetitions within repetitions, of more than 1000 together");
    *id = node;
    r->at = at + (*at == '?');
    at = r->at;
    if (read_operator(&at, &min, &max)) {
        r->at = begin;
        return regex_bad(r, "a repetition of a repetition; put the inner one into (?:...)");
    }
    return 0;
}

/* ---- atoms ---- */

static int read_or(struct regex_reader *r, uint32_t *id);

/* Reads flags: "(?i)" or "(?i-s:". *group: a group follows that ends with a ). */
static int read_flags(struct regex_reader *r, bool *group)
{
    bool on = true, any = false;
    for (;; r->at++) {
        switch (*r->at) {
        case 'i':
            r->fold = on;
            break;
        case 'm':
            r->lines = on;
            break;
        case 's':
            r->dot_all = on;
            break;
        case 'U':
            break;
        case '-':
            if (!on)
                return regex_bad(r, "a second - among flags");
            on = false;
            any = false;
            continue;
        case ':':
        case ')':
            if (!on && !any)
                return regex_bad(r, "a flag must follow the -");
            *group = *r->at++ == ':';
            return 0;
        default:
            return regex_bad(r, "no such group or flag (the syntax is RE2's)");
        }
        any = true;
    }
}

/* Reads the text after "(?": a name, flags, or something that is not supported. */
static int read_group_kind(struct regex_reader *r, bool *group)
{
    const char *at = r->at;
    bool named = !strncmp(at, "P<", 2) || (*at == '<' && at[1] != '=' && at[1] != '!');
    *group = true;
    if (*at == '=' || *at == '!' || (*at == '<' && !named))
        return regex_bad(r, "lookaround is not supported (the syntax is RE2's)");
    if (!named)
        return read_flags(r, group);
    at += *at == 'P' ? 2 : 1;
    size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (!n || at[n] != '>')
        return regex_bad(r, "a group's name is wrong");
    r->at = at + n + 1;
    return 0;
}

/* Reads a group "(...)". Flags without a group add no node, and stay in force. */
static int read_group(struct regex_reader *r, uint32_t *id)
{
    const struct regex_reader before = *r;
    bool group = true;
    r->at++;
    int rc = 0;
    if (*r->at == '?') {
        r->at++;
        rc = read_group_kind(r, &group);
    }
    if (rc)
        return rc;
    if (!group) {
        *id = new_node(r, NODE_EMPTY, 0);
        return *id ? 0 : -ENOMEM;
    }
    if (++r->depth > DEPTH_MAX)
        return regex_bad(r, "more than 250 groups in groups");
    rc = read_or(r, id);
    if (!rc && *r->at != ')') {
        r->at = before.at;
        return regex_bad(r, "a ) is missing for the (");
    }
    r->at++;
    r->depth--;
    r->fold = before.fold;
    r->lines = before.lines;
    r->dot_all = before.dot_all;
    return rc;
}

static int add_place(struct regex_reader *r, enum regex_place place, uint32_t *id)
{
    *id = new_node(r, NODE_AT, place);
    return *id ? 0 : -ENOMEM;
}

static int add_rune(struct regex_reader *r, uint32_t rune, uint32_t *id)
{
    bool letter = (rune >= 'a' && rune <= 'z') || (rune >= 'A' && rune <= 'Z');
    uint32_t class_id;
    if (!r->fold || !letter) {
        *id = new_node(r, NODE_RUNE, rune);
        return *id ? 0 : -ENOMEM;
    }
    struct regex_class *c = regex_new_class(r->tree, &class_id);
    if (!c)
        return -ENOMEM;
    class_add(c, rune, rune);
    class_fold(c);
    class_end(c, false);
    *id = c->failed ? 0 : new_node(r, NODE_CLASS, class_id);
    return *id ? 0 : -ENOMEM;
}

/* Adds the class for ".", \d and similar classes without brackets. */
static int add_class(struct regex_reader *r, char kind, uint32_t *id)
{
    uint32_t class_id;
    struct regex_class *c = regex_new_class(r->tree, &class_id);
    if (!c)
        return -ENOMEM;
    if (kind != '.')
        class_add_perl(c, kind);
    else if (!r->dot_all)
        class_add(c, '\n', '\n');
    class_end(c, kind == '.');
    *id = c->failed ? 0 : new_node(r, NODE_CLASS, class_id);
    return *id ? 0 : -ENOMEM;
}

static int read_backslash(struct regex_reader *r, uint32_t *id)
{
    static const struct {
        char letter;
        enum regex_place place;
    } places[] = {{'A', AT_BEGIN}, {'z', AT_END}, {'b', AT_WORD}, {'B', AT_NO_WORD}};
    char c = *++r->at;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].letter == c) {
            r->at++;
            return add_place(r, places[i].place, id);
        }
    if (c == 'Q') {
        r->at++;
        r->quoted = true;
        *id = new_node(r, NODE_EMPTY, 0);
        return *id ? 0 : -ENOMEM;
    }
    if (c && strchr("dDsSwW", c)) {
        r->at++;
        return add_class(r, c, id);
    }
    uint32_t rune;
    int rc = regex_escape(r, &rune);
    return rc ? rc : add_rune(r, rune, id);
}

static int read_quoted(struct regex_reader *r, uint32_t *id)
{
    uint32_t rune;
    int rc = regex_rune(r, &rune);
    return rc ? rc : add_rune(r, rune, id);
}

static int read_atom(struct regex_reader *r, uint32_t *id)
{
    uint32_t value;
    int rc;
    switch (*r->at) {
    case '(':
        return read_group(r, id);
    case '[':
        rc = regex_read_class(r, &value);
        *id = rc ? 0 : new_node(r, NODE_CLASS, value);
        return rc ? rc : *id ? 0 : -ENOMEM;
    case '.':
        r->at++;
        return add_class(r, '.', id);
    case '^':
        r->at++;
        return add_place(r, r->lines ? AT_LINE_BEGIN : AT_BEGIN, id);
    case '$':
        r->at++;
        return add_place(r, r->lines ? AT_LINE_END : AT_END, id);
    case '\\':
        return read_backslash(r, id);
    case '*':
    case '+':
    case '?':
        return regex_bad(r, "nothing to repeat");
    default:
        rc = regex_rune(r, &value);
        return rc ? rc : add_rune(r, value, id);
    }
}

/* ---- the whole ---- */

/* Reads a sequence, up to a | or a ) outside of its groups. */
static int read_cat(struct regex_reader *r, uint32_t *id)
{
    struct list l = {0};
    int rc = 0;
    while (!rc && *r->at && (r->quoted || (*r->at != '|' && *r->at != ')'))) {
        uint32_t one = 0;
        const char *counts = r->at;
        long min, max;
        if (!r->quoted && *r->at == '{' && !l.first && read_counts(&counts, &min, &max))
            return regex_bad(r, "nothing to repeat");
        rc = r->quoted ? read_quoted(r, &one) : read_atom(r, &one);
        rc = rc ? rc : read_repetition(r, &one);
        if (!rc)
            append(r, &l, one);
    }
    if (rc)
        return rc;
    *id = new_parent(r, NODE_CAT, l.first);
    return *id ? 0 : -ENOMEM;
}

static int read_or(struct regex_reader *r, uint32_t *id)
{
    struct list l = {0};
    int rc;
    for (;; r->at++) {
        uint32_t one = 0;
        rc = read_cat(r, &one);
        if (rc)
            return rc;
        append(r, &l, one);
        if (*r->at != '|')
            break;
    }
    *id = new_parent(r, NODE_OR, l.first);
    return *id ? 0 : -ENOMEM;
}

int regex_parse(struct regex_tree *tree, const char *text, uint32_t *root, struct error *e)
{
    struct regex_reader r = {.begin = text, .at = text, .tree = tree, .error = e, .dot_all = true};
    *tree = (struct regex_tree){0};
    if (strlen(text) > REGEX_TEXT_MAX)
        return error_set(e, -EINVAL, "the pattern is longer than %d bytes", REGEX_TEXT_MAX);
    if (!new_node(&r, NODE_EMPTY, 0) && !tree->nodes)
        return -ENOMEM;
    int rc = read_or(&r, root);
    return !rc && *r.at ? regex_bad(&r, "a ) without its (") : rc;
}

void regex_tree_deinit(struct regex_tree *tree)
{
    for (uint32_t i = 0; i < tree->class_count; i++)
        free(tree->classes[i].ranges);
    free(tree->classes);
    free(tree->nodes);
}
