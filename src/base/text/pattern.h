/* Patterns for names, as people write them: `*` is any text, `?` is one character, and `|` separates alternatives, such as
 * "shop|cart-*". A pattern matches the whole name. */
#ifndef CANDOR_BASE_TEXT_PATTERN_H
#define CANDOR_BASE_TEXT_PATTERN_H

#include <stdbool.h>

/* Whether the text matches. Takes time in proportion to the lengths of both, multiplied. */
bool pattern_matches(const char *pattern, const char *text);
/* Whether the pattern is "*", which matches everything. */
bool pattern_is_any(const char *pattern);

#endif
