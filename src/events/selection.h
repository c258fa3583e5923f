/* Selects event types by lists of names with the wildcards '*' and '?', separated by commas, as on a command line.
 *
 *   by name       "CPULoad", "jdk.CPULoad", "jdk.GC*"; a pattern without a dot is compared with the part after the last dot
 *   by category   "GC", "Java Virtual*", "JVM": a pattern is compared with each step of the type's category, and with its initials
 *
 * Case does not matter. A type is selected if a pattern of either list matches. Without patterns all types are selected. */
#ifndef CANDOR_EVENTS_SELECTION_H
#define CANDOR_EVENTS_SELECTION_H

#include "jfr/read/reader.h"

struct selection_pattern {
    char *text;
    bool category;
    bool met; /* the pattern matched some type */
};

struct selection {
    struct selection_pattern *patterns;
    uint32_t count, cap;
};

/* Parses the lists. Either may be NULL. Returns 0 or -ENOMEM. Call selection_deinit in any case. */
int selection_init(struct selection *f, const char *names, const char *categories);
void selection_deinit(struct selection *f);
bool selection_wants(struct selection *f, const struct jfr_type *type);
/* Returns the first pattern that has not matched any type, or NULL. */
const struct selection_pattern *selection_unmet(const struct selection *f);

#endif
