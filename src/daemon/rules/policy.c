#include "daemon/rules/policy.h"

#include "base/array.h"
#include "base/map.h"
#include "base/text/units.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

void policy_deinit(struct policy *p)
{
    free(p->rules);
    *p = (struct policy){0};
}

int policy_add_rule(struct policy *p, const char *name, struct error *e)
{
    if (p->count == RULES_MAX)
        return error_set(e, -E2BIG, "more than %d rules", RULES_MAX);
    if (ARRAY_GROW(p->rules, p->cap, p->count))
        return error_set(e, -ENOMEM, "out of memory");
    struct rule *rule = &p->rules[p->count++];
    *rule = (struct rule){.share = 1};
    snprintf(rule->name, sizeof rule->name, "%s", name);
    return 0;
}

static int set_text(char *out, size_t size, const char *key, const char *value, struct error *e)
{
    if (!*value)
        return error_set(e, -EINVAL, "%s is empty", key);
    return (size_t)snprintf(out, size, "%s", value) < size ? 0 : error_set(e, -EINVAL, "%s is too long", key);
}

static int add_match(struct rule *r, const char *key, const char *value, struct error *e)
{
    if (r->match_count == RULE_MATCHES_MAX)
        return error_set(e, -EINVAL, "more than %d conditions in one rule", RULE_MATCHES_MAX);
    int i = r->match_count++;
    int code = set_text(r->matches[i].what, sizeof r->matches[i].what, key, key, e);
    return code ? code : set_text(r->matches[i].pattern, sizeof r->matches[i].pattern, key, value, e);
}

/* Whether the server accepts a label with this name. */
static bool is_label_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return strchr(letters, *name) && *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-")] == 0;
}

static int add_label(struct rule *r, const char *name, const char *value, struct error *e)
{
    if (!is_label_name(name))
        return error_set(e, -EINVAL, "label '%.60s': use letters, digits, '_', '.' and '-'", name);
    if (r->label_count == RULE_LABELS_MAX)
        return error_set(e, -EINVAL, "more than %d labels in one rule", RULE_LABELS_MAX);
    int i = r->label_count++;
    int code = set_text(r->labels[i].name, sizeof r->labels[i].name, "label", name, e);
    return code ? code : set_text(r->labels[i].value, sizeof r->labels[i].value, name, value, e);
}

static int set_profile(struct rule *r, const char *value, struct error *e)
{
    r->ignore = !strcmp(value, "no");
    return r->ignore || !strcmp(value, "yes") ? 0 : error_set(e, -EINVAL, "profile '%.40s': use yes or no", value);
}

static int set_on_demand(struct rule *r, const char *value, struct error *e)
{
    r->on_demand = !strcmp(value, "yes") ? SETTING_YES : !strcmp(value, "no") ? SETTING_NO : SETTING_UNSET;
    return r->on_demand ? 0 : error_set(e, -EINVAL, "on-demand '%.40s': use yes or no", value);
}

static int set_share(struct rule *r, const char *value, struct error *e)
{
    return units_parse_percent(value, &r->share) ? error_set(e, -EINVAL, "share '%.40s': use a share such as 25%%", value) : 0;
}

static bool is_condition(const char *key)
{
    return !strcmp(key, "main") || !strcmp(key, "user") || !strcmp(key, "jdk") || !strncmp(key, "env.", 4) || !strncmp(key, "property.", 9);
}

int policy_set(struct policy *p, const char *key, const char *value, struct error *e)
{
    struct rule *r = &p->rules[p->count - 1];
    if (is_condition(key))
        return add_match(r, key, value, e);
    if (!strncmp(key, "label.", 6))
        return add_label(r, key + 6, value, e);
    if (!strcmp(key, "profile"))
        return set_profile(r, value, e);
    if (!strcmp(key, "share"))
        return set_share(r, value, e);
    if (!strcmp(key, "on-demand"))
        return set_on_demand(r, value, e);
    if (!strcmp(key, "service"))
        return set_text(r->service, sizeof r->service, key, value, e);
    if (!strcmp(key, "version"))
        return set_text(r->version, sizeof r->version, key, value, e);
    int code = settings_set(&r->settings, key, value, e);
    if (code != -ENOENT)
        return code;
    return error_set(e, -EINVAL,
                     "no key '%.60s' in a rule; known are main, user, jdk, env.NAME, property.NAME, profile, share, on-demand, service, "
                     "version, label.NAME, " SETTINGS_NAMES,
                     key);
}

static bool fits(const char *pattern, const char *text)
{
    return text && fnmatch(pattern, text, 0) == 0;
}

static bool fits_main(const char *pattern, const struct jvm *jvm)
{
    char brief[256];
    return fits(pattern, jvm->main) || fits(pattern, jvm_brief_name(jvm, brief, sizeof brief));
}

static bool condition_holds(const char *what, const char *pattern, struct facts *f)
{
    if (!strcmp(what, "main"))
        return fits_main(pattern, &f->jvm);
    if (!strcmp(what, "user"))
        return fits(pattern, f->jvm.user);
    if (!strcmp(what, "jdk"))
        return fits(pattern, f->jvm.version);
    return what[0] == 'e' ? fits(pattern, facts_variable(f, what + 4)) : fits(pattern, facts_property(f, what + 9));
}

static bool matches(const struct rule *r, struct facts *f)
{
    for (int i = 0; i < r->match_count; i++)
        if (!condition_holds(r->matches[i].what, r->matches[i].pattern, f))
            return false;
    return true;
}

const struct rule *policy_find(const struct policy *p, struct facts *f)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (matches(&p->rules[i], f))
            return &p->rules[i];
    return NULL;
}

bool policy_chosen(const struct rule *rule, uint64_t identity)
{
    return !rule || (double)(hash_mix(identity ^ hash_bytes(rule->name, strlen(rule->name))) >> 11) * 0x1p-53 < rule->share;
}
