/* Finds series as Pyroscope's clients see them: label sets of recordings, each with a profile type. The label set of a series has
 * service_name instead of our `service`, and the labels that describe its profile type ("__profile_type__"). */
#ifndef CANDOR_SERVER_CONNECT_SERIES_H
#define CANDOR_SERVER_CONNECT_SERIES_H

#include "server/connect/kinds.h"
#include "store/store.h"

#define SERIES_SERVICE "service_name"

struct series {
    const struct labels *labels;
    struct kind kind;
};

/* Whether the name is one of Pyroscope's names for our label `service`. */
bool series_is_service(const char *name);
/* Returns the value of a label, or "" if there is none. */
const char *series_value(const struct series *s, const char *name);
/* Calls visit for each name of the series' labels. */
typedef int series_visit_name(void *context, const char *name);
int series_names(const struct series *s, series_visit_name *visit, void *context);

typedef int series_visit(void *context, const struct series *s);
/* Calls visit for each series that has rows within the query's time, matches the query's selector, and at least one of the n selectors.
 * n = 0 means that the query's selector is enough. Returns 0, or a code with a message in e. */
int series_find(struct store *s, const struct store_query *q, const struct selector *selectors, uint32_t n, series_visit *visit,
                void *context, struct error *e);

/* Changes a selector so that the store can use it: removes the matchers for labels of the profile type, and renames service_name to
 * service. Returns false if a removed matcher does not match the profile type; then there is no such series. */
bool series_narrow(struct selector *s, const struct kind *k);

#endif
