/* A mangled C++ name as a tree, and its conversion to C++ syntax. demangle.c builds trees, whose parts may be shared. */
#ifndef CANDOR_AGENT_SYMBOLIZE_TREE_H
#define CANDOR_AGENT_SYMBOLIZE_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum tree_kind {
    TREE_TEXT,      /* text, as it stands */
    TREE_FORMAT,    /* text with replacements: \1 is the left part, \2 the right part, \3 the number */
    TREE_SCOPE,     /* as TREE_FORMAT; the right part is the last component of a qualified name */
    TREE_STRUCTOR,  /* as TREE_FORMAT; names a constructor, destructor or conversion, which have no return type */
    TREE_TAGGED,    /* as TREE_FORMAT; a name followed by a mark */
    TREE_TEMPLATE,  /* left<right>, right being a list */
    TREE_LIST,      /* an element on the left, the rest of the list on the right */
    TREE_PARAMETER, /* a parameter of a template, counted from 1: the left part, or as TREE_FORMAT if that is not known */
    TREE_PACK,      /* the list on the left, as one template argument */
    TREE_EXPANSION, /* the left part once for each element of the pack inside */
    TREE_ENCODING,  /* a function: its name on the left, its type on the right */
    TREE_FUNCTION,  /* a type: the return type (or NULL) on the left, the list of parameters on the right; number: qualifiers */
    TREE_ARRAY,     /* a type: the element on the left, the bound on the right */
    TREE_POINTER,   /* to the left part; text: * & && */
    TREE_MEMBER,    /* a pointer to the right part, which is a member of the left part */
    TREE_QUALIFIED, /* the type on the left; number: qualifiers */
};

enum { TREE_CONST = 1, TREE_VOLATILE = 2, TREE_RESTRICT = 4, TREE_LVALUE = 8, TREE_RVALUE = 16, TREE_NOEXCEPT = 32 };

struct tree {
    enum tree_kind kind;
    bool open; /* it contains a template parameter, but not the template's arguments */
    unsigned number;
    const char *text; /* not terminated; a part of the symbol, or a constant */
    size_t length;
    struct tree *left, *right;
};

/* Writes the tree, cut to size - 1 bytes and terminated. Returns false if it is nested too deeply or has no end. */
bool tree_print(const struct tree *t, char *out, size_t size);

#endif
