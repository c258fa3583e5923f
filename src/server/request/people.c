#include "server/request/people.h"

#include "base/text/number.h"
#include "base/text/word_list.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

/* ---- addresses ---- */

struct network {
    uint8_t bytes[16];
    unsigned size, bits; /* size: 4 or 16 bytes */
};

static bool read_address(const char *text, struct network *n)
{
    n->size = strchr(text, ':') ? 16 : 4;
    n->bits = 8 * n->size;
    return inet_pton(n->size == 16 ? AF_INET6 : AF_INET, text, n->bytes) == 1;
}

/* Reads "ADDRESS" or "ADDRESS/BITS". */
static bool read_network(const char *text, struct network *n)
{
    char address[64];
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : strlen(text);
    uint64_t bits;
    if (len >= sizeof address)
        return false;
    memcpy(address, text, len);
    address[len] = 0;
    if (!read_address(address, n))
        return false;
    if (slash && number_parse(slash + 1, 0, n->bits, &bits))
        return false;
    n->bits = slash ? (unsigned)bits : n->bits;
    return true;
}

static bool contains(const struct network *n, const struct network *one)
{
    unsigned whole = n->bits / 8, rest = n->bits % 8;
    if (n->size != one->size || memcmp(n->bytes, one->bytes, whole) != 0)
        return false;
    return !rest || !((n->bytes[whole] ^ one->bytes[whole]) >> (8 - rest));
}

int people_check_from(const char *list, struct error *e)
{
    struct network n;
    char word[80];
    if (!*list)
        return error_set(e, -EINVAL, "--proxy-from is empty");
    for (const char *at = list; word_list_next(&at, word, sizeof word);)
        if (!read_network(word, &n))
            return error_set(e, -EINVAL, "--proxy-from '%.60s' is not an address like 10.0.0.7, or a network like 10.1.0.0/16", word);
    return 0;
}

static bool is_from(const char *list, const char *address)
{
    struct network n, one;
    char word[80];
    if (!address || !read_address(address, &one))
        return false;
    while (word_list_next(&list, word, sizeof word))
        if (read_network(word, &n) && contains(&n, &one))
            return true;
    return false;
}

/* ---- headers ---- */

/* Finds the value of a header. Returns how often it is there. name: NULL = no header. */
static unsigned find_header(const struct http *h, const char *name, const char **value)
{
    unsigned count = 0;
    *value = NULL;
    for (uint32_t i = 0; name && i < h->head.header_count; i++)
        if (!strcasecmp(h->head.headers[i].name, name)) {
            *value = h->head.headers[i].value;
            count++;
        }
    return count;
}

/* Checks a header that only the proxy may send. */
static int take_header(const struct http *h, const char *name, const char **value, struct error *e)
{
    unsigned count = find_header(h, name, value);
    if (count && !is_from(h->server->options->proxy_from, h->address))
        return error_set(e, -EPERM, "the header %.60s is for the proxy of --proxy-from, and %.60s is not its address", name, h->address);
    if (count > 1)
        return error_set(e, -EPERM, "the header %.60s is there %u times; the proxy must remove those that its clients send", name, count);
    if (count && !**value) /* as some proxies write it for people who have not logged in */
        *value = NULL;
    return 0;
}

int people_find(const struct http *h, struct people_named *named, struct error *e)
{
    const struct server_options *o = h->server->options;
    int rc = take_header(h, o->proxy_user_header, &named->user, e);
    return rc ? rc : take_header(h, o->proxy_groups_header, &named->groups, e);
}
