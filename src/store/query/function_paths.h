/* Finds out for each stack of a dictionary which of the wanted methods it shows, for select_functions.c.
 *
 * The methods on a stack, each once, are a set. Equal sets have one number, and most stacks have the empty set, 0:
 *
 *     stack  main ── a ── b ── a ── c        wanted: a, b        set 0 ── a: set 1 ── b: set 2 = {a, b}
 *     set       0    1    2    2    2        nearest: a */
#ifndef CANDOR_STORE_QUERY_FUNCTION_PATHS_H
#define CANDOR_STORE_QUERY_FUNCTION_PATHS_H

#include "store/functions.h"
#include "store/store_internal.h"

struct function_set {
    uint32_t parent, function; /* the set without this method; place 0 is the empty set */
};

struct function_paths {
    const char **names; /* by function, in the dictionary's memory; the functions are 1, 2, ... */
    uint32_t *lens;
    uint32_t count, cap, len_cap;
    uint32_t *set_of;     /* by node; NULL = the dictionary has no such method */
    uint32_t *nearest_of; /* by node: the function that its samples are the `self` of; 0 = none */
    struct function_set *sets;
    uint32_t set_count, set_cap;
};

/* Returns 0 or a code with a message in e. Takes the dictionary's lock, but not while it matches names. Call function_paths_deinit in each
 * case. */
int function_paths_init(struct function_paths *p, struct dictionary *d, struct store *s, const struct store_query *q,
                        const struct store_function_query *f, struct error *e);
void function_paths_deinit(struct function_paths *p);

#endif
