/* The methods that a question is about: a part of their names, the beginning, or a regular expression.
 *
 *     get           names that have "get" in them
 *     com.shop.*    names that begin with "com.shop."
 *     /\.get$/      names that match the pattern (regex/regex.h) somewhere
 *
 * Upper and lower case differ. A name is that of `candor report`, "com.shop.Cart.get". */
#ifndef CANDOR_SERVER_FLEET_FUNCTION_MATCH_H
#define CANDOR_SERVER_FLEET_FUNCTION_MATCH_H

#include "profile/filter.h"
#include "server/request/http.h"
#include "store/functions.h"

struct function_match {
    const char *text; /* belongs to the request */
    size_t len;
    bool prefix;
    struct regex *regex; /* NULL = compare with `text` */
};

/* Reads the parameter `match`. Returns 0, or a code if it has already answered with an error. Call function_match_deinit in each case. */
int function_match_init(struct function_match *m, struct http *h);
void function_match_deinit(struct function_match *m);
/* The `matches` of struct store_function_query; the context is the struct function_match. */
bool function_match_has(void *context, const struct store_function_name *name);
/* Keeps the samples of a profile in whose stacks such a method is. Returns 0, or a code with a message in e. */
int function_match_keep(const struct function_match *m, struct profile *p, struct error *e);

#endif
