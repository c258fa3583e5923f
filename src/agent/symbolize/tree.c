#include "agent/symbolize/tree.h"

#include <stdio.h>
#include <string.h>

enum {
    DEPTH_MAX = 200,
    STEPS_MAX = 20000 /* shared parts could otherwise make a small tree take forever without printing a byte */
};

struct print {
    char *out;
    size_t size, used;
    unsigned depth, steps;
    unsigned element; /* the present element of the pack that is being expanded, from 1; 0 outside of expansions */
};

static void put(struct print *p, const char *text, size_t length)
{
    if (length > p->size - p->used)
        length = p->size - p->used;
    memcpy(p->out + p->used, text, length);
    p->used += length;
}

static void put_text(struct print *p, const char *text)
{
    put(p, text, strlen(text));
}

static char last(const struct print *p)
{
    return p->used ? p->out[p->used - 1] : 0;
}

/* Goes one level deeper, until leave(). Returns false if nothing more must be printed. */
static bool enter(struct print *p)
{
    if (p->used == p->size || p->steps == STEPS_MAX)
        return false;
    p->steps = p->depth == DEPTH_MAX ? STEPS_MAX : p->steps + 1;
    p->depth++;
    return true;
}

static void leave(struct print *p)
{
    p->depth--;
}

/* Returns the argument for a template's parameter, or, in an expansion, an element of that argument. */
static const struct tree *resolve(const struct print *p, const struct tree *t)
{
    while (t && t->kind == TREE_PARAMETER && t->left) {
        t = t->left;
        if (t->kind != TREE_PACK || !p->element)
            continue;
        const struct tree *list = t->left;
        for (unsigned n = p->element; list && --n;)
            list = list->right;
        t = list ? list->left : NULL;
    }
    return t;
}

static const struct tree *find_pack(struct print *p, const struct tree *t)
{
    const struct tree *found = NULL;
    if (t && enter(p)) {
        if (t->kind == TREE_PARAMETER)
            found = t->left && t->left->kind == TREE_PACK ? t->left : NULL;
        else if (t->kind != TREE_EXPANSION && !(found = find_pack(p, t->left)))
            found = find_pack(p, t->right);
        leave(p);
    }
    return found;
}

/* ---- types: in C syntax, a pointer surrounds the type to which it points ---- */

/* Returns the function or array type for which a declarator needs parentheses, before the parameters or the bound; NULL if it needs
 * none. */
static const struct tree *enclosing(const struct print *p, const struct tree *t)
{
    t = resolve(p, t);
    if (t && t->kind == TREE_QUALIFIED)
        t = resolve(p, t->left);
    return t && (t->kind == TREE_FUNCTION || t->kind == TREE_ARRAY) ? t : NULL;
}

/* Whether a part of this type follows the declarator. */
static bool has_right(const struct print *p, const struct tree *t)
{
    while ((t = resolve(p, t)) && (t->kind == TREE_POINTER || t->kind == TREE_QUALIFIED || t->kind == TREE_MEMBER))
        t = t->kind == TREE_MEMBER ? t->right : t->left;
    return t && (t->kind == TREE_FUNCTION || t->kind == TREE_ARRAY);
}

static void print_left(struct print *p, const struct tree *t);
static void print_right(struct print *p, const struct tree *t);

static void print(struct print *p, const struct tree *t)
{
    print_left(p, t);
    print_right(p, t);
}

static bool is_reference(const struct tree *t)
{
    return t && t->kind == TREE_POINTER && t->text[0] == '&';
}

/* Returns the type to which a pointer or reference points, and its sign. A reference to a reference is one reference. */
static const struct tree *pointee(const struct print *p, const struct tree *t, const char **sign, size_t *length)
{
    const struct tree *to = resolve(p, t->left);
    *sign = t->text;
    *length = t->length;
    while (is_reference(t) && is_reference(to)) {
        if (to->length < *length)
            *length = to->length;
        to = resolve(p, to->left);
    }
    return to;
}

static void open_declarator(struct print *p, const struct tree *to)
{
    const struct tree *around = enclosing(p, to);
    print_left(p, to);
    if (around)
        put_text(p, around->kind == TREE_FUNCTION ? "(" : " (");
}

static void close_declarator(struct print *p, const struct tree *to)
{
    if (enclosing(p, to))
        put_text(p, ")");
    print_right(p, to);
}

static void print_qualifiers(struct print *p, unsigned bits)
{
    static const char *const words[] = {" const", " volatile", " restrict", " &", " &&", " noexcept"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (bits & 1u << i)
            put_text(p, words[i]);
}

/* ---- names ---- */

static void print_list(struct print *p, const struct tree *list)
{
    bool first = true;
    for (; list && p->steps < STEPS_MAX; list = list->right, p->steps++) {
        size_t before = p->used;
        if (!first)
            put_text(p, ", ");
        size_t begun = p->used;
        print(p, list->left);
        if (p->used == begun && p->used < p->size)
            p->used = before; /* the pack is empty */
        else
            first = false;
    }
}

static void print_expansion(struct print *p, const struct tree *pattern)
{
    const struct tree *pack = find_pack(p, pattern);
    unsigned outer = p->element;
    if (!pack) {
        print(p, pattern);
        put_text(p, "...");
        return;
    }
    const struct tree *list = pack->left;
    for (p->element = 1; list; list = list->right, p->element++) {
        if (p->element > 1)
            put_text(p, ", ");
        print(p, pattern);
    }
    p->element = outer;
}

static void print_format(struct print *p, const struct tree *t)
{
    for (size_t i = 0; i < t->length; i++)
        if (t->text[i] == '\1')
            print(p, t->left);
        else if (t->text[i] == '\2')
            print(p, t->right);
        else if (t->text[i] == '\3') {
            char digits[16];
            put(p, digits, (size_t)snprintf(digits, sizeof digits, "%u", t->number));
        } else
            put(p, t->text + i, 1);
}

static void print_template(struct print *p, const struct tree *t)
{
    print(p, t->left);
    put_text(p, last(p) == '<' ? " <" : "<");
    print_list(p, t->right);
    put_text(p, last(p) == '>' ? " >" : ">");
}

/* Prints the part before a declarator. For most trees this is everything. */
static void print_left(struct print *p, const struct tree *t)
{
    const char *sign;
    size_t length;
    t = resolve(p, t);
    if (!t || !enter(p))
        return;
    switch (t->kind) {
    case TREE_TEXT:
        put(p, t->text, t->length);
        break;
    case TREE_FORMAT:
    case TREE_SCOPE:
    case TREE_STRUCTOR:
    case TREE_TAGGED:
    case TREE_PARAMETER:
        print_format(p, t);
        break;
    case TREE_TEMPLATE:
        print_template(p, t);
        break;
    case TREE_LIST:
        print_list(p, t);
        break;
    case TREE_PACK:
        print_list(p, t->left);
        break;
    case TREE_EXPANSION:
        print_expansion(p, t->left);
        break;
    case TREE_ENCODING:
        print(p, t->left);
        print_right(p, t->right);
        break;
    case TREE_FUNCTION:
        print_left(p, t->left);
        put_text(p, has_right(p, t->left) ? "" : " ");
        break;
    case TREE_ARRAY:
        print_left(p, t->left);
        break;
    case TREE_POINTER:
        t = pointee(p, t, &sign, &length);
        open_declarator(p, t);
        put(p, sign, length);
        break;
    case TREE_MEMBER:
        open_declarator(p, t->right);
        put_text(p, enclosing(p, t->right) ? "" : " ");
        print(p, t->left);
        put_text(p, "::*");
        break;
    case TREE_QUALIFIED:
        print_left(p, t->left);
        const struct tree *inner = resolve(p, t->left);
        print_qualifiers(p, inner && inner->kind == TREE_QUALIFIED ? t->number & ~inner->number : t->number);
        break;
    }
    leave(p);
}

/* Prints the part after a declarator: parameters and bounds. */
static void print_right(struct print *p, const struct tree *t)
{
    const char *sign;
    size_t length;
    t = resolve(p, t);
    if (!t || !enter(p))
        return;
    switch (t->kind) {
    case TREE_FUNCTION:
        put_text(p, "(");
        print_list(p, t->right);
        put_text(p, ")");
        print_qualifiers(p, t->number);
        print_right(p, t->left);
        break;
    case TREE_ARRAY:
        put_text(p, last(p) == ']' ? "[" : " [");
        print(p, t->right);
        put_text(p, "]");
        print_right(p, t->left);
        break;
    case TREE_POINTER:
        close_declarator(p, pointee(p, t, &sign, &length));
        break;
    case TREE_MEMBER:
        close_declarator(p, t->right);
        break;
    case TREE_QUALIFIED:
        print_right(p, t->left);
        break;
    default:
        break;
    }
    leave(p);
}

bool tree_print(const struct tree *t, char *out, size_t size)
{
    struct print p = {.out = out, .size = size - 1};
    print(&p, t);
    out[p.used] = 0;
    return p.steps < STEPS_MAX;
}
