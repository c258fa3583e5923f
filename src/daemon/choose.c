#include "daemon/choose.h"

#include "base/map.h"
#include "base/time_units.h"
#include "daemon/log.h"

#include <stdio.h>
#include <string.h>

void choose_leave(struct member *t, uint64_t after_ns, const char *reason)
{
    bool news = strcmp(t->reason, reason) != 0;
    member_leave(t, after_ns, "%s", reason);
    if (news)
        log_info("left alone pid=%d main=%s: %s", t->pid, t->name, t->reason);
}

/* Returns why nothing can be recorded in the JVM, or NULL. */
static const char *closed(const struct jvm *jvm)
{
    if (jvm->closed)
        return "it belongs to another user; run the daemon as root to profile it";
    if (jvm->attach_disabled && !jvm->agent)
        return "it was started with -XX:+DisableAttachMechanism";
    if (jvm->loading_refused && !jvm->agent)
        return "it was started with -XX:-EnableDynamicAgentLoading";
    return NULL;
}

static bool set_labels(const struct config *config, struct member *t, struct facts *facts, const struct rule *rule)
{
    struct labels labels;
    struct buffer query;
    labels_of(&labels, facts, rule);
    snprintf(t->service, sizeof t->service, "%s", labels.service);
    snprintf(t->rule, sizeof t->rule, "%s", rule ? rule->name : "");
    buffer_init(&query, LIVE_QUERY_MAX - 1);
    labels_query(&query, &labels, config->host, rule);
    bool good = !query.failed;
    if (good)
        snprintf(t->live.query, sizeof t->live.query, "%.*s", (int)query.len, (const char *)query.data);
    buffer_deinit(&query);
    return good;
}

/* Sets refuses_demand: why the rules forbid recordings on demand; "" = they do not. */
static void set_refusal(const struct config *config, struct member *t, const struct rule *rule)
{
    bool allowed = rule && rule->on_demand ? rule->on_demand == SETTING_YES : config->on_demand;
    *t->refuses_demand = 0;
    if (rule && rule->ignore)
        snprintf(t->refuses_demand, sizeof t->refuses_demand, "rule '%s' of its daemon excludes it", rule->name);
    else if (!allowed && rule && rule->on_demand)
        snprintf(t->refuses_demand, sizeof t->refuses_demand, "rule '%s' of its daemon says on-demand = no", rule->name);
    else if (!allowed)
        snprintf(t->refuses_demand, sizeof t->refuses_demand, "its daemon is configured with on-demand = no");
}

/* Returns the rule for the JVM, and sets everything that both kinds of recordings need. */
static const struct rule *prepare(const struct config *config, struct member *t, struct facts *facts, struct settings *settings,
                                  bool *labelled)
{
    const struct rule *rule = policy_find(&config->policy, facts);
    char dropped[SETTINGS_EVENTS];
    *labelled = set_labels(config, t, facts, rule);
    set_refusal(config, t, rule);
    *settings = config->settings;
    if (rule)
        settings_override(settings, &rule->settings);
    settings_fit_jdk(settings, t->jdk, dropped);
    *t->left_out = 0;
    if (*dropped)
        snprintf(t->left_out, sizeof t->left_out, "event=%s: this version of Java cannot sample allocations", dropped);
    return rule;
}

static bool rule_allows(const struct config *config, struct member *t, const struct rule *rule)
{
    char reason[160];
    uint64_t identity = hash_bytes(config->host, strlen(config->host)) ^ hash_mix(t->start ^ (uint64_t)t->pid << 40);
    if (rule && rule->ignore)
        snprintf(reason, sizeof reason, "rule '%s' excludes it", rule->name);
    else if (!policy_chosen(rule, identity))
        snprintf(reason, sizeof reason, "not among the %g %% that rule '%s' profiles", rule->share * 100, rule->name);
    else
        return true;
    choose_leave(t, CHOOSE_LEFT_S * NS_PER_S, reason);
    return false;
}

/* Reads the JVM's facts. Returns false if they cannot be read. */
static bool meet(struct member *t, const struct jvm *jvm, struct facts *facts)
{
    labels_clean(jvm->main, t->name);
    snprintf(t->user, sizeof t->user, "%s", jvm->user);
    snprintf(t->jdk, sizeof t->jdk, "%s", jvm->version);
    return !facts_read(facts, jvm);
}

bool choose(const struct config *config, struct member *t, const struct jvm *jvm, struct settings *settings)
{
    struct facts facts;
    bool labelled;
    if (!meet(t, jvm, &facts))
        return false;
    const struct rule *rule = prepare(config, t, &facts, settings, &labelled);
    facts_deinit(&facts);
    const char *why = closed(jvm);
    if (why)
        snprintf(t->refuses_demand, sizeof t->refuses_demand, "%s", why);
    if (!why && !rule_allows(config, t, rule))
        return false;
    if (!why && !labelled)
        why = "its labels are too long";
    if (!why && !*settings->events)
        why = "this version of Java cannot sample allocations, and no other event is requested";
    if (why)
        choose_leave(t, CHOOSE_LEFT_S * NS_PER_S, why);
    return !why;
}

bool choose_demand(const struct config *config, struct member *t, const struct jvm *jvm, struct settings *settings)
{
    struct facts facts;
    bool labelled;
    const char *why = closed(jvm);
    if (!meet(t, jvm, &facts))
        why = "its process cannot be read";
    if (why) {
        snprintf(t->refuses_demand, sizeof t->refuses_demand, "%s", why);
        return false;
    }
    prepare(config, t, &facts, settings, &labelled);
    facts_deinit(&facts);
    if (!labelled && !*t->refuses_demand)
        snprintf(t->refuses_demand, sizeof t->refuses_demand, "its labels are too long");
    return !*t->refuses_demand;
}
