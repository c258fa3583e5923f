/* Matches regular expressions from untrusted users. The dialect is RE2's:
 *
 *     x*  x+  x?  x{n}  x{n,}  x{n,m}      n, m <= 1000; the limit includes nested repetitions, multiplied; a ? after them has no effect
 *     xy  x|y  (x)  (?:x)  (?P<name>x)     groups
 *     (?i) (?i:x) (?-s) ...                flags: i without case (of ASCII letters), m ^ and $ at lines,
 *                                          s . matches \n, too (as it does without s)
 *     .  [a-z]  [^a-z]  [[:alpha:]]        characters
 *     \d \w \s \D \W \S  \n \t .. \x41 \x{263a} \101  \Q...\E
 *     ^  $  \A  \z  \b  \B                 begin, end, word boundaries (of ASCII)
 *
 * Features that RE2 does not have (backreferences, lookaround) are refused, and so are \pL (Unicode classes) and \C. A character is a
 * UTF-8 character. An invalid byte counts as U+FFFD.
 *
 * Memory and time are bounded: a pattern has at most REGEX_TEXT_MAX bytes and REGEX_PROGRAM_MAX instructions, and a text of n
 * characters takes at most n times that many steps. */
#ifndef CANDOR_REGEX_REGEX_H
#define CANDOR_REGEX_REGEX_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { REGEX_TEXT_MAX = 4096, REGEX_PROGRAM_MAX = 5000 };

enum regex_where { REGEX_SOMEWHERE, REGEX_WHOLE }; /* the pattern matches somewhere in the text, or the whole text */

struct regex;

/* Compiles a pattern. Returns 0; -EINVAL with the error and its place, such as "at character 1: a ) is missing for the ("; or -ENOMEM.
 * Free the result with regex_free. *out is NULL after an error. */
int regex_compile(struct regex **out, const char *text, enum regex_where where, struct error *e);
/* Whether the text matches. Only one thread at a time may call it, because the pattern contains the working memory of a match. */
bool regex_matches(const struct regex *r, const char *text);
/* Returns the number of instructions of the pattern, which is the largest number of steps for a character of a text. */
uint32_t regex_size(const struct regex *r);
/* Frees a pattern. r may be NULL. */
void regex_free(struct regex *r);

#endif
