#include "server/pull/targets.h"

#include "base/array.h"
#include "base/ini.h"
#include "base/map.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "http/address.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { INTERVAL_S = 15, TIMEOUT_S = 10, SECONDS_MAX = 3600 };

const struct pull_kind_row pull_kinds[PULL_KIND_COUNT] = {
#define PULL_ROW(name, word, path, family, timed, sums) {word, path, family, timed, sums},
    PULL_KINDS(PULL_ROW)
#undef PULL_ROW
};

struct pull_group *pull_group_get(struct pull_group *g)
{
    atomic_fetch_add_explicit(&g->references, 1, memory_order_relaxed); /* whoever gets one has one already */
    return g;
}

void pull_group_put(struct pull_group *g)
{
    /* pairs with itself: the last one sees what the others did with the group */
    if (!g || atomic_fetch_sub_explicit(&g->references, 1, memory_order_acq_rel) != 1)
        return;
    labels_deinit(&g->labels);
    free(g->urls);
    explicit_bzero(g->token, sizeof g->token);
    explicit_bzero(g->password, sizeof g->password);
    free(g);
}

void targets_deinit(struct pull_targets *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        pull_group_put(t->groups[i]);
    free(t->groups);
    *t = (struct pull_targets){0};
}

/* ---- a section ---- */

static int begin_section(struct pull_targets *t, const char *section, struct error *e)
{
    const char *name = section + strcspn(section, " ");
    name += strspn(name, " ");
    if (strncmp(section, "pull ", 5))
        return error_set(e, -EINVAL, "no section [%.60s]; known is [pull NAME]", section);
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    if (!n || name[n] || n >= PULL_NAME_MAX)
        return error_set(e, -EINVAL, "name '%.80s': use up to %d letters, digits, '_', '.' and '-'", name, PULL_NAME_MAX - 1);
    for (uint32_t i = 0; i < t->count; i++)
        if (!strcmp(t->groups[i]->name, name))
            return error_set(e, -EINVAL, "there is a section [pull %s] already", name);
    struct pull_group *g = calloc(1, sizeof *g);
    if (!g || ARRAY_GROW(t->groups, t->cap, t->count)) {
        free(g);
        return error_set(e, -ENOMEM, "out of memory");
    }
    atomic_init(&g->references, 1);
    memcpy(g->name, name, n);
    g->interval_s = INTERVAL_S;
    g->timeout_s = TIMEOUT_S;
    t->groups[t->count++] = g;
    return 0;
}

static int find_kind(const char *word, size_t n, struct error *e)
{
    char known[200] = "";
    for (int i = 0; i < PULL_KIND_COUNT; i++) {
        size_t used = strlen(known);
        if (strlen(pull_kinds[i].word) == n && !memcmp(pull_kinds[i].word, word, n))
            return i;
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", pull_kinds[i].word);
    }
    return error_set(e, -EINVAL, "no profile '%.*s'; known are %s", (int)(n < 60 ? n : 60), word, known);
}

static int set_profiles(struct pull_group *g, const char *list, struct error *e)
{
    g->kinds = 0;
    while (*(list += strspn(list, " ,"))) {
        size_t n = strcspn(list, " ,");
        int kind = find_kind(list, n, e);
        if (kind < 0)
            return kind;
        g->kinds |= 1u << kind;
        list += n;
    }
    return g->kinds ? 0 : error_set(e, -EINVAL, "profiles is empty");
}

static int add_url(struct pull_targets *t, struct pull_group *g, const char *value, struct error *e)
{
    if (t->urls == PULL_URLS_MAX)
        return error_set(e, -E2BIG, "more than %d urls", PULL_URLS_MAX);
    if (ARRAY_GROW(g->urls, g->url_cap, g->url_count))
        return error_set(e, -ENOMEM, "out of memory");
    int rc = address_read(value, g->urls[g->url_count], PULL_URL_MAX, e);
    if (rc)
        return error_set(e, rc, "url '%.100s': use http://HOST:PORT or https://HOST, without user and query", value);
    for (uint32_t i = 0; i < g->url_count; i++)
        if (!strcmp(g->urls[i], g->urls[g->url_count]))
            return error_set(e, -EINVAL, "url '%.100s': it is there twice", value);
    g->url_count++;
    t->urls++;
    return 0;
}

static int set_path(struct pull_group *g, const char *word, const char *value, struct error *e)
{
    int kind = find_kind(word, strlen(word), e);
    if (kind < 0)
        return kind;
    if (*value != '/' || strlen(value) >= PULL_PATH_MAX || strpbrk(value, " #"))
        return error_set(e, -EINVAL, "path.%s '%.60s': use a path that begins with /, of less than %d bytes", word, value, PULL_PATH_MAX);
    snprintf(g->paths[kind], PULL_PATH_MAX, "%s", value);
    return 0;
}

static int set_seconds(uint32_t *out, const char *key, const char *value, struct error *e)
{
    uint64_t ns;
    if (units_parse_duration(value, &ns) || ns % NS_PER_S || !ns || ns / NS_PER_S > SECONDS_MAX)
        return error_set(e, -EINVAL, "%s '%.40s': use whole seconds, from 1s to 1h", key, value);
    *out = (uint32_t)(ns / NS_PER_S);
    return 0;
}

static int set_label(struct pull_group *g, const char *name, const char *value, struct error *e)
{
    return labels_set(&g->labels, name, strlen(name), value, strlen(value), e);
}

static int set_text(struct pull_group *g, const char *key, const char *value, struct error *e)
{
    const struct {
        const char *key;
        char *out;
        size_t size;
    } texts[] = {{"token-file", g->token_file, PULL_FILE_MAX},       {"user", g->user, PULL_NAME_MAX},
                 {"password-file", g->password_file, PULL_FILE_MAX}, {"ca-file", g->ca, PULL_FILE_MAX},
                 {"cert-file", g->certificate, PULL_FILE_MAX},       {"key-file", g->key, PULL_FILE_MAX}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(key, texts[i].key)) {
            bool fits = *value && (size_t)snprintf(texts[i].out, texts[i].size, "%s", value) < texts[i].size;
            return fits ? 0 : error_set(e, -EINVAL, "%s is %s", key, *value ? "too long" : "empty");
        }
    return error_set(e, -EINVAL,
                     "no key '%.60s'; known are url, service, label.NAME, profiles, path.PROFILE, interval, timeout, token-file, user, "
                     "password-file, ca-file, cert-file, key-file",
                     key);
}

static int take(void *targets, const char *section, const char *key, const char *value, struct error *e)
{
    struct pull_targets *t = targets;
    if (!key)
        return begin_section(t, section, e);
    if (!t->count)
        return error_set(e, -EINVAL, "'%.60s' is before the first section", key);
    struct pull_group *g = t->groups[t->count - 1];
    if (!strcmp(key, "url"))
        return add_url(t, g, value, e);
    if (!strcmp(key, "service"))
        return set_label(g, key, value, e);
    if (!strncmp(key, "label.", 6))
        return set_label(g, key + 6, value, e);
    if (!strcmp(key, "profiles"))
        return set_profiles(g, value, e);
    if (!strncmp(key, "path.", 5))
        return set_path(g, key + 5, value, e);
    if (!strcmp(key, "interval") || !strcmp(key, "timeout"))
        return set_seconds(*key == 'i' ? &g->interval_s : &g->timeout_s, key, value, e);
    return set_text(g, key, value, e);
}

/* ---- the file ---- */

/* Checks that a section is complete, and reads its secrets. */
static int finish(struct pull_group *g, struct error *e)
{
    if (!g->url_count)
        return error_set(e, -EINVAL, "it has no url");
    if (!*labels_get(&g->labels, "service"))
        return error_set(e, -EINVAL, "it has no service");
    if (!*g->user != !*g->password_file)
        return error_set(e, -EINVAL, "user and password-file go together");
    if (*g->user && *g->token_file)
        return error_set(e, -EINVAL, "token-file and user exclude each other");
    if (!*g->certificate != !*g->key)
        return error_set(e, -EINVAL, "cert-file and key-file go together");
    if (!g->kinds)
        g->kinds = 1u << PULL_CPU | 1u << PULL_MEMORY | 1u << PULL_MUTEX | 1u << PULL_BLOCK | 1u << PULL_GOROUTINE;
    int rc = token_read(g->token_file, g->token, e);
    return rc ? rc : token_read(g->password_file, g->password, e);
}

/* A profile that two sections fetch would count twice. */
static int check_twice(const struct pull_targets *t, struct error *e)
{
    struct map seen = {0};
    int rc = 0;
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t url = 0; url < t->groups[i]->url_count; url++)
            for (unsigned kind = 0; !rc && kind < PULL_KIND_COUNT; kind++) {
                const struct pull_group *g = t->groups[i];
                bool added = true;
                if (g->kinds & 1u << kind && !map_add(&seen, hash_mix(hash_bytes(g->urls[url], strlen(g->urls[url])) + kind), &added))
                    rc = error_set(e, -ENOMEM, "out of memory");
                else if (!added)
                    rc = error_set(e, -EINVAL, "[pull %s]: another section has the profile %s of %.100s, too", g->name,
                                   pull_kinds[kind].word, g->urls[url]);
            }
    map_deinit(&seen);
    return rc;
}

int targets_read(struct pull_targets *t, const char *path, struct error *e)
{
    struct error why;
    *t = (struct pull_targets){0};
    int rc = ini_read(path, take, t, e);
    for (uint32_t i = 0; !rc && i < t->count; i++) {
        rc = finish(t->groups[i], &why);
        if (rc)
            error_set(e, rc, "%s, [pull %s]: %s", path, t->groups[i]->name, why.text);
    }
    if (!rc && (rc = check_twice(t, &why)))
        error_set(e, rc, "%s, %s", path, why.text);
    if (rc)
        targets_deinit(t);
    return rc;
}
