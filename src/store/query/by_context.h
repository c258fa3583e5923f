/* Selects and splits rows by the labels of samples (files/contexts.h), for gather.c. A dictionary has few contexts and many rows, so the
 * labels are looked at once for each context. */
#ifndef CANDOR_STORE_QUERY_BY_CONTEXT_H
#define CANDOR_STORE_QUERY_BY_CONTEXT_H

#include "base/map.h"
#include "base/strtab.h"
#include "store/files/dictionary.h"
#include "store/store.h"

struct by_context;

/* Makes one if the query's selector, or `by` (as in store_series), names labels of samples; otherwise sets *out to NULL. values: those of
 * the labels of recordings; by_context_value adds others. The query must exist as long as it. Returns 0 or -ENOMEM. */
int by_context_new(struct by_context **out, const struct store_query *q, const char *by, struct strtab *values);
void by_context_free(struct by_context *c);

/* The result for the contexts of one dictionary. */
struct by_context_choice {
    bool *pass;      /* by context: whether it is selected; NULL = all are */
    uint32_t *parts; /* by context: the values of the labels of samples, as an id for by_context_value; NULL = not split by these */
};
/* count: the contexts that rows may have. Takes the dictionary's lock for each of them. Returns 0 or a code, also that of store_is_over.
 * Call by_context_choice_deinit in each case. */
int by_context_choose(struct by_context *c, const struct store *s, struct dictionary *d, uint32_t count, struct by_context_choice *out,
                      struct error *e);
void by_context_choice_deinit(struct by_context_choice *choice);

/* Combines the value of a recording's labels with that of a context: finds the value of all labels, in the order of `by`. Returns 0 or
 * -ENOMEM. */
int by_context_value(struct by_context *c, uint32_t base, uint32_t part, uint32_t *value);
/* Returns the value of a recording's labels that a value was combined of. Any other value is returned as it is. */
uint32_t by_context_base(const struct by_context *c, uint32_t value);

#endif
