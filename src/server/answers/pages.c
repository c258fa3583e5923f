#include "server/answers/pages.h"

#include "web/web.h"

void pages_fleet(struct http *h)
{
    static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
                                 "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    http_page(h, policy, (struct http_content){.bytes = web_fleet_html, .n = web_fleet_html_len});
}

void pages_script(struct http *h)
{
    http_constant(h, "text/javascript; charset=utf-8", web_fleet_js, web_fleet_js_len);
}

void pages_style(struct http *h)
{
    http_constant(h, "text/css; charset=utf-8", web_fleet_css, web_fleet_css_len);
}
