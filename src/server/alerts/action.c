#include "server/alerts/action.h"

#include "server/alerts/samples.h"
#include "server/profiles/profiles.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "profile ";

/* Reads what follows `profile`. */
static int read_wanted(const struct alert_rule *rule, struct wanted *w, struct error *e)
{
    return wanted_read_line(w, rule->action + sizeof prefix - 1, e);
}

int action_set(struct alert_rule *rule, const char *value, struct error *e)
{
    struct wanted w;
    struct error why;
    if (strncmp(value, prefix, sizeof prefix - 1) != 0)
        return error_set(e, -EINVAL, "action '%.60s': use profile EVENTS DURATION [JVMS], as in profile wall 2m", value);
    if ((size_t)snprintf(rule->action, sizeof rule->action, "%s", value) >= sizeof rule->action)
        return error_set(e, -EINVAL, "action is too long");
    int rc = read_wanted(rule, &w, &why);
    return rc ? error_set(e, rc, "action: %s", why.text) : 0;
}

/* Sets which JVMs are meant: those that the rule is about. */
static int set_select(struct wanted *w, const struct alert_rule *rule, const char *value, struct error *e)
{
    struct buffer text;
    buffer_init(&text, sizeof w->select);
    samples_put_selector(&text, rule, value);
    int rc = text.failed || text.len >= sizeof w->select ? error_set(e, -E2BIG, "its selector is too long") : 0;
    if (!rc)
        snprintf(w->select, sizeof w->select, "%.*s", (int)text.len, text.len ? (const char *)text.data : "");
    buffer_deinit(&text);
    return rc;
}

void action_do(struct alerts *a, const struct alert_rule *rule, const char *value)
{
    struct wanted w;
    struct error e;
    char text[700];
    if (!*rule->action)
        return;
    int64_t rc = read_wanted(rule, &w, &e);
    rc = rc ? rc : set_select(&w, rule, value, &e);
    snprintf(w.by, sizeof w.by, "alert %s", rule->name);
    rc = rc ? rc : profiles_want(a->server->profiles, &w, &e);
    if (rc > 0)
        return;
    snprintf(text, sizeof text, "alert %s: no profile on demand: %s", rule->name, e.text);
    a->tell(text);
}
