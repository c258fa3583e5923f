#include "server/request/tokens.h"

#include "base/array.h"
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

/* Reads scopes such as "read,write". Returns 0 if the list is not valid. */
static unsigned parse_scopes(const char *text)
{
    unsigned scopes = 0;
    char word[8];
    while (word_list_next(&text, word, sizeof word)) {
        if (!strcmp(word, "read"))
            scopes |= TOKEN_READ;
        else if (!strcmp(word, "write"))
            scopes |= TOKEN_WRITE;
        else
            return 0;
    }
    return scopes;
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

static int parse_line(struct tokens *t, char *line, const char *path, unsigned number, struct error *e)
{
    char name[64], scopes[64], hex[80], rest;
    if (!*line || *line == '#' || line[strspn(line, " \n")] == 0)
        return 0;
    if (ARRAY_GROW(t->list, t->cap, t->count) || t->count == TOKENS_MAX)
        return error_set(e, -ENOMEM, "%s: too many tokens", path);
    struct token *token = &t->list[t->count];
    *token = (struct token){0};
    if (sscanf(line, "%63s %63s %79s %c", name, scopes, hex, &rest) != 3 || !(token->scopes = parse_scopes(scopes)) ||
        parse_hex(hex, token->digest))
        return error_set(e, -EINVAL, "%s: line %u is not NAME SCOPES SHA256; make tokens with --new-token NAME:read,write", path, number);
    memcpy(token->name, name, sizeof name);
    t->count++;
    return 0;
}

int tokens_read(struct tokens *t, const char *path, struct error *e)
{
    char line[512];
    unsigned number = 0;
    int rc = 0;
    struct stat st;
    *t = (struct tokens){0};
    FILE *f = fopen(path, "re");
    if (!f)
        return error_set(e, -errno, "%s: cannot be read: %s; make a token with --new-token NAME:read,write", path, strerror(errno));
    if (!fstat(fileno(f), &st) && st.st_mode & 022)
        rc = error_set(e, -EPERM, "%s: others can write to it; chmod 600 it", path);
    while (!rc && fgets(line, sizeof line, f))
        rc = parse_line(t, line, path, ++number, e);
    fclose(f);
    if (rc)
        tokens_deinit(t);
    return rc;
}

void tokens_deinit(struct tokens *t)
{
    free(t->list);
    *t = (struct tokens){0};
}

static unsigned scopes_of(const struct tokens *t, const char *token, size_t len)
{
    uint8_t digest[TOKENS_DIGEST];
    unsigned scopes = 0;
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, len, digest))
        return 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (!gnutls_memcmp(digest, t->list[i].digest, sizeof digest))
            scopes |= t->list[i].scopes;
    return scopes;
}

static unsigned basic(const struct tokens *t, const char *encoded)
{
    gnutls_datum_t in = {(unsigned char *)(uintptr_t)encoded, (unsigned)strlen(encoded)}, out = {0};
    if (gnutls_base64_decode2(&in, &out))
        return 0;
    const char *colon = memchr(out.data, ':', out.size);
    unsigned scopes = colon ? scopes_of(t, colon + 1, out.size - (size_t)(colon + 1 - (char *)out.data)) : 0;
    gnutls_free(out.data);
    return scopes;
}

unsigned tokens_scopes(const struct tokens *t, const char *authorization)
{
    if (!authorization)
        return 0;
    if (!strncasecmp(authorization, "Bearer ", 7))
        return scopes_of(t, authorization + 7, strlen(authorization + 7));
    if (!strncasecmp(authorization, "Basic ", 6))
        return basic(t, authorization + 6);
    return 0;
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

int tokens_make(const char *path, const char *wanted, struct error *e)
{
    uint8_t bytes[32], digest[TOKENS_DIGEST];
    char token[65], hex[65], line[256];
    size_t len = strcspn(wanted, ":");
    if (!wanted[len] || !is_name(wanted, len) || !parse_scopes(wanted + len + 1) || strlen(wanted) > 100)
        return error_set(e, -EINVAL, "--new-token '%.60s': write it like web-1:write or grafana:read,write", wanted);
    if (gnutls_rnd(GNUTLS_RND_KEY, bytes, sizeof bytes))
        return error_set(e, -EIO, "no random numbers from the system");
    put_hex(token, bytes, sizeof bytes);
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, 64, digest))
        return error_set(e, -EIO, "SHA-256 failed");
    put_hex(hex, digest, sizeof digest);
    int n = snprintf(line, sizeof line, "%.*s %s %s\n", (int)len, wanted, wanted + len + 1, hex);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int rc = fd < 0 || write(fd, line, (size_t)n) != n || fsync(fd)
                 ? error_set(e, -errno, "%s: cannot be written: %s", path, strerror(errno))
                 : 0;
    if (fd >= 0)
        close(fd);
    if (!rc)
        puts(token);
    return rc;
}
