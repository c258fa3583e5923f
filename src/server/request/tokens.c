#include "server/request/tokens.h"

#include "base/array.h"
#include "base/text/pattern.h"
#include "base/text/word_list.h"

#include <ctype.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char binding[] = "service=";

/* Reads scopes such as "read,write". Returns 0 if the list is not valid. */
static unsigned parse_scopes(const char *text)
{
    static const struct {
        const char *word;
        enum token_scope scope;
    } known[] = {{"read", TOKEN_READ}, {"write", TOKEN_WRITE}, {"admin", TOKEN_ADMIN}, {"profile", TOKEN_PROFILE}};
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

/* Reads "service=PATTERN", or nothing, which means any service. Returns false if the text is neither. */
static bool parse_binding(const char *text, size_t n, char services[TOKENS_PATTERN])
{
    size_t prefix = sizeof binding - 1;
    snprintf(services, TOKENS_PATTERN, TOKENS_ANY_SERVICE);
    if (!n)
        return true;
    if (n <= prefix || n - prefix >= TOKENS_PATTERN || strncmp(text, binding, prefix))
        return false;
    snprintf(services, TOKENS_PATTERN, "%.*s", (int)(n - prefix), text + prefix);
    for (const char *c = services; *c; c++)
        if (iscntrl((unsigned char)*c))
            return false;
    return *services != '|' && services[n - prefix - 1] != '|' && !strstr(services, "||");
}

static int parse_hex(const char *text, uint8_t digest[TOKENS_DIGEST])
{
    if (strlen(text) != 2 * TOKENS_DIGEST)
        return -EINVAL;
    for (size_t i = 0; i < TOKENS_DIGEST; i++)
        if (sscanf(text + 2 * i, "%2hhx", &digest[i]) != 1)
            return -EINVAL;
    return 0;
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
        parse_hex(hex, token->digest) || !parse_binding(line + rest, len - (size_t)rest, token->services))
        return error_set(e, -EINVAL, "%s: line %u is not NAME SCOPES SHA256 [service=PATTERN]; make tokens with --new-token", path, number);
    memcpy(token->name, name, sizeof name);
    for (uint32_t i = 0; i < t->count; i++)
        if (!memcmp(t->list[i].digest, token->digest, sizeof token->digest))
            return error_set(e, -EINVAL, "%s: line %u has the token of %s again; make another one with --new-token", path, number,
                             t->list[i].name);
    t->count++;
    return 0;
}

static int read_file(struct tokens *t, const char *path, struct error *e)
{
    char line[512];
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
        if (!gnutls_memcmp(digest, t->list[i].digest, sizeof digest)) {
            *out = t->list[i];
            found = true;
        }
    pthread_rwlock_unlock(&t->lock);
    return found;
}

static bool basic(struct tokens *t, const char *encoded, struct token *out)
{
    gnutls_datum_t in = {(unsigned char *)(uintptr_t)encoded, (unsigned)strlen(encoded)}, decoded = {0};
    if (gnutls_base64_decode2(&in, &decoded))
        return false;
    const char *colon = memchr(decoded.data, ':', decoded.size);
    bool found = colon && find(t, colon + 1, decoded.size - (size_t)(colon + 1 - (char *)decoded.data), out);
    gnutls_free(decoded.data);
    return found;
}

bool tokens_find(struct tokens *t, const char *authorization, const char *tenant, struct token *out)
{
    if (!authorization)
        return tenant && find(t, tenant, strlen(tenant), out);
    if (!strncasecmp(authorization, "Bearer ", 7))
        return find(t, authorization + 7, strlen(authorization + 7), out);
    return !strncasecmp(authorization, "Basic ", 6) && basic(t, authorization + 6, out);
}

/* ---- making ---- */

static void put_hex(char *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static bool is_name(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)s[i]) && !strchr("_.-", s[i]))
            return false;
    return len && len < 64;
}

/* Makes the line of the file, of what --new-token says. Returns 0 or -EINVAL. */
static int make_line(const char *wanted, const char *hex, char *line, size_t size)
{
    char scopes[64], services[TOKENS_PATTERN];
    size_t name = strcspn(wanted, ":"), end = name + !!wanted[name], n = strcspn(wanted + end, ":");
    const char *bound = wanted + end + n;
    if (!wanted[name] || !is_name(wanted, name) || n >= sizeof scopes || (*bound && !bound[1]))
        return -EINVAL;
    bound += *bound == ':';
    snprintf(scopes, sizeof scopes, "%.*s", (int)n, wanted + end);
    if (!parse_scopes(scopes) || !parse_binding(bound, strlen(bound), services))
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
    char token[65], hex[65], line[512];
    if (gnutls_rnd(GNUTLS_RND_KEY, bytes, sizeof bytes))
        return error_set(e, -EIO, "no random numbers from the system");
    put_hex(token, bytes, sizeof bytes);
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, 64, digest))
        return error_set(e, -EIO, "SHA-256 failed");
    put_hex(hex, digest, sizeof digest);
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
