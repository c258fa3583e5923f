#include "server/fleet/place.h"

#include <stdio.h>
#include <string.h>

/* Whether the finding is about the whole JVM. Its site is where most of it happens, which may change with each recording. */
static bool is_of_jvm(const struct finding *one)
{
    return one->kind == FINDING_GC_PRESSURE || one->kind == FINDING_CPU_SATURATED;
}

/* Returns the length of the innermost frame without its line: of "shop.Log.write:12 < shop.Cart.pay:17" that of "shop.Log.write". */
static size_t method_length(const char *site)
{
    const char *next = strstr(site, " < ");
    size_t n = next ? (size_t)(next - site) : strlen(site), digits = 0;
    while (digits < n && site[n - digits - 1] >= '0' && site[n - digits - 1] <= '9')
        digits++;
    return digits && digits < n && site[n - digits - 1] == ':' ? n - digits - 1 : n;
}

void place_of(const struct findings *f, const struct finding *one, char out[PLACE_MAX])
{
    bool whole = is_of_jvm(one);
    const char *subject = whole ? "" : findings_text(f, one->subject), *site = whole ? "" : findings_text(f, one->site);
    int n = (int)method_length(site), most = PLACE_MAX / 2 - 8;
    snprintf(out, PLACE_MAX, "%.*s%s%.*s", most, subject, *subject && n ? " at " : "", n < most ? n : most, site);
}
