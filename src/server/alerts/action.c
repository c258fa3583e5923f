#include "server/alerts/action.h"

#include "server/alerts/keep.h"
#include "server/alerts/samples.h"
#include "server/profiles/profiles.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "profile ", keep[] = "keep";

/* Reads what follows `profile`. */
static int read_wanted(const struct alert_rule *rule, struct wanted *w, struct error *e)
{
    return wanted_read_line(w, rule->action + sizeof prefix - 1, e);
}

int action_set(struct alert_rule *rule, const char *value, struct error *e)
{
    struct wanted w;
    struct error why;
    const char *rest = value + sizeof keep - 1;
    if (!strncmp(value, keep, sizeof keep - 1) && (!*rest || *rest == ' '))
        return keep_set(rule, rest, e);
    if (strncmp(value, prefix, sizeof prefix - 1) != 0)
        return error_set(e, -EINVAL, "action '%.60s': use profile EVENTS DURATION [JVMS], as in profile wall 2m, or keep", value);
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

static void tell_failure(struct alerts *a, const struct alert_rule *rule, const char *what, const struct error *e)
{
    char text[700];
    snprintf(text, sizeof text, "alert %s: %s: %s", rule->name, what, e->text);
    a->tell(text);
}

/* Asks for a profile on demand. */
static void ask(struct alerts *a, const struct alert_rule *rule, const char *value)
{
    struct wanted w;
    struct error e;
    int64_t rc = read_wanted(rule, &w, &e);
    rc = rc ? rc : set_select(&w, rule, value, &e);
    snprintf(w.by, sizeof w.by, "alert %s", rule->name);
    rc = rc ? rc : profiles_want(a->server->profiles, &w, &e);
    if (rc <= 0)
        tell_failure(a, rule, "no profile on demand", &e);
}

void action_do(struct alerts *a, const struct alert_rule *rule, const char *value, int64_t to)
{
    struct error e;
    if (rule->keep_s && keep_do(a->server->store, rule, value, to, &e))
        tell_failure(a, rule, "no recording is kept", &e);
    if (*rule->action)
        ask(a, rule, value);
}
