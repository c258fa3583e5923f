#include "server/alerts/rules.h"

#include "base/array.h"
#include "base/map.h"
#include "base/ini.h"

#include <stdio.h>
#include <string.h>

enum { REPEAT_S = 60 }; /* how often Alertmanager gets an alert again that still fires, unless the target says otherwise */

/* The section that is being read. */
struct reading {
    struct alert_rules *rules;
    struct map known; /* hashes of the names of rules */
    struct alert_target *target;
    struct alert_rule *rule;
    bool draft; /* one rule, from a client: nothing in it may make the server read a file */
};

static int check_name(const char *name, struct error *e)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    if (!n || name[n] || n >= ALERT_NAME_MAX)
        return error_set(e, -EINVAL, "name '%.80s': use up to %d letters, digits, '_', '.' and '-'", name, ALERT_NAME_MAX - 1);
    return 0;
}

static int begin_rule(struct reading *r, const char *name, struct error *e)
{
    struct alert_rules *all = r->rules;
    bool added;
    if (all->count == ALERT_RULES_MAX)
        return error_set(e, -E2BIG, "more than %d rules", ALERT_RULES_MAX);
    if (ARRAY_GROW(all->list, all->cap, all->count) || !map_add(&r->known, hash_bytes(name, strlen(name)), &added))
        return error_set(e, -ENOMEM, "out of memory");
    if (!added)
        return error_set(e, -EINVAL, "there is a rule [alert %s] already", name);
    r->rule = &all->list[all->count++];
    *r->rule = (struct alert_rule){.type = ALERT_TYPE, .window = 300, .interval = 60, .delay = 60, .no_data = 3600};
    snprintf(r->rule->name, sizeof r->rule->name, "%s", name);
    return 0;
}

static int begin_target(struct reading *r, const char *name, struct error *e)
{
    struct alert_rules *all = r->rules;
    if (all->target_count == ALERT_TARGETS_MAX)
        return error_set(e, -E2BIG, "more than %d targets", ALERT_TARGETS_MAX);
    for (uint32_t i = 0; i < all->target_count; i++)
        if (!strcmp(all->targets[i].name, name))
            return error_set(e, -EINVAL, "there is a target [send %s] already", name);
    r->target = &all->targets[all->target_count++];
    *r->target = (struct alert_target){.kind = ALERT_TARGET_KINDS};
    snprintf(r->target->name, sizeof r->target->name, "%s", name);
    return 0;
}

static int begin_section(struct reading *r, const char *section, struct error *e)
{
    bool rule = !strncmp(section, "alert ", 6), target = !strncmp(section, "send ", 5);
    const char *name = strchr(section, ' ');
    r->rule = NULL;
    r->target = NULL;
    if (!rule && !target)
        return error_set(e, -EINVAL, "no section [%.60s]; known are [alert NAME] and [send NAME]", section);
    if (target && r->draft)
        return error_set(e, -EINVAL, "it must be one section [alert NAME]");
    name += strspn(name, " ");
    int code = check_name(name, e);
    return code ? code : rule ? begin_rule(r, name, e) : begin_target(r, name, e);
}

static int take(void *context, const char *section, const char *key, const char *value, struct error *e)
{
    struct reading *r = context;
    if (!key)
        return begin_section(r, section, e);
    if (r->rule)
        return rule_set(r->rule, key, value, e);
    if (r->target)
        return target_set(r->target, key, value, e);
    return error_set(e, -EINVAL, "'%.60s' is before the first section", key);
}

/* Finds the targets that a rule names. */
static int find_targets(const struct alert_rules *all, struct alert_rule *rule, struct error *e)
{
    char word[ALERT_NAME_MAX];
    const char *list = rule->to;
    rule->targets = *list ? 0 : (1u << all->target_count) - 1;
    while (*list) {
        list += strspn(list, " ,");
        size_t n = strcspn(list, " ,");
        snprintf(word, sizeof word, "%.*s", (int)n, list);
        list += n;
        uint32_t i = 0;
        while (i < all->target_count && strcmp(all->targets[i].name, word))
            i++;
        if (n && i == all->target_count)
            return error_set(e, -EINVAL, "to: there is no target [send %.60s]", word);
        rule->targets |= n ? 1u << i : 0;
    }
    return 0;
}

static int finish_target(struct alert_target *t, struct error *e)
{
    if (!t->repeat_set)
        t->repeat = t->kind == ALERT_MANAGER ? REPEAT_S : 0;
    return target_finish(t, e);
}

static int finish(struct alert_rules *all, const char *path, struct error *e)
{
    struct error why;
    int code = 0;
    for (uint32_t i = 0; !code && i < all->target_count; i++)
        if ((code = finish_target(&all->targets[i], &why)))
            error_set(e, code, "%s, [send %s]: %s", path, all->targets[i].name, why.text);
    for (uint32_t i = 0; !code && i < all->count; i++) {
        code = rule_finish(&all->list[i], &why);
        code = code ? code : find_targets(all, &all->list[i], &why);
        if (code)
            error_set(e, code, "%s, [alert %s]: %s", path, all->list[i].name, why.text);
    }
    return code;
}

int rules_read(struct alert_rules *rules, const char *path, struct error *e)
{
    struct reading r = {.rules = rules};
    *rules = (struct alert_rules){0};
    int code = ini_read(path, take, &r, e);
    map_deinit(&r.known);
    return code ? code : finish(rules, path, e);
}

int rules_draft(struct alert_rule *out, const char *text, const struct alert_rules *with, struct error *e)
{
    struct alert_rules one = {0};
    struct reading r = {.rules = &one, .draft = true};
    char *copy = strdup(text);
    int code = copy ? ini_parse(copy, "draft", take, &r, e) : error_set(e, -ENOMEM, "out of memory");
    if (!code && one.count != 1)
        code = error_set(e, -EINVAL, "draft: it must be one section [alert NAME]");
    if (!code) {
        *out = one.list[0];
        code = rule_finish(out, e);
        code = code || !with ? code : find_targets(with, out, e);
    }
    map_deinit(&r.known);
    rules_deinit(&one);
    free(copy);
    return code;
}

void rules_deinit(struct alert_rules *r)
{
    free(r->list);
    *r = (struct alert_rules){0};
}

const struct alert_rule *rules_find(const struct alert_rules *r, const char *name)
{
    for (uint32_t i = 0; r && i < r->count; i++)
        if (!strcmp(r->list[i].name, name))
            return &r->list[i];
    return NULL;
}

bool rules_is_quiet(const struct alert_rule *rule, int64_t seconds)
{
    for (uint32_t i = 0; i < rule->quiet_count; i++)
        if (quiet_at(&rule->quiet[i], seconds))
            return true;
    return false;
}
