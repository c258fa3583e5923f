/* The values of the label that a rule has as `each`, of the recordings in a window. */
#ifndef CANDOR_SERVER_ALERTS_VALUES_H
#define CANDOR_SERVER_ALERTS_VALUES_H

#include "server/alerts/rules.h"
#include "store/store.h"

enum { ALERT_VALUES_MAX = 1000 }; /* for one rule */

struct alert_values {
    char **list; /* sorted */
    uint32_t count, cap;
    bool cut; /* there are more than ALERT_VALUES_MAX */
};

/* Adds the values in [from, to) to those that are there. Returns 0 or a code with a message in e. Call values_deinit in both cases. */
int values_find(struct alert_values *v, const struct alert_rule *rule, struct store *store, const struct store_query *patience,
                int64_t from, int64_t to, struct error *e);
/* Adds a value unless it is there. Returns 0 or -ENOMEM. */
int values_add(struct alert_values *v, const char *value);
void values_deinit(struct alert_values *v);

#endif
