/* Regular expressions from untrusted users. The dialect is RE2's:
 *
 *     x*  x+  x?  x{n}  x{n,}  x{n,m}      n, m <= 1000, also of repetitions in repetitions together; a ? behind changes nothing here
 *     xy  x|y  (x)  (?:x)  (?P<name>x)     groups
 *     (?i) (?i:x) (?-s) ...                flags: i without case (of ASCII letters), m ^ and $ at lines,
 *                                          s . takes \n too (as it does without)
 *     .  [a-z]  [^a-z]  [[:alpha:]]        characters
 *     \d \w \s \D \W \S  \n \t .. \x41 \x{263a} \101  \Q...\E
 *     ^  $  \A  \z  \b  \B                 begin, end, word boundaries (of ASCII)
 *
 * Features that RE2 lacks (backreferences, lookaround) are refused, and so are \pL (Unicode classes) and \C. A character is a
 * UTF-8 character; an invalid byte counts as U+FFFD.
 *
 * Memory and time are bounded: a pattern has at most REGEX_TEXT_MAX bytes and REGEX_PROGRAM_MAX instructions, and a text of n
 * characters takes at most n times that many steps. */
#ifndef CANDOR_REGEX_REGEX_H
#define CANDOR_REGEX_REGEX_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { REGEX_TEXT_MAX = 4096, REGEX_PROGRAM_MAX = 5000 };

enum regex_where { REGEX_SOMEWHERE, REGEX_WHOLE }; /* in the text; the whole text */

struct regex;

/* 0; -EINVAL with what is wrong and where, such as "at character 1: a ) is missing for the ("; or -ENOMEM. regex_free ends it; *out is
 * NULL after an error. */
int regex_compile(struct regex **out, const char *text, enum regex_where where, struct error *e);
/* One thread at a time: the pattern contains the working memory of a match. */
bool regex_matches(const struct regex *r, const char *text);
/* How many instructions the pattern has, which is the largest number of steps for a character of a text. */
uint32_t regex_size(const struct regex *r);
/* r may be NULL. */
void regex_free(struct regex *r);

#endif
