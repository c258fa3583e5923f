#include "store/selector.h"

#include "base/text/pattern.h"
#include "store/files/contexts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *begin, *at;
    struct error *error;
    uint32_t parts; /* size of all regular expressions */
};

static int bad(const struct reader *r, const char *wanted)
{
    return error_set(r->error, -EINVAL, "selector: %s at character %zu, '%.20s'; write it like {service=\"shop\",host=~\"web-.*\"}", wanted,
                     (size_t)(r->at - r->begin) + 1, r->at);
}

static void skip_blanks(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\r')
        r->at++;
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static int read_name(struct reader *r, struct matcher *m)
{
    skip_blanks(r);
    const char *begin = r->at;
    while (isalnum((unsigned char)*r->at) || (*r->at && strchr("_.-", *r->at)))
        r->at++;
    if (r->at == begin || r->at - begin > LABEL_NAME_MAX)
        return bad(r, "a label's name is missing or too long");
    m->name = strndup(begin, (size_t)(r->at - begin));
    m->of_samples = m->name && selector_sample_label(m->name);
    return m->name ? 0 : -ENOMEM;
}

static int read_operator(struct reader *r, struct matcher *m, bool *regex)
{
    skip_blanks(r);
    m->negated = *r->at == '!';
    r->at += m->negated;
    if (*r->at == '=')
        *regex = !m->negated && r->at[1] == '~';
    else if (m->negated && *r->at == '~')
        *regex = true;
    else
        return bad(r, "=, !=, =~ or !~ is missing");
    r->at += *regex && !m->negated ? 2 : 1;
    return 0;
}

static int read_string(struct reader *r, struct matcher *m)
{
    if (!take(r, '"'))
        return bad(r, "a \" is missing");
    const char *end = r->at;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    if (!*end)
        return bad(r, "a text without its closing \"");
    char *to = m->value = malloc((size_t)(end - r->at) + 1);
    if (!to)
        return -ENOMEM;
    for (; r->at < end; r->at++) {
        char c = *r->at;
        if (c == '\\') {
            c = *++r->at;
            if (!strchr("\"\\nt", c)) /* an escape in a regular expression, such as \., stays as it is */
                *to++ = '\\';
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        *to++ = c;
    }
    *to = 0;
    r->at++;
    return to - m->value > LABEL_VALUE_MAX ? bad(r, "a text of more than 1024 bytes before") : 0;
}

/* Compiles the regular expression of a matcher. All regular expressions of a selector together may be only as large as one alone may be. */
static int compile(struct matcher *m, uint32_t *parts, struct error *e)
{
    struct error why;
    int rc = regex_compile(&m->regex, m->value, REGEX_WHOLE, &why);
    if (rc == -EINVAL)
        return error_set(e, rc, "selector: '%.60s' is not a regular expression: %s", m->value, why.text);
    *parts += rc ? 0 : regex_size(m->regex);
    return rc || *parts <= REGEX_PROGRAM_MAX ? rc : error_set(e, -EINVAL, "selector: its regular expressions are too large together");
}

static int read_matcher(struct reader *r, struct selector *s)
{
    if (s->count == SELECTOR_MAX)
        return bad(r, "more than 32 matchers");
    struct matcher *m = &s->list[s->count++];
    bool regex = false;
    int rc = read_name(r, m);
    s->on_demand |= !rc && !strcmp(m->name, LABEL_ON_DEMAND);
    rc = rc ? rc : read_operator(r, m, &regex);
    rc = rc ? rc : read_string(r, m);
    return rc || !regex ? rc : compile(m, &r->parts, r->error);
}

int selector_parse(struct selector *s, const char *text, struct error *e)
{
    struct reader r = {.begin = text, .at = text, .error = e};
    *s = (struct selector){0};
    bool braces = take(&r, '{');
    int rc = 0;
    skip_blanks(&r);
    while (!rc && *r.at && *r.at != '}') {
        rc = read_matcher(&r, s);
        if (!rc && !take(&r, ','))
            break;
        skip_blanks(&r);
    }
    if (!rc && braces && !take(&r, '}'))
        rc = bad(&r, "a , or } is missing");
    skip_blanks(&r);
    if (!rc && *r.at)
        rc = bad(&r, "nothing more is expected");
    return rc == -ENOMEM ? error_set(e, rc, "out of memory") : rc;
}

static bool holds(const struct matcher *m, const char *value)
{
    bool same = m->regex ? regex_matches(m->regex, value) : !strcmp(value, m->value);
    return same != m->negated;
}

bool selector_holds(const struct selector *s, selector_value *value, void *context)
{
    if (s->services && !pattern_matches(s->services, value(context, "service")))
        return false;
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->list[i].of_samples && !holds(&s->list[i], value(context, s->list[i].name)))
            return false;
    return true;
}

const char *selector_sample_label(const char *name)
{
    static const char prefix[] = "sample.";
    if (!strncmp(name, prefix, sizeof prefix - 1) && name[sizeof prefix - 1])
        return name + sizeof prefix - 1;
    return strcmp(name, CONTEXT_ENDPOINT) != 0 ? NULL : name;
}

bool selector_is_of_samples(const struct selector *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].of_samples)
            return true;
    return false;
}

bool selector_is_of_other_labels(const struct selector *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].of_samples && strcmp(selector_sample_label(s->list[i].name), CONTEXT_ENDPOINT) != 0)
            return true;
    return false;
}

bool selector_holds_for_sample(const struct selector *s, selector_value *value, void *context)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].of_samples && !holds(&s->list[i], value(context, selector_sample_label(s->list[i].name))))
            return false;
    return true;
}

static const char *value_of_labels(void *labels, const char *name)
{
    return labels_get(labels, name);
}

bool selector_matches(const struct selector *s, const struct labels *l)
{
    return (s->on_demand || !*labels_get(l, LABEL_ON_DEMAND)) && selector_holds(s, value_of_labels, (void *)l);
}

bool selector_may_match(const struct selector *s, const char *service)
{
    if (s->services && !pattern_matches(s->services, service))
        return false;
    for (uint32_t i = 0; i < s->count; i++)
        if (!strcmp(s->list[i].name, "service") && !holds(&s->list[i], service))
            return false;
    return true;
}

void selector_deinit(struct selector *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct matcher *m = &s->list[i];
        regex_free(m->regex);
        free(m->name);
        free(m->value);
    }
    s->count = 0;
}
