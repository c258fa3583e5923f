#include "server/access/tokens.h"

#include "base/array.h"
#include "base/map.h"
#include "base/text/pattern.h"
#include "base/text/word_list.h"
#include "base/text/hex.h"

#include <ctype.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };

static const char binding[] = "service=";

static const struct {
    const char *word;
    enum token_scope scope;
} known[] = {{"read", TOKEN_READ}, {"write", TOKEN_WRITE}, {"admin", TOKEN_ADMIN}, {"profile", TOKEN_PROFILE}};

/* Reads scopes such as "read,write". Returns 0 if the list is not valid. */
static unsigned parse_scopes(const char *text)
{
    unsigned scopes = 0;
    char word[8];
    while (word_list_next(&text, word, sizeof word)) {
        unsigned one = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (!strcmp(word, known[i].word))
                one = known[i].scope;
        if (!one)
            return 0;
        scopes |= one;
    }
    return scopes;
}

/* Reads the pattern of "service=PATTERN". */
static bool parse_binding(const char *text, size_t n, char services[TOKENS_PATTERN])
{
    if (!n || n >= TOKENS_PATTERN)
        return false;
    snprintf(services, TOKENS_PATTERN, "%.*s", (int)n, text);
    for (const char *c = services; *c; c++)
        if (iscntrl((unsigned char)*c))
            return false;
    return *services != '|' && services[n - 1] != '|' && !strstr(services, "||");
}

/* Reads a limit such as "max-bytes-per-hour=2G". */
static bool parse_limit(const char *text, size_t n, struct quota_limits *limits)
{
    const char *equals = memchr(text, '=', n);
    char value[32];
    enum quota limit = equals ? quotas_named(text, (size_t)(equals - text)) : QUOTAS;
    if (limit == QUOTAS || limits->most[limit] || (size_t)(text + n - equals) > sizeof value)
        return false;
    snprintf(value, sizeof value, "%.*s", (int)(text + n - equals - 1), equals + 1);
    return !quotas_parse(limit, value, &limits->most[limit]);
}

/* Reads the end of a line: limits, then service=PATTERN. Both are optional. A pattern may have blanks. */
static bool parse_rest(const char *text, size_t n, struct token *token)
{
    const char *end = text + n;
    snprintf(token->services, TOKENS_PATTERN, TOKENS_ANY_SERVICE);
    while (text < end) {
        size_t word = strcspn(text, " "), prefix = sizeof binding - 1;
        if ((size_t)(end - text) >= prefix && !strncmp(text, binding, prefix))
            return parse_binding(text + prefix, (size_t)(end - text) - prefix, token->services);
        if (!parse_limit(text, word, &token->limits))
            return false;
        text += word;
        text += strspn(text, " ");
    }
    return true;
}

static const char *const kinds[] =
    {[TOKEN_SECRET] = "token", [TOKEN_USER] = "user", [TOKEN_GROUP] = "group", [TOKEN_CERTIFICATE] = "certificate"};

/* Reads how the server recognizes the holder: by a digest, or by one of the words. */
static int parse_kind(const char *text, struct token *token)
{
    for (int kind = TOKEN_USER; kind <= TOKEN_CERTIFICATE; kind++)
        if (!strcmp(text, kinds[kind])) {
            token->kind = (enum token_kind)kind;
            return 0;
        }
    return hex_parse(text, token->digest, TOKENS_DIGEST) ? 0 : -EINVAL;
}

static int add_line(struct tokens *t, char *line, const char *path, unsigned number, struct error *e)
{
    char name[TOKENS_NAME], scopes[64], hex[80];
    int rest = 0;
    size_t len = strlen(line);
    while (len && strchr(" \r\n", line[len - 1]))
        line[--len] = 0;
    if (!*line || *line == '#')
        return 0;
    if (t->count == TOKENS_MAX || ARRAY_GROW(t->list, t->cap, t->count))
        return error_set(e, -ENOMEM, "%s: too many tokens", path);
    struct token *token = &t->list[t->count];
    *token = (struct token){0};
    if (sscanf(line, "%63s %63s %79s %n", name, scopes, hex, &rest) != 3 || !(token->scopes = parse_scopes(scopes)) ||
        parse_kind(hex, token) || !parse_rest(line + rest, len - (size_t)rest, token))
        return error_set(e, -EINVAL,
                         "%s: line %u is not NAME SCOPES SHA256|user|group|certificate [LIMIT=N ...] [service=PATTERN]; make tokens with "
                         "--new-token",
                         path, number);
    memcpy(token->name, name, sizeof name);
    for (uint32_t i = 0; i < t->count; i++)
        if (token->kind == TOKEN_SECRET && t->list[i].kind == TOKEN_SECRET &&
            !memcmp(t->list[i].digest, token->digest, sizeof token->digest))
            return error_set(e, -EINVAL, "%s: line %u has the token of %s again; make another one with --new-token", path, number,
                             t->list[i].name);
    t->count++;
    return 0;
}

static int read_file(struct tokens *t, const char *path, struct error *e)
{
    char line[LINE_BYTES];
    unsigned number = 0;
    int rc = 0;
    struct stat st;
    FILE *f = fopen(path, "re");
    if (!f)
        return error_set(e, -errno, "%s: cannot be read: %s; make a token with --new-token NAME:read,write", path, strerror(errno));
    if (!fstat(fileno(f), &st) && st.st_mode & 022)
        rc = error_set(e, -EPERM, "%s: others can write to it; chmod 600 it", path);
    while (!rc && fgets(line, sizeof line, f))
        rc = add_line(t, line, path, ++number, e);
    if (!rc && ferror(f))
        rc = error_set(e, -EIO, "%s: cannot be read", path);
    fclose(f);
    return rc;
}

int tokens_read(struct tokens *t, const char *path, struct error *e)
{
    struct tokens fresh = {.list = NULL};
    int rc = read_file(&fresh, path, e);
    if (!rc) {
        struct token *old = t->list;
        pthread_rwlock_wrlock(&t->lock);
        t->list = fresh.list;
        t->count = fresh.count;
        t->cap = fresh.cap;
        pthread_rwlock_unlock(&t->lock);
        fresh.list = old;
    }
    free(fresh.list);
    return rc;
}

void tokens_init(struct tokens *t)
{
    *t = (struct tokens){.list = NULL};
    pthread_rwlock_init(&t->lock, NULL);
}

void tokens_deinit(struct tokens *t)
{
    free(t->list);
    pthread_rwlock_destroy(&t->lock);
    *t = (struct tokens){.list = NULL};
}

bool token_is_bound(const struct token *t)
{
    return !pattern_is_any(t->services);
}

/* ---- finding ---- */

/* Compares with each token, so that the time says nothing about which one it is. */
static bool find(struct tokens *t, const char *token, size_t len, struct token *out)
{
    uint8_t digest[TOKENS_DIGEST];
    bool found = false;
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, len, digest))
        return false;
    pthread_rwlock_rdlock(&t->lock);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->list[i].kind == TOKEN_SECRET && !gnutls_memcmp(digest, t->list[i].digest, sizeof digest)) {
            *out = t->list[i];
            snprintf(out->holder, sizeof out->holder, "%s", out->name);
            found = true;
        }
    pthread_rwlock_unlock(&t->lock);
    return found;
}

/* Finds the secret in the header. decoded: memory for it, for gnutls_free. Returns NULL if there is none. */
static const char *secret_in(const char *authorization, gnutls_datum_t *decoded, size_t *len)
{
    *decoded = (gnutls_datum_t){0};
    if (authorization && !strncasecmp(authorization, "Bearer ", 7)) {
        *len = strlen(authorization + 7);
        return authorization + 7;
    }
    if (!authorization || strncasecmp(authorization, "Basic ", 6))
        return NULL;
    gnutls_datum_t in = {(unsigned char *)(uintptr_t)authorization + 6, (unsigned)strlen(authorization + 6)};
    if (gnutls_base64_decode2(&in, decoded))
        return NULL;
    const char *colon = memchr(decoded->data, ':', decoded->size);
    *len = colon ? decoded->size - (size_t)(colon + 1 - (char *)decoded->data) : 0;
    return colon ? colon + 1 : NULL;
}

bool tokens_find_tenant(struct tokens *t, const char *tenant, struct token *out)
{
    return tenant && find(t, tenant, strlen(tenant), out);
}

bool tokens_find(struct tokens *t, const char *authorization, struct token *out)
{
    gnutls_datum_t decoded;
    size_t len;
    const char *secret = secret_in(authorization, &decoded, &len);
    bool found = secret && find(t, secret, len, out);
    gnutls_free(decoded.data);
    return found;
}

uint64_t tokens_number(const char *authorization)
{
    gnutls_datum_t decoded;
    size_t len;
    const char *secret = secret_in(authorization, &decoded, &len);
    uint64_t number = secret ? hash_bytes(secret, len) : 0;
    gnutls_free(decoded.data);
    return number;
}

/* Whether the pattern matches one of the groups. */
static bool has_group(const char *pattern, const char *groups)
{
    char group[TOKENS_HOLDER];
    while (word_list_next(&groups, group, sizeof group)) {
        const char *name = group + strspn(group, " ");
        size_t n = strlen(group);
        bool cut = n == sizeof group - 1;
        while (n && group[n - 1] == ' ')
            group[--n] = 0;
        if (*name && !cut && pattern_matches(pattern, name))
            return true;
    }
    return false;
}

static bool is_for(const struct token *token, const char *user, const char *groups, const char *certificate)
{
    switch (token->kind) {
    case TOKEN_USER:
        return user && pattern_matches(token->name, user);
    case TOKEN_GROUP:
        return has_group(token->name, groups);
    case TOKEN_CERTIFICATE:
        return certificate && pattern_matches(token->name, certificate);
    default:
        return false;
    }
}

/* Finds the first line for the holder, and copies it. A name that would be cut is nobody's. */
static bool find_holder(struct tokens *t, const char *user, const char *groups, const char *certificate, struct token *out)
{
    const char *holder = user ? user : certificate;
    bool found = false;
    if (!holder || !*holder || strlen(holder) >= TOKENS_HOLDER)
        return false;
    pthread_rwlock_rdlock(&t->lock);
    for (uint32_t i = 0; i < t->count && !found; i++)
        if ((found = is_for(&t->list[i], user, groups, certificate)))
            *out = t->list[i];
    pthread_rwlock_unlock(&t->lock);
    if (found)
        snprintf(out->holder, sizeof out->holder, "%s", holder);
    return found;
}

bool tokens_find_person(struct tokens *t, const char *user, const char *groups, struct token *out)
{
    return find_holder(t, user, groups, NULL, out);
}

bool tokens_find_certificate(struct tokens *t, const char *certificate, struct token *out)
{
    return find_holder(t, NULL, NULL, certificate, out);
}

/* The visits do not have the lock, so they may take others. */
int tokens_each(struct tokens *t, int (*visit)(void *context, const struct token *token), void *context)
{
    pthread_rwlock_rdlock(&t->lock);
    uint32_t count = t->count;
    struct token *list = calloc((size_t)count + 1, sizeof *list);
    if (list && count)
        memcpy(list, t->list, count * sizeof *list);
    pthread_rwlock_unlock(&t->lock);
    for (uint32_t i = 0; list && i < count && !visit(context, &list[i]); i++)
        ;
    free(list);
    return list ? 0 : -ENOMEM;
}

const char *token_scope_word(enum token_scope scope)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].scope == scope)
            return known[i].word;
    return NULL;
}

const char *token_kind_word(enum token_kind kind)
{
    return kinds[kind];
}

bool tokens_has(struct tokens *t, const char *name)
{
    bool found = false;
    pthread_rwlock_rdlock(&t->lock);
    for (uint32_t i = 0; i < t->count && !found; i++)
        found = !strcmp(t->list[i].name, name);
    pthread_rwlock_unlock(&t->lock);
    return found;
}

/* ---- making ---- */

static bool is_name(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)s[i]) && !strchr("_.-", s[i]))
            return false;
    return len && len < 64;
}

/* Makes the file's line from the argument of --new-token. Returns 0 or -EINVAL. */
static int make_line(const char *wanted, const char *hex, char *line, size_t size)
{
    char scopes[64];
    struct token token = {0};
    size_t name = strcspn(wanted, ":"), end = name + !!wanted[name], n = strcspn(wanted + end, ":");
    const char *bound = wanted + end + n;
    if (!wanted[name] || !is_name(wanted, name) || n >= sizeof scopes || (*bound && !bound[1]))
        return -EINVAL;
    bound += *bound == ':';
    snprintf(scopes, sizeof scopes, "%.*s", (int)n, wanted + end);
    if (!parse_scopes(scopes) || !parse_rest(bound, strlen(bound), &token))
        return -EINVAL;
    snprintf(line, size, "%.*s %s %s%s%s\n", (int)name, wanted, scopes, hex, *bound ? " " : "", bound);
    return 0;
}

/* Whether the file's last line has no end, because a person has written it. */
static bool ends_within_line(int fd)
{
    char last;
    off_t size = lseek(fd, 0, SEEK_END);
    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

int tokens_make(const char *path, const char *wanted, struct error *e)
{
    uint8_t bytes[32], digest[TOKENS_DIGEST];
    char token[65], hex[65], line[LINE_BYTES];
    if (gnutls_rnd(GNUTLS_RND_KEY, bytes, sizeof bytes))
        return error_set(e, -EIO, "no random numbers from the system");
    hex_put(token, bytes, sizeof bytes);
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, 64, digest))
        return error_set(e, -EIO, "SHA-256 failed");
    hex_put(hex, digest, sizeof digest);
    if (make_line(wanted, hex, line, sizeof line))
        return error_set(e, -EINVAL, "--new-token '%.60s': write it like web-1:write, grafana:read or shop:read,write:service=shop|cart-*",
                         wanted);
    ssize_t n = (ssize_t)strlen(line);
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    bool torn = fd >= 0 && ends_within_line(fd);
    int rc = fd < 0 || (torn && write(fd, "\n", 1) != 1) || write(fd, line, (size_t)n) != n || fsync(fd)
                 ? error_set(e, -errno, "%s: cannot be written: %s", path, strerror(errno))
                 : 0;
    if (fd >= 0)
        close(fd);
    if (!rc)
        puts(token);
    return rc;
}
