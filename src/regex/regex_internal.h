/* The internal interfaces of regex/: a text becomes a tree, and the tree a program. */
#ifndef CANDOR_REGEX_REGEX_INTERNAL_H
#define CANDOR_REGEX_REGEX_INTERNAL_H

#include "regex/regex.h"

#include <stddef.h>
#include <stdint.h>

enum { RUNE_MAX = 0x10ffff, RUNE_BAD = 0xfffd };

/* ---- classes: sets of characters ---- */

struct regex_range {
    uint32_t first, last;
};

struct regex_class {
    struct regex_range *ranges; /* sorted, with gaps between them, after class_end was called */
    uint32_t count, cap;
    uint64_t ascii[2]; /* the same for the first 128 characters, as bits */
    bool failed;       /* out of memory */
};

void class_add(struct regex_class *c, uint32_t first, uint32_t last);
/* Adds \d, \w or \s, or their opposites. Returns false if kind is none of them. */
bool class_add_perl(struct regex_class *c, char kind);
/* Adds a class such as "alpha" ([:alpha:]). Returns false if there is no class with that name. */
bool class_add_posix(struct regex_class *c, const char *name, size_t len, bool negated);
void class_fold(struct regex_class *c); /* adds the other case of ASCII letters */
void class_end(struct regex_class *c, bool negated);
bool class_has(const struct regex_class *c, uint32_t rune);

/* ---- the tree ---- */

enum regex_kind {
    NODE_EMPTY,
    NODE_RUNE,  /* value: the character */
    NODE_CLASS, /* value: its index in the classes */
    NODE_AT,    /* value: enum regex_place */
    NODE_CAT,   /* all its children in sequence */
    NODE_OR,    /* one of its children */
    NODE_REPEAT /* its child, from min to max times; max < 0: no limit */
};

enum regex_place { AT_BEGIN, AT_END, AT_LINE_BEGIN, AT_LINE_END, AT_WORD, AT_NO_WORD };

struct regex_node {
    enum regex_kind kind;
    uint32_t value;
    int32_t min, max;
    uint32_t first, next; /* child; sibling; 0 = none */
};

struct regex_tree {
    struct regex_node *nodes; /* node 0 is not used */
    uint32_t count, cap;
    struct regex_class *classes;
    uint32_t class_count, class_cap;
};

/* The state of the parser. */
struct regex_reader {
    const char *begin, *at;
    struct regex_tree *tree;
    struct error *error;
    unsigned depth;
    bool fold, lines, dot_all; /* flags i, m, s */
    bool quoted;               /* in \Q...\E */
};

/* Parses a pattern into the tree; *root is the root node. Returns 0, -EINVAL or -ENOMEM. Call regex_tree_deinit in any case. */
int regex_parse(struct regex_tree *tree, const char *text, uint32_t *root, struct error *e);
void regex_tree_deinit(struct regex_tree *tree);

/* Reports an error at the reader's place; returns -EINVAL. */
int regex_bad(const struct regex_reader *r, const char *what);
/* Reads the next character, and advances. */
int regex_rune(struct regex_reader *r, uint32_t *rune);
/* Reads a character after a backslash. Returns -EINVAL if it is not a character. */
int regex_escape(struct regex_reader *r, uint32_t *rune);
/* Reads a class "[...]" and adds it to the tree's classes; *id is its index. */
int regex_read_class(struct regex_reader *r, uint32_t *id);
/* Adds an empty class to the tree. The caller fills and ends it. Returns NULL if out of memory. */
struct regex_class *regex_new_class(struct regex_tree *tree, uint32_t *id);

/* ---- the program ---- */

enum regex_op {
    OP_RUNE,  /* matches the character `value` */
    OP_CLASS, /* matches a character of the class `value` */
    OP_AT,    /* continues if the text is at a place `value` (enum regex_place) */
    OP_SPLIT, /* continues with the next step, and at `to` */
    OP_JUMP,  /* continues at `to` */
    OP_MATCH
};

struct regex_step {
    enum regex_op op;
    uint32_t value, to;
};

/* Threads that wait for the next character: a set that can be emptied in constant time. */
struct regex_threads {
    uint32_t *list, *place;
    uint32_t count;
};

struct regex {
    struct regex_step *steps;
    uint32_t count, cap;
    struct regex_class *classes;
    uint32_t class_count;
    bool whole;
    struct regex_threads now, next;
    uint32_t *pending; /* steps that are still to be followed */
    char *literals;    /* texts that are in every match, in this order, each ended by a zero byte */
    uint32_t literal_count, literal_bytes, literal_cap;
};

/* Fills `literals` of a program. Returns 0 or -ENOMEM. */
int regex_find_literals(struct regex *r);
/* Whether a text has all of them. If not, it does not match. */
bool regex_has_literals(const struct regex *r, const char *text, const char *end);

#endif
