/* Which event types are selected: lists of names with the wildcards '*' and '?', separated by commas, as on a command line.
 *
 *   by name       "CPULoad", "jdk.CPULoad", "jdk.GC*"; without a dot it is held against what follows the last dot
 *   by category   "GC", "Java Virtual*", "JVM": any step of the type's category, or its initials
 *
 * Case does not matter. A type is selected if one pattern of either list matches; without patterns all are. */
#ifndef CANDOR_EVENTS_SELECTION_H
#define CANDOR_EVENTS_SELECTION_H

#include "jfr/read/reader.h"

struct selection_pattern {
    char *text;
    bool category;
    bool met; /* it fitted a type that was asked about */
};

struct selection {
    struct selection_pattern *patterns;
    uint32_t count, cap;
};

/* Either list may be NULL. 0 or -ENOMEM; selection_deinit in any case. */
int selection_init(struct selection *f, const char *names, const char *categories);
void selection_deinit(struct selection *f);
bool selection_wants(struct selection *f, const struct jfr_type *type);
/* The first pattern that has matched nothing so far, or NULL. */
const struct selection_pattern *selection_unmet(const struct selection *f);

#endif
