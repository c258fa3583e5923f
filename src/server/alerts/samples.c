#include "server/alerts/samples.h"

#include "profile/figures/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { KEY_MAX = 8 << 10 };

static void forget(struct alert_sampled *one)
{
    buffer_deinit(&one->key);
    method_sums_free(one->methods);
    profile_deinit(&one->profile);
    store_result_deinit(&one->result);
    *one = (struct alert_sampled){0};
}

/* The rule's selector comes without its braces. */
void samples_put_selector(struct buffer *out, const struct alert_rule *rule, const char *value)
{
    const char *text = rule->select + strspn(rule->select, " {");
    size_t n = strlen(text);
    while (n && strchr(" },", text[n - 1]))
        n--;
    buffer_put(out, text, n);
    if (!value)
        return;
    buffer_printf(out, "%s%s=\"", n ? "," : "", rule->each);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            buffer_u8(out, '\\');
        buffer_u8(out, (uint8_t)*value);
    }
    buffer_u8(out, '"');
}

int samples_selector(struct selector *out, const struct alert_rule *rule, const char *value, struct error *e)
{
    struct buffer text;
    *out = (struct selector){0};
    buffer_init(&text, KEY_MAX);
    samples_put_selector(&text, rule, value);
    buffer_u8(&text, 0);
    int rc = buffer_code(&text);
    rc = rc ? error_set(e, rc, "out of memory") : selector_parse(out, (const char *)text.data, e);
    buffer_deinit(&text);
    return rc;
}

/* The key ends with the selector, which begins at *selector. */
static int make_key(struct buffer *key, size_t *selector, const struct alert_rule *rule, const char *value, int64_t from, int64_t to)
{
    buffer_init(key, KEY_MAX);
    buffer_printf(key, "%s %" PRId64 " %" PRId64 " ", rule->type, from, to);
    *selector = key->len;
    samples_put_selector(key, rule, value);
    buffer_u8(key, 0);
    return buffer_code(key);
}

static int read_store(const struct alert_samples *s, struct alert_sampled *one, const char *text, const struct alert_rule *rule,
                      int64_t from, int64_t to, struct error *e)
{
    struct selector selector;
    struct store_query q = {.selector = &selector,
                            .from = from,
                            .to = to,
                            .type = rule->type,
                            .until_ns = s->until_ns,
                            .is_gone = s->is_gone,
                            .client = s->client};
    int rc = selector_parse(&selector, text, e);
    if (!rc && profile_init(&one->profile))
        rc = error_set(e, -ENOMEM, "out of memory");
    rc = rc ? rc : store_profile(s->store, &q, &one->profile, &one->result, e);
    selector_deinit(&selector);
    one->effective = rc ? 0 : stats_effective_samples(&one->profile);
    return rc;
}

int samples_get(struct alert_samples *s, const struct alert_rule *rule, const char *value, int64_t from, int64_t to,
                struct alert_sampled **out, struct error *e)
{
    struct buffer key;
    size_t selector;
    struct alert_sampled *place = &s->kept[0];
    int rc = make_key(&key, &selector, rule, value, from, to);
    s->asked++;
    uint32_t most = rule->seasons > 1 ? 1 + rule->seasons : 2; /* no more are in memory than the rule needs */
    for (uint32_t i = 0; !rc && i < most; i++) {
        struct alert_sampled *one = &s->kept[i];
        if (one->key.len == key.len && !memcmp(one->key.data, key.data, key.len)) {
            one->used = s->asked;
            *out = one;
            buffer_deinit(&key);
            return 0;
        }
        place = one->used < place->used ? one : place;
    }
    forget(place);
    s->reads++;
    rc = rc ? error_set(e, rc, "out of memory") : read_store(s, place, (const char *)key.data + selector, rule, from, to, e);
    if (rc) {
        forget(place);
        buffer_deinit(&key);
        return rc;
    }
    place->key = key;
    place->used = s->asked;
    *out = place;
    return 0;
}

void samples_deinit(struct alert_samples *s)
{
    for (int i = 0; i < ALERT_SAMPLES_KEPT; i++)
        forget(&s->kept[i]);
}
