/* Selects recordings: `{service="shop", host=~"web-.*"}`.
 *
 *     selector = [ "{" ] [ matcher { "," matcher } [ "," ] ] [ "}" ]
 *     matcher  = name ( "=" | "!=" | "=~" | "!~" ) string
 *     string   = '"' ... '"' with \" \\ \n \t inside
 *
 * The name `endpoint`, and names that begin with `sample.`, mean labels of samples (files/contexts.h), such as `sample.tenant`. Other names
 * mean labels of recordings. The functions below leave matchers for samples out, except the two that are about them.
 *
 * All matchers must match. A regular expression (regex/regex.h) must match the whole value. A missing label has the empty value. The empty
 * selector selects everything, except for recordings on demand: they cover the same time as others of the same JVM, so that their samples
 * would count twice. Only a selector with a matcher for their label, on_demand, selects them. */
#ifndef CANDOR_STORE_SELECTOR_H
#define CANDOR_STORE_SELECTOR_H

#include "regex/regex.h"
#include "store/files/labels.h"

#include <stdbool.h>

enum { SELECTOR_MAX = 32 };

#define LABEL_ON_DEMAND "on_demand"

struct matcher {
    char *name, *value;
    bool negated;
    struct regex *regex; /* NULL = compare with `value` */
    bool of_samples;     /* it is for a label of samples */
};

struct selector {
    struct matcher list[SELECTOR_MAX];
    uint32_t count;
    bool on_demand;       /* one of the matchers is for that label */
    const char *services; /* NULL, or a pattern (base/text/pattern.h) that the service must match besides; borrowed */
};

/* Reads a selector, without `services`. Returns 0, -ENOMEM, or -EINVAL with a message that names the place of the error. Call
 * selector_deinit in each case. */
int selector_parse(struct selector *s, const char *text, struct error *e);
bool selector_matches(const struct selector *s, const struct labels *l);
/* Whether the selector matches something other than labels: `value` returns the value of a name, or "" if there is none. */
typedef const char *selector_value(void *context, const char *name);
bool selector_holds(const struct selector *s, selector_value *value, void *context);
/* Whether the selector may match if only the service is known. Matchers for other labels count as matched. */
bool selector_may_match(const struct selector *s, const char *service);
/* Returns the name of the label of samples that the name in a selector means, or NULL if it means a label of recordings. */
const char *selector_sample_label(const char *name);
/* Whether any matcher is for labels of samples. */
bool selector_is_of_samples(const struct selector *s);
/* Whether any matcher is for a label of samples other than the endpoint. */
bool selector_is_of_other_labels(const struct selector *s);
/* Whether all matchers for labels of samples match. */
bool selector_holds_for_sample(const struct selector *s, selector_value *value, void *context);
void selector_deinit(struct selector *s);

#endif
