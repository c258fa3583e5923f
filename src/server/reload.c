#include "server/reload.h"

#include "base/buffer.h"
#include "server/logs/audit.h"
#include "server/logs/journal.h"
#include "server/pull/pull.h"

#include <stdio.h>
#include <string.h>

void reload_limits(struct server_limits *l, const struct server_options *o)
{
#define SET(name, option) l->name = o->name;
    SERVER_LIMITS(SET)
#undef SET
}

struct store_limits reload_store_limits(const struct server_options *o)
{
    return (struct store_limits){.retain_s = o->retain_s,
                                 .retain_raw_s = o->retain_raw_s,
                                 .retain_hours_s = o->retain_hours_s,
                                 .retain_days_s = o->retain_days_s,
                                 .max_disk = o->max_disk,
                                 .max_raw = o->max_raw,
                                 .max_service = o->max_service,
                                 .memory = o->memory};
}

static void add(struct buffer *list, const char *option)
{
    buffer_printf(list, "%s--%s", list->len ? ", " : "", option);
}

static bool differs(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") != 0;
}

/* Lists the limits that change, and the other options, which stay as they are until the next start. */
static void compare(const struct server *s, const struct server_options *o, struct buffer *changed, struct buffer *waiting)
{
#define COMPARE(name, option)                                                                                                              \
    if (s->limits.name != o->name)                                                                                                         \
        add(changed, option);
    SERVER_LIMITS(COMPARE)
#undef COMPARE
#define COMPARE(name, option)                                                                                                              \
    if (differs(s->options->name, o->name))                                                                                                \
        add(waiting, option);
    SERVER_TEXTS(COMPARE)
#undef COMPARE
}

static void report(const struct server *s, const struct buffer *changed, const struct buffer *waiting, void (*tell)(const char *text))
{
    struct buffer text;
    buffer_init(&text, 2048);
    buffer_text(&text, "the configuration was read again");
    if (changed->len)
        buffer_printf(&text, "; changed: %.*s", (int)changed->len, (const char *)changed->data);
    if (s->options->token_file)
        buffer_printf(&text, "; %u tokens", s->tokens.count);
    if (s->pull)
        buffer_printf(&text, "; %u profiles to pull", pull_count(s->pull));
    if (s->options->certificate)
        buffer_text(&text, "; the certificate, for new connections");
    if (waiting->len)
        buffer_printf(&text, "; waits for a restart: %.*s", (int)waiting->len, (const char *)waiting->data);
    buffer_u8(&text, 0);
    const char *said = text.failed ? "the configuration was read again" : (const char *)text.data;
    tell(said);
    audit_event(s->audit, "reload", said);
    buffer_deinit(&text);
}

static bool has_token(void *tokens, const char *name)
{
    return tokens_has(tokens, name);
}

static void apply(struct server *s, const struct server_options *o, void (*tell)(const char *text))
{
    struct buffer changed, waiting;
    const struct store_limits store = reload_store_limits(o);
    buffer_init(&changed, 512);
    buffer_init(&waiting, 512);
    compare(s, o, &changed, &waiting);
    reload_limits(&s->limits, o);
    quotas_forget(s->quotas, has_token, &s->tokens);
    if (s->store)
        store_set_limits(s->store, &store);
    report(s, &changed, &waiting, tell);
    buffer_deinit(&changed);
    buffer_deinit(&waiting);
}

void reload_all(struct server *s, struct listener *l, const struct server_source *source, void (*tell)(const char *text))
{
    const struct server_options *now = s->options;
    struct server_options o;
    struct transport_keys *keys = NULL;
    struct pull_targets targets = {0};
    struct error e;
    void *reading;
    char text[700];
    audit_reopen(s->audit);
    journal_reopen(s->journal); /* in any case, because a person or a program that has moved the file waits for a new one */
    int rc = source->read(source, &o, &reading, &e);
    if (rc) {
        snprintf(text, sizeof text, "the old configuration stays: %s", e.text);
        tell(text);
        audit_event(s->audit, "reload", text);
        return;
    }
    if (now->certificate)
        rc = transport_read_keys(&keys, now->certificate, now->key, now->client_ca, &e);
    if (!rc && s->pull)
        rc = targets_read(&targets, now->pull, &e);
    if (!rc && now->token_file)
        rc = tokens_read(&s->tokens, now->token_file, &e);
    if (rc) {
        transport_put_keys(keys);
        targets_deinit(&targets);
        snprintf(text, sizeof text, "the old configuration stays: %s", e.text);
        tell(text);
        audit_event(s->audit, "reload", text);
    } else {
        if (keys)
            listen_use_keys(l, keys);
        if (s->pull)
            pull_use(s->pull, &targets);
        apply(s, &o, tell);
    }
    source->release(reading);
}
