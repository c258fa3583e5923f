#include "server/answers/pages.h"

#include "base/text/number.h"
#include "web/web.h"

#include <string.h>
#include <strings.h>

/* Whether one of the comma-separated encodings is gzip, with a weight other than 0. */
static bool lists_gzip(const char *encodings)
{
    static const char gzip[] = "gzip", blanks[] = " \t", weighs[] = "q=";
    for (const char *at = encodings; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        at += strspn(at, blanks);
        size_t n = strcspn(at, ",; \t");
        if (n != sizeof gzip - 1 || strncasecmp(at, gzip, n))
            continue;
        double weight = 1;
        at += n + strspn(at + n, blanks);
        at += *at == ';' ? 1 + strspn(at + 1, blanks) : 0;
        if (!strncasecmp(at, weighs, sizeof weighs - 1)) {
            at += sizeof weighs - 1;
            number_take_real(&at, 0, 1, &weight);
        }
        return weight > 0;
    }
    return false;
}

/* Chooses what the client can read: three quarters of the bytes are saved if it unpacks. */
static struct http_content content_of(struct http *h, const char *plain, size_t plain_len, const char *packed, size_t packed_len)
{
    http_add_text(h, "Vary", "Accept-Encoding");
    if (!lists_gzip(http_header(h, "Accept-Encoding")))
        return (struct http_content){.bytes = plain, .n = plain_len};
    http_add_text(h, "Content-Encoding", "gzip");
    return (struct http_content){.bytes = packed, .n = packed_len};
}

#define CONTENT_OF(h, name) content_of(h, name, name##_len, name##_gz, name##_gz_len)

void pages_fleet(struct http *h)
{
    static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
                                 "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    http_page(h, policy, CONTENT_OF(h, web_fleet_html));
}

void pages_script(struct http *h)
{
    http_content(h, HTTP_OK, "text/javascript; charset=utf-8", CONTENT_OF(h, web_fleet_js));
}

void pages_style(struct http *h)
{
    http_content(h, HTTP_OK, "text/css; charset=utf-8", CONTENT_OF(h, web_fleet_css));
}
