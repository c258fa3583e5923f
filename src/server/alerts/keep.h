/* The action `keep` of a rule: when its alert begins to fire, the recordings of that time are kept, although they would soon be too old. */
#ifndef CANDOR_SERVER_ALERTS_KEEP_H
#define CANDOR_SERVER_ALERTS_KEEP_H

#include "server/alerts/alerts_internal.h"

/* Reads what follows `keep`: [DURATION [RECORDINGS]]. Returns 0, or -EINVAL with a message in e. */
int keep_set(struct alert_rule *rule, const char *text, struct error *e);
/* Keeps the recordings with most data of the windows in which the value was beyond the threshold; the last of them ends at `to`. Returns 0
 * or a code with a message in e. */
int keep_do(struct store *store, const struct alert_rule *rule, const char *value, int64_t to, struct error *e);

/* The recordings that are kept, ordered by rule. */
struct keep_list {
    struct keep_one {
        char rule[ALERT_NAME_MAX];
        uint64_t recording;
        int64_t until;
    } * list;
    uint32_t count, cap;
};
/* Reads the list. Returns 0 or a code with a message in e. Call keep_list_deinit in both cases. */
int keep_list_read(struct keep_list *l, struct store *store, struct error *e);
void keep_list_deinit(struct keep_list *l);
/* Writes the members `keep` (what the rule asks for) and `kept` (the recordings). l NULL = leave `kept` out. */
void keep_put(struct jsonw *j, const struct alert_rule *rule, const struct keep_list *l);

#endif
