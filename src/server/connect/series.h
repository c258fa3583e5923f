/* What series there are: label sets of recordings, each with a profile type, as Pyroscope's clients see them. A label set has
 * service_name for our `service`, and the labels that describe its profile type ("__profile_type__"). */
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
/* A label's value, or "". */
const char *series_value(const struct series *s, const char *name);
/* Calls for each name that the series has. */
typedef int series_visit_name(void *context, const char *name);
int series_names(const struct series *s, series_visit_name *visit, void *context);

typedef int series_visit(void *context, const struct series *s);
/* Calls for each series with rows in the query's time that one of the selectors matches; none = all of them. 0 or a code with its line. */
int series_find(struct store *s, const struct store_query *q, const struct selector *selectors, uint32_t n, series_visit *visit,
                void *context, struct error *e);

/* Changes a selector for the store: removes the matchers on labels of the profile type, and renames service_name to service. False if
 * one of the removed matchers does not match: then there is no such series. */
bool series_narrow(struct selector *s, const struct kind *k);

#endif
