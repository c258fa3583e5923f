#include "server/fleet/function_match.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int compile(struct function_match *m, struct http *h)
{
    char pattern[REGEX_TEXT_MAX + 1];
    struct error e;
    if (m->len - 2 > REGEX_TEXT_MAX) {
        http_error(h, HTTP_BAD_REQUEST, "match: a pattern has at most %d bytes", REGEX_TEXT_MAX);
        return -EINVAL;
    }
    snprintf(pattern, sizeof pattern, "%.*s", (int)m->len - 2, m->text + 1);
    int rc = regex_compile(&m->regex, pattern, REGEX_SOMEWHERE, &e);
    if (rc == -ENOMEM)
        http_later(h, HTTP_SERVICE_UNAVAILABLE, "out of memory");
    else if (rc)
        http_error(h, HTTP_BAD_REQUEST, "match: %s", e.text);
    return rc;
}

int function_match_init(struct function_match *m, struct http *h)
{
    *m = (struct function_match){0};
    m->text = http_parameter(h, "match", &m->len);
    if (!m->text || !m->len) {
        http_error(h, HTTP_BAD_REQUEST, "match: which methods? write a part of their name, a beginning with a * after it, or /PATTERN/");
        return -EINVAL;
    }
    if (strlen(m->text) != m->len) {
        http_error(h, HTTP_BAD_REQUEST, "match: it has a zero byte");
        return -EINVAL;
    }
    if (m->len >= 2 && *m->text == '/' && m->text[m->len - 1] == '/')
        return compile(m, h);
    m->prefix = m->text[m->len - 1] == '*';
    m->len -= m->prefix;
    return 0;
}

void function_match_deinit(struct function_match *m)
{
    regex_free(m->regex);
}

bool function_match_has(void *context, const struct store_function_name *name)
{
    const struct function_match *m = context;
    if (m->regex)
        return regex_matches(m->regex, name->label);
    if (m->prefix)
        return name->label_len >= m->len && !memcmp(name->label, m->text, m->len);
    return memmem(name->label, name->label_len, m->text, m->len);
}

/* Compiles a pattern that matches what function_match_has compares with. */
static int compile_text(struct regex **out, const struct function_match *m, struct error *e)
{
    char pattern[REGEX_TEXT_MAX + 1];
    size_t n = 0;
    if (2 * m->len + 1 > REGEX_TEXT_MAX)
        return error_set(e, -EINVAL, "match: the name is too long");
    if (m->prefix)
        pattern[n++] = '^';
    for (size_t i = 0; i < m->len; i++) {
        if (strchr("\\.+*?()|[]{}^$", m->text[i]))
            pattern[n++] = '\\';
        pattern[n++] = m->text[i];
    }
    pattern[n] = '\0';
    return regex_compile(out, pattern, REGEX_SOMEWHERE, e);
}

int function_match_keep(const struct function_match *m, struct profile *p, struct error *e)
{
    struct regex *made = NULL;
    int rc = m->regex ? 0 : compile_text(&made, m, e);
    if (!rc && filter_apply(&(struct filter){.method.regex = m->regex ? m->regex : made}, p))
        rc = error_set(e, -ENOMEM, "out of memory");
    regex_free(made);
    return rc;
}
