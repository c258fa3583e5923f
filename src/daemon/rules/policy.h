/* Which JVMs are profiled, and with which settings: rules in the order of the configuration; the first that matches decides. A
 * JVM that matches no rule is profiled. */
#ifndef CANDOR_DAEMON_RULES_POLICY_H
#define CANDOR_DAEMON_RULES_POLICY_H

#include "base/error.h"
#include "daemon/rules/facts.h"
#include "daemon/rules/settings.h"

#include <stdint.h>

enum { RULE_MATCHES_MAX = 8, RULE_LABELS_MAX = 8, RULES_MAX = 256 };

struct rule {
    char name[64];
    struct {
        char what[96];           /* main, user, jdk, env.NAME, property.NAME */
        char pattern[256];       /* of fnmatch(3) */
    } matches[RULE_MATCHES_MAX]; /* all of them */
    int match_count;
    bool ignore;                     /* profile = no */
    double share;                    /* of the JVMs that match */
    char service[128], version[128]; /* "" = as without a rule */
    struct settings settings;        /* those of the daemon hold where it has none */
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
/* Adds a rule after the others. It matches everything until policy_set restricts it. 0 or a negative code with e. */
int policy_add_rule(struct policy *p, const char *name, struct error *e);
/* Adds a line to the rule that was added last. 0 or -EINVAL with e. */
int policy_set(struct policy *p, const char *key, const char *value, struct error *e);

/* The rule that decides, or NULL. */
const struct rule *policy_find(const struct policy *p, struct facts *f);
/* Whether this JVM is among the rule's share: always the same for the same number. */
bool policy_chosen(const struct rule *rule, uint64_t identity);

#endif
