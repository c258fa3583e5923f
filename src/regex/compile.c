/* Compiles a tree into a program for a nondeterministic automaton, after Thompson. */
#include "regex/regex_internal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    const struct regex_tree *tree;
    struct regex *to;
    uint32_t visited; /* number of visits of nodes; a node without instructions takes time, too */
};

enum { VISITED_MAX = 1 << 20 };

static int put(struct writer *w, enum regex_op op, uint32_t value)
{
    struct regex *r = w->to;
    if (r->count == REGEX_PROGRAM_MAX)
        return -E2BIG;
    if (ARRAY_GROW(r->steps, r->cap, r->count))
        return -ENOMEM;
    r->steps[r->count++] = (struct regex_step){.op = op, .value = value};
    return 0;
}

static int put_node(struct writer *w, uint32_t id);

static int put_cat(struct writer *w, const struct regex_node *n)
{
    int rc = 0;
    for (uint32_t child = n->first; !rc && child; child = w->tree->nodes[child].next)
        rc = put_node(w, child);
    return rc;
}

/* Sets the target of all steps in a chain to the next step that is written. Until now each step's `to` is the step before it in the
 * chain. */
static void end_here(struct writer *w, uint32_t open)
{
    while (open != UINT32_MAX) {
        uint32_t before = w->to->steps[open].to;
        w->to->steps[open].to = w->to->count;
        open = before;
    }
}

/*     split 2 | a | jump end | 2: split 3 | b | jump end | 3: c | end: */
static int put_or(struct writer *w, const struct regex_node *n)
{
    uint32_t open = UINT32_MAX; /* the chain of jumps; each has the one before it in `to` */
    int rc = 0;
    for (uint32_t child = n->first; !rc && child; child = w->tree->nodes[child].next) {
        uint32_t split = w->to->count;
        if (!w->tree->nodes[child].next) {
            rc = put_node(w, child);
            break;
        }
        rc = put(w, OP_SPLIT, 0);
        rc = rc ? rc : put_node(w, child);
        uint32_t jump = w->to->count;
        rc = rc ? rc : put(w, OP_JUMP, 0);
        if (!rc) {
            w->to->steps[jump].to = open;
            w->to->steps[split].to = w->to->count;
            open = jump;
        }
    }
    if (!rc)
        end_here(w, open);
    return rc;
}

/*     l: split end | a | jump l | end: */
static int put_star(struct writer *w, uint32_t child)
{
    uint32_t split = w->to->count;
    int rc = put(w, OP_SPLIT, 0);
    rc = rc ? rc : put_node(w, child);
    uint32_t jump = w->to->count;
    rc = rc ? rc : put(w, OP_JUMP, 0);
    if (!rc) {
        w->to->steps[jump].to = split;
        w->to->steps[split].to = w->to->count;
    }
    return rc;
}

/*     a | a | split end | a | split end | a | end: */
static int put_repeat(struct writer *w, const struct regex_node *n)
{
    uint32_t open = UINT32_MAX; /* the chain of splits, as in put_or */
    int rc = 0;
    for (int32_t i = 0; !rc && i < n->min; i++)
        rc = put_node(w, n->first);
    if (!rc && n->max < 0)
        return put_star(w, n->first);
    for (int32_t i = n->min; !rc && i < n->max; i++) {
        uint32_t split = w->to->count;
        rc = put(w, OP_SPLIT, 0);
        if (!rc) {
            w->to->steps[split].to = open;
            open = split;
            rc = put_node(w, n->first);
        }
    }
    if (!rc)
        end_here(w, open);
    return rc;
}

static int put_node(struct writer *w, uint32_t id)
{
    const struct regex_node *n = &w->tree->nodes[id];
    if (++w->visited > VISITED_MAX)
        return -E2BIG;
    switch (n->kind) {
    case NODE_EMPTY:
        return 0;
    case NODE_RUNE:
        return put(w, OP_RUNE, n->value);
    case NODE_CLASS:
        return put(w, OP_CLASS, n->value);
    case NODE_AT:
        return put(w, OP_AT, n->value);
    case NODE_CAT:
        return put_cat(w, n);
    case NODE_OR:
        return put_or(w, n);
    case NODE_REPEAT:
        return put_repeat(w, n);
    }
    return -EINVAL;
}

static int put_all(struct regex *r, const struct regex_tree *tree, uint32_t root)
{
    struct writer w = {.tree = tree, .to = r};
    int rc = put_node(&w, root);
    rc = !rc && r->whole ? put(&w, OP_AT, AT_END) : rc;
    rc = rc ? rc : put(&w, OP_MATCH, 0);
    rc = rc ? rc : regex_find_literals(r);
    if (rc)
        return rc;
    r->now.list = calloc(2 * (size_t)r->count, sizeof *r->now.list);
    r->next.list = calloc(2 * (size_t)r->count, sizeof *r->next.list);
    r->pending = calloc((size_t)r->count + 1, sizeof *r->pending);
    if (!r->now.list || !r->next.list || !r->pending)
        return -ENOMEM;
    r->now.place = r->now.list + r->count;
    r->next.place = r->next.list + r->count;
    return 0;
}

int regex_compile(struct regex **out, const char *text, enum regex_where where, struct error *e)
{
    struct regex_tree tree;
    uint32_t root;
    struct regex *r = *out = calloc(1, sizeof *r);
    if (!r)
        return error_set(e, -ENOMEM, "out of memory");
    r->whole = where == REGEX_WHOLE;
    int rc = regex_parse(&tree, text, &root, e);
    rc = rc ? rc : put_all(r, &tree, root);
    r->classes = tree.classes;
    r->class_count = tree.class_count;
    tree.classes = NULL;
    tree.class_count = 0;
    regex_tree_deinit(&tree);
    if (!rc)
        return 0;
    regex_free(r);
    *out = NULL;
    return rc == -ENOMEM  ? error_set(e, rc, "out of memory")
           : rc == -E2BIG ? error_set(e, -EINVAL, "it is too large: with its repetitions it has more than %d parts", REGEX_PROGRAM_MAX)
                          : rc;
}

void regex_free(struct regex *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->class_count; i++)
        free(r->classes[i].ranges);
    free(r->classes);
    free(r->steps);
    free(r->now.list);
    free(r->next.list);
    free(r->pending);
    free(r->literals);
    free(r);
}
