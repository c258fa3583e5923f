#include "base/text/redact.h"

#include "base/buffer.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20 };

static const char mask[] = "***";

static const char *const secret_words[] = {"password",    "passwd",      "passphrase", "passcode",   "pwd",        "secret",
                                           "token",       "credential",  "apikey",     "api-key",    "api_key",    "api.key",
                                           "accesskey",   "access-key",  "access_key", "access.key", "privatekey", "private-key",
                                           "private_key", "private.key", "auth"};

static bool contains(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && tolower((unsigned char)text[i]) == word[i])
            i++;
        if (i == n)
            return true;
    }
    return false;
}

bool redact_is_secret(const char *name)
{
    for (size_t i = 0; i < sizeof secret_words / sizeof *secret_words; i++)
        if (contains(name, secret_words[i]))
            return true;
    return false;
}

static void put(struct buffer *b, const char *from, const char *to)
{
    buffer_put(b, from, (size_t)(to - from));
}

/* Masks the credentials after "://", as in scheme://user:secret@host: everything before the last @ before the path. Returns the position
 * of that @, or p if there is none. */
static const char *put_credentials(struct buffer *b, const char *p, const char *end)
{
    const char *at = NULL;
    for (const char *q = p; q < end && !strchr("/?#", *q) && !(end - q >= 3 && !memcmp(q, "://", 3)); q++)
        if (*q == '@')
            at = q;
    if (at)
        buffer_text(b, mask);
    return at ? at : p;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

static bool is_secret_name(const char *name, const char *end)
{
    char copy[256];
    size_t n = (size_t)(end - name);
    if (n >= sizeof copy) {
        name = end - (sizeof copy - 1);
        n = sizeof copy - 1;
    }
    memcpy(copy, name, n);
    copy[n] = 0;
    return redact_is_secret(copy);
}

/* Appends one word with its secrets masked. A secret is the value in name=secret, also in the query of a URL, or credentials in a URL. */
static void put_word(struct buffer *b, const char *p, const char *end)
{
    while (p < end) {
        if (end - p >= 3 && !memcmp(p, "://", 3)) {
            put(b, p, p + 3);
            p = put_credentials(b, p + 3, end);
            continue;
        }
        const char *name = p;
        while (p < end && is_name(*p))
            p++;
        bool secret = p > name && p < end && *p == '=' && is_secret_name(name, p);
        p += p < end && (p == name || secret);
        put(b, name, p);
        if (!secret)
            continue;
        buffer_text(b, mask);
        while (p < end && !strchr("&;'\"", *p))
            p++;
    }
}

/* Appends words that white space separates, as in a command line, with their secrets masked. After "--password", the next word is the
 * secret. */
static void put_text(struct buffer *b, const char *p)
{
    static const char space[] = " \t\r\n";
    bool secret = false;
    while (*p) {
        const char *word = p + strspn(p, space), *end = word + strcspn(word, space);
        put(b, p, word);
        if (secret && word < end && *word != '-')
            buffer_text(b, mask);
        else
            put_word(b, word, end);
        secret = *word == '-' && !memchr(word, '=', (size_t)(end - word)) && is_secret_name(word, end);
        p = end;
    }
}

static char *take(struct buffer *b)
{
    buffer_u8(b, 0);
    if (!b->failed)
        return (char *)b->data;
    buffer_deinit(b);
    return NULL;
}

char *redact_value(const char *name, const char *value)
{
    struct buffer b;
    buffer_init(&b, TEXT_MAX);
    if (redact_is_secret(name))
        buffer_text(&b, mask);
    else
        put_text(&b, value);
    return take(&b);
}

char *redact_argument(const char *argument)
{
    struct buffer b;
    const char *equals = strchr(argument, '=');
    buffer_init(&b, TEXT_MAX);
    if (equals && is_secret_name(argument, equals)) {
        put(&b, argument, equals + 1);
        buffer_text(&b, mask);
    } else
        put_text(&b, argument);
    return take(&b);
}
