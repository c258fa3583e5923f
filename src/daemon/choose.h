/* Decides whether a JVM is profiled, and with which labels and settings: the rules of the configuration, and what the JVM and its owner
 * allow. It is separate from fleet.c because recordings on demand are decided by it, too. */
#ifndef CANDOR_DAEMON_CHOOSE_H
#define CANDOR_DAEMON_CHOOSE_H

#include "daemon/member.h"
#include "daemon/rules/config.h"

/* So long a JVM that is not profiled is left alone before it is examined again. */
enum { CHOOSE_LEFT_S = 300 };

/* Sets name, user, jdk, service, rule, labels, left_out and refuses_demand of the member, and the settings of its recording. Returns false
 * if the JVM is not profiled; then the member's state is MEMBER_LEFT and has the reason. */
bool choose(const struct config *config, struct member *t, const struct jvm *jvm, struct settings *settings);
/* Does the same for a recording on demand, which the rules may allow although the JVM is not profiled all the time (share), or forbid
 * (on-demand). Returns false if it is forbidden; t->refuses_demand says why. */
bool choose_demand(const struct config *config, struct member *t, const struct jvm *jvm, struct settings *settings);

/* Leaves the JVM alone, and logs the reason unless it is the one from before. */
void choose_leave(struct member *t, uint64_t after_ns, const char *reason);

#endif
