/* Patterns for names: `*`, `?`, alternatives, and a pattern that would be slow if each `*` were tried again.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "base/text/pattern.h"

#include <string.h>

static const struct {
    const char *pattern, *text;
    bool matches;
} cases[] = {
    {"shop", "shop", true},
    {"shop", "shop2", false},
    {"shop", "a-shop", false},
    {"shop", "", false},
    {"", "", true},
    {"", "a", false},
    {"*", "", true},
    {"*", "any\nthing", true},
    {"shop-*", "shop-", true},
    {"shop-*", "shop-a-b", true},
    {"shop-*", "shop", false},
    {"*-shop", "a-b-shop", true},
    {"*-shop", "a-shop-b", false},
    {"a*b*c", "a--b--b--c", true},
    {"a*b*c", "a--c--b", false},
    {"?", "", false},
    {"?", "a", true},
    {"?", "\xe6\x97\xa5", true},
    {"??", "\xe6\x97\xa5", false},
    {"?", "\xe6", true},
    {"shop|cart-*", "shop", true},
    {"shop|cart-*", "cart-eu", true},
    {"shop|cart-*", "cart", false},
    {"shop|cart-*", "shop|cart-x", false},
    {"[ab]", "a", false},
    {"[ab]", "[ab]", true},
    {"a.b", "axb", false},
    {"**", "x", true},
    {"Shop", "shop", false},
    {"shop*", "other|shop", false},
};

int main(void)
{
    char pattern[128], text[1025];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tap_ok(pattern_matches(cases[i].pattern, cases[i].text) == cases[i].matches, "'%s' %s '%s'", cases[i].pattern,
               cases[i].matches ? "matches" : "does not match", cases[i].text);
    for (size_t i = 0; i < sizeof pattern - 2; i += 2)
        memcpy(pattern + i, "*a", 2);
    memcpy(pattern + sizeof pattern - 2, "b", 2);
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    tap_ok(!pattern_matches(pattern, text), "sixty-three stars on a thousand bytes: no, and soon");
    tap_ok(pattern_is_any("*") && !pattern_is_any("**") && !pattern_is_any(""), "only * is any");
    return tap_done();
}
