/* Decides which JVMs are profiled, and with which settings. The rules are in the order of the configuration, and the first rule that
 * matches decides. A JVM that matches no rule is profiled. */
#ifndef CANDOR_DAEMON_RULES_POLICY_H
#define CANDOR_DAEMON_RULES_POLICY_H

#include "base/error.h"
#include "daemon/rules/facts.h"
#include "daemon/rules/settings.h"

#include <stdint.h>

enum { RULE_MATCHES_MAX = 8, RULE_LABELS_MAX = 8, RULES_MAX = 256 };

/* A setting that a rule may leave to the daemon. */
enum setting { SETTING_UNSET, SETTING_YES, SETTING_NO };

struct rule {
    char name[64];
    struct {
        char what[96];           /* main, user, jdk, env.NAME, property.NAME */
        char pattern[256];       /* a pattern of fnmatch(3) */
    } matches[RULE_MATCHES_MAX]; /* all must match */
    int match_count;
    enum setting on_demand;          /* whether recordings on demand are allowed */
    bool ignore;                     /* profile = no */
    double share;                    /* the share of the matching JVMs that is profiled, from 0 to 1 */
    char service[128], version[128]; /* "" = the same as without a rule */
    struct settings settings;        /* a setting that the rule lacks is taken from the daemon */
    struct {
        char name[64], value[128];
    } labels[RULE_LABELS_MAX];
    int label_count;
};

struct policy {
    struct rule *rules;
    uint32_t count, cap;
};

void policy_deinit(struct policy *p);
/* Adds a rule after the others. It matches every JVM until policy_set restricts it. Returns 0 or a negative code with a message in e. */
int policy_add_rule(struct policy *p, const char *name, struct error *e);
/* Adds a line to the rule that was added last. Returns 0, or -EINVAL with a message in e. */
int policy_set(struct policy *p, const char *key, const char *value, struct error *e);

/* Returns the rule that decides, or NULL. */
const struct rule *policy_find(const struct policy *p, struct facts *f);
/* Whether the JVM belongs to the rule's share. The result is always the same for the same identity. */
bool policy_chosen(const struct rule *rule, uint64_t identity);

#endif
