/* What a rule does besides sending alerts: it asks for recordings of the JVMs that it is about, while the
 * trouble lasts, and keeps those that show how it began (keep.h). */
#ifndef CANDOR_SERVER_ALERTS_ACTION_H
#define CANDOR_SERVER_ALERTS_ACTION_H

#include "server/alerts/alerts_internal.h"

/* Sets the key `action`, of which a rule may have one of each kind: "profile EVENTS DURATION [JVMS]", "keep [DURATION [RECORDINGS]]".
 * Returns 0, or -EINVAL with a message in e. */
int action_set(struct alert_rule *rule, const char *value, struct error *e);
/* Does it for an alert that has begun to fire, for the window that ends at `to`. A failure is logged. */
void action_do(struct alerts *a, const struct alert_rule *rule, const char *value, int64_t to);

#endif
