/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef CANDOR_BASE_TEXT_UTF8_H
#define CANDOR_BASE_TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the well-formed character at s, 1 to 4; 0 when there is none. Reads at most `left` bytes. */
size_t utf8_length(const char *s, size_t left);
/* Writes the character, 1 to 4 bytes; returns how many. c is no surrogate and at most U+10FFFF. */
size_t utf8_put(uint32_t c, char out[4]);
/* Columns on a terminal, each character taken as one. */
size_t utf8_columns(const char *text);
/* Prints text of unknown origin for people: control characters, which a terminal could obey, and invalid UTF-8 become '?'. */
void utf8_print(FILE *f, const char *text);
void utf8_write(FILE *f, const char *text, size_t len);

#endif
