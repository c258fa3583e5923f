#include "http/address.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool address_is(const char *text)
{
    return !strncmp(text, "http://", 7) || !strncmp(text, "https://", 8);
}

int address_read(const char *text, char *out, size_t size, struct error *e)
{
    const char *host = address_is(text) ? strstr(text, "://") + 3 : "";
    size_t n = strlen(text);
    if (!*host || *host == '/' || *host == ':' || strpbrk(text, " \t\r\n?#@"))
        return error_set(e, -EINVAL, "server '%.100s': use http://HOST:PORT or https://HOST; a token goes into a file", text);
    while (text[n - 1] == '/')
        n--;
    if (n >= size)
        return error_set(e, -EINVAL, "server is too long");
    snprintf(out, size, "%.*s", (int)n, text);
    return 0;
}

void address_escape(struct buffer *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    for (const char *c = text; *c; c++)
        buffer_printf(out, strchr(plain, *c) ? "%c" : "%%%02X", (unsigned char)*c);
}
