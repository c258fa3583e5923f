/* The keys of a rule and of a target, and what values they take. */
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "http/address.h"
#include "regex/regex.h"
#include "server/alerts/tell/mail.h"
#include "server/alerts/rules.h"
#include "server/alerts/action.h"
#include "server/alerts/sources.h"
#include "server/alerts/tell/template.h"
#include "store/selector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SECONDS_A_DAY = 86400, SECONDS_A_WEEK = 7 * SECONDS_A_DAY };

const char *const alert_target_kinds[ALERT_TARGET_KINDS] = {"alertmanager", "webhook", "slack", "email"};

static int set_text(char *out, size_t size, const char *key, const char *value, struct error *e)
{
    if (!*value)
        return error_set(e, -EINVAL, "%s is empty", key);
    return (size_t)snprintf(out, size, "%s", value) < size ? 0 : error_set(e, -EINVAL, "%s is too long", key);
}

static int set_seconds(int64_t *out, const char *key, const char *value, int64_t least, int64_t most, struct error *e)
{
    uint64_t ns;
    if (units_parse_duration(value, &ns) || ns % NS_PER_S || ns / NS_PER_S < (uint64_t)least || ns / NS_PER_S > (uint64_t)most)
        return error_set(e, -EINVAL, "%s '%.40s': use whole seconds from %llds to %lldd, such as 5m", key, value, (long long)least,
                         (long long)most / SECONDS_A_DAY);
    *out = (int64_t)(ns / NS_PER_S);
    return 0;
}

/* ---- rules ---- */

static int set_select(struct alert_rule *r, const char *key, const char *value, struct error *e)
{
    struct selector s;
    int code = set_text(r->select, sizeof r->select, key, value, e);
    if (code)
        return code;
    code = selector_parse(&s, value, e);
    r->of_samples = selector_is_of_samples(&s);
    selector_deinit(&s);
    return code;
}

static int set_method(struct alert_rule *r, const char *key, const char *value, struct error *e)
{
    struct regex *regex = NULL;
    struct error why;
    int code = set_text(r->method, sizeof r->method, key, value, e);
    if (code)
        return code;
    code = regex_compile(&regex, value, REGEX_SOMEWHERE, &why);
    regex_free(regex);
    return code ? error_set(e, code, "method '%.100s': %s", value, why.text) : 0;
}

static int set_value(struct alert_rule *r, const char *key, const char *value, struct error *e)
{
    char names[200];
    r->source = sources_named(value);
    return r->source ? 0 : error_set(e, -EINVAL, "%s '%.40s': use one of %s", key, value, sources_names(names, sizeof names));
}

static int set_name_of_label(char *out, size_t size, const char *key, const char *value, struct error *e)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    bool good =
        *value && strchr(letters, *value) && !value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-")];
    return good ? set_text(out, size, key, value, e)
                : error_set(e, -EINVAL, "%s '%.60s': use letters, digits, '_', '.' and '-'", key, value);
}

static int add_text(struct alert_text *list, uint32_t *count, const char *key, const char *name, const char *value, struct error *e)
{
    if (*count == ALERT_TEXTS_MAX)
        return error_set(e, -EINVAL, "more than %d keys like %s", ALERT_TEXTS_MAX, key);
    struct alert_text *t = &list[*count];
    int code = set_name_of_label(t->name, sizeof t->name, key, name, e);
    code = code ? code : set_text(t->value, sizeof t->value, key, value, e);
    *count += !code;
    return code;
}

static int add_quiet(struct alert_rule *r, const char *value, struct error *e)
{
    if (r->quiet_count == ALERT_QUIET_MAX)
        return error_set(e, -EINVAL, "more than %d quiet times in one rule", ALERT_QUIET_MAX);
    int code = quiet_parse(&r->quiet[r->quiet_count], value, e);
    r->quiet_count += !code;
    return code;
}

static int set_threshold(struct alert_rule *r, const char *key, const char *value, struct error *e)
{
    if (*r->threshold_text)
        return error_set(e, -EINVAL, "%s: a rule has one threshold, above or below", key);
    r->below = *key == 'b';
    return set_text(r->threshold_text, sizeof r->threshold_text, key, value, e);
}

/* `previous` means the window just before; rule_finish sets how long before, when it knows the window. */
static int set_baseline(struct alert_rule *r, const char *value, struct error *e)
{
    const char *unit = value;
    uint64_t n = 1;
    bool several = number_take(&unit, 10, ALERT_SEASONS_LEAST, ALERT_SEASONS_MAX, &n) == NUMBER_GOOD;
    bool days = !strcmp(unit, several ? " days" : "day"), weeks = !strcmp(unit, several ? " weeks" : "week");
    r->before = days ? SECONDS_A_DAY : weeks ? SECONDS_A_WEEK : 0;
    r->seasons = (uint32_t)n;
    if (!days && !weeks && strcmp(value, "previous"))
        return error_set(e, -EINVAL, "baseline '%.40s': use previous, day, week, or %d to %d days or weeks, as in 7 days", value,
                         ALERT_SEASONS_LEAST, ALERT_SEASONS_MAX);
    return set_text(r->baseline, sizeof r->baseline, "baseline", value, e);
}

int rule_set(struct alert_rule *r, const char *key, const char *value, struct error *e)
{
    const struct {
        const char *key;
        int64_t *out, least, most;
    } times[] = {{"window", &r->window, 1, SECONDS_A_DAY},
                 {"interval", &r->interval, 1, SECONDS_A_DAY},
                 {"delay", &r->delay, 0, SECONDS_A_DAY},
                 {"for", &r->hold, 0, SECONDS_A_WEEK},
                 {"no-data", &r->no_data, 1, SECONDS_A_WEEK}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!strcmp(key, times[i].key))
            return set_seconds(times[i].out, key, value, times[i].least, times[i].most, e);
    if (!strcmp(key, "select"))
        return set_select(r, key, value, e);
    if (!strcmp(key, "each"))
        return set_name_of_label(r->each, sizeof r->each, key, value, e);
    if (!strcmp(key, "type"))
        return set_text(r->type, sizeof r->type, key, value, e);
    if (!strcmp(key, "value"))
        return set_value(r, key, value, e);
    if (!strcmp(key, "method"))
        return set_method(r, key, value, e);
    if (!strcmp(key, "above") || !strcmp(key, "below"))
        return set_threshold(r, key, value, e);
    if (!strcmp(key, "resolve"))
        return set_text(r->resolve_text, sizeof r->resolve_text, key, value, e);
    if (!strcmp(key, "baseline"))
        return set_baseline(r, value, e);
    if (!strcmp(key, "quiet"))
        return add_quiet(r, value, e);
    if (!strcmp(key, "action"))
        return action_set(r, value, e);
    if (!strcmp(key, "to"))
        return set_text(r->to, sizeof r->to, key, value, e);
    if (!strncmp(key, "label.", 6))
        return add_text(r->labels, &r->label_count, "label", key + 6, value, e);
    if (!strncmp(key, "annotation.", 11))
        return add_text(r->annotations, &r->annotation_count, "annotation", key + 11, value, e);
    return error_set(e, -EINVAL,
                     "no key '%.60s' in a rule; known are select, each, type, value, method, window, baseline, above, below, resolve, "
                     "for, no-data, interval, delay, quiet, action, to, label.NAME, annotation.NAME",
                     key);
}

/* Reads a threshold: a share, or a number if it is of a rate or of a ratio. */
static int read_threshold(const struct alert_rule *r, const char *key, const char *text, double *out, struct error *e)
{
    bool share = sources_is_share(r);
    if (share ? units_parse_percent(text, out) : number_parse_real(text, 0, 1e18, out) != NUMBER_GOOD)
        return error_set(e, -EINVAL, "%s '%.30s': use %s", key, text,
                         share       ? "a share such as 5%"
                         : r->before ? "a ratio to the baseline such as 1.5"
                                     : "a number such as 2.5");
    return 0;
}

int rule_finish(struct alert_rule *r, struct error *e)
{
    if (!r->source)
        return error_set(e, -EINVAL, "it needs a value, such as value = cores");
    if (r->source->methods == ALERT_METHODS_NEEDED && !*r->method)
        return error_set(e, -EINVAL, "it needs a method, a pattern of names");
    if (r->source->methods == ALERT_METHODS_NONE && *r->method)
        return error_set(e, -EINVAL, "value = %s has no method", r->source->name);
    if (selector_sample_label(r->each))
        return error_set(e, -EINVAL, "each = %s is a label of samples; use a label of recordings, and select the samples", r->each);
    if (!*r->threshold_text)
        return error_set(e, -EINVAL, "it needs a threshold, above or below");
    if (*r->baseline && !r->before)
        r->before = r->window;
    int code = sources_check(r, e);
    code = code ? code : read_threshold(r, r->below ? "below" : "above", r->threshold_text, &r->threshold, e);
    r->resolve = r->threshold;
    if (!code && *r->resolve_text)
        code = read_threshold(r, "resolve", r->resolve_text, &r->resolve, e);
    if (!code && (r->below ? r->resolve < r->threshold : r->resolve > r->threshold))
        code = error_set(e, -EINVAL, "resolve must not be %s the threshold", r->below ? "below" : "above");
    return code;
}

/* ---- targets ---- */

static int set_kind(struct alert_target *t, const char *value, struct error *e)
{
    for (int i = 0; i < ALERT_TARGET_KINDS; i++)
        if (!strcmp(value, alert_target_kinds[i])) {
            t->kind = (enum alert_target_kind)i;
            return 0;
        }
    return error_set(e, -EINVAL, "type '%.40s': use alertmanager, webhook, slack or email", value);
}

int target_set(struct alert_target *t, const char *key, const char *value, struct error *e)
{
    if (!strcmp(key, "type"))
        return set_kind(t, value, e);
    if (!strcmp(key, "url"))
        return set_text(t->url, sizeof t->url, key, value, e);
    if (!strcmp(key, "template"))
        return template_read(t->template, sizeof t->template, value, e);
    if (!strcmp(key, "content-type"))
        return set_text(t->content_type, sizeof t->content_type, key, value, e);
    if (!strcmp(key, "token-file"))
        return set_text(t->token_file, sizeof t->token_file, key, value, e);
    if (!strcmp(key, "ca-file"))
        return set_text(t->ca_file, sizeof t->ca_file, key, value, e);
    if (!strcmp(key, "repeat")) {
        t->repeat_set = true;
        return set_seconds(&t->repeat, key, value, 1, SECONDS_A_WEEK, e);
    }
    int rc = mail_set(t, key, value, e);
    if (rc != -ENOENT)
        return rc;
    return error_set(e, -EINVAL,
                     "no key '%.60s' in a target; known are type, url, token-file, ca-file, repeat, template, content-type, and for email "
                     "from, recipients, user, password-file, starttls and subject",
                     key);
}

int target_finish(struct alert_target *t, struct error *e)
{
    char url[sizeof t->url];
    if (t->kind == ALERT_TARGET_KINDS || !*t->url)
        return error_set(e, -EINVAL, "it needs %s", *t->url ? "a type: alertmanager, webhook, slack or email" : "a url");
    if (strpbrk(t->url, "@?#")) /* it may be a secret, which must be neither in the log nor in answers */
        return error_set(e, -EINVAL, "url: it has @, ? or #; passwords and tokens have files of their own, password-file and token-file");
    if (*t->template && t->kind != ALERT_WEBHOOK && t->kind != ALERT_EMAIL)
        return error_set(e, -EINVAL, "template: only the types webhook and email have one");
    if (t->kind == ALERT_EMAIL)
        return mail_finish(t, e);
    if (*t->from || t->recipient_count || *t->user || *t->password_file || *t->subject)
        return error_set(e, -EINVAL, "from, recipients, user, password-file and subject are keys of the type email only");
    memcpy(url, t->url, sizeof url);
    return address_read(url, t->url, sizeof t->url, e);
}
