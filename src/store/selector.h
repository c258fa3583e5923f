/* Selects recordings: `{service="shop", host=~"web-.*"}`.
 *
 *     selector = [ "{" ] [ matcher { "," matcher } [ "," ] ] [ "}" ]
 *     matcher  = name ( "=" | "!=" | "=~" | "!~" ) string
 *     string   = '"' ... '"' with \" \\ \n \t inside
 *
 * All matchers must match. A regular expression (regex/regex.h) is matched against the whole value; a missing label has the
 * empty value. The empty selector selects everything. */
#ifndef CANDOR_STORE_SELECTOR_H
#define CANDOR_STORE_SELECTOR_H

#include "regex/regex.h"
#include "store/files/labels.h"

#include <stdbool.h>

enum { SELECTOR_MAX = 32 };

struct matcher {
    char *name, *value;
    bool negated;
    struct regex *regex; /* NULL: the value itself */
};

struct selector {
    struct matcher list[SELECTOR_MAX];
    uint32_t count;
};

/* 0, -ENOMEM, or -EINVAL with one line that says where. Either way selector_deinit ends it. */
int selector_parse(struct selector *s, const char *text, struct error *e);
bool selector_matches(const struct selector *s, const struct labels *l);
/* The same for anything that has values by name. A missing value is the empty string. */
typedef const char *selector_value(void *context, const char *name);
bool selector_holds(const struct selector *s, selector_value *value, void *context);
/* The same if only the service is known. Matchers on other labels are taken to match. */
bool selector_may_match(const struct selector *s, const char *service);
void selector_deinit(struct selector *s);

#endif
