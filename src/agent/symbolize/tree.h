/* A mangled C++ name as a tree, and how C++ writes it. demangle.c builds trees; parts may be shared. */
#ifndef CANDOR_AGENT_SYMBOLIZE_TREE_H
#define CANDOR_AGENT_SYMBOLIZE_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum tree_kind {
    TREE_TEXT,      /* text, as it stands */
    TREE_FORMAT,    /* text, with the left part for \1, the right part for \2 and the number for \3 */
    TREE_SCOPE,     /* the same; the right part is the last component of a qualified name */
    TREE_STRUCTOR,  /* the same; names a constructor, destructor or conversion, which have no return type */
    TREE_TAGGED,    /* the same; a name with a mark behind it */
    TREE_TEMPLATE,  /* left<right>, right being a list */
    TREE_LIST,      /* left, and the rest of the list on the right */
    TREE_PARAMETER, /* of a template, counted from 1: the left part, or as TREE_FORMAT when that is not known */
    TREE_PACK,      /* the list on the left, as one template argument */
    TREE_EXPANSION, /* the left part once for each element of the pack inside */
    TREE_ENCODING,  /* a function: its name left, its type right */
    TREE_FUNCTION,  /* a type: what it returns (or NULL) left, the list of parameters right; number: qualifiers */
    TREE_ARRAY,     /* a type: element left, bound right */
    TREE_POINTER,   /* to the left part; text: * & && */
    TREE_MEMBER,    /* pointer to the right part, a member of the left one */
    TREE_QUALIFIED, /* the left type; number: qualifiers */
};

enum { TREE_CONST = 1, TREE_VOLATILE = 2, TREE_RESTRICT = 4, TREE_LVALUE = 8, TREE_RVALUE = 16, TREE_NOEXCEPT = 32 };

struct tree {
    enum tree_kind kind;
    bool open; /* holds a parameter of a template of which it is not a part itself */
    unsigned number;
    const char *text; /* not terminated: of the symbol, or constant */
    size_t length;
    struct tree *left, *right;
};

/* Writes the tree, cut to size - 1 bytes and terminated; false when it is nested too deeply, or goes on without end. */
bool tree_print(const struct tree *t, char *out, size_t size);

#endif
