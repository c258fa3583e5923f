/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef CANDOR_BASE_TEXT_UTF8_H
#define CANDOR_BASE_TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the length of the well-formed character at s, 1 to 4 bytes; 0 if there is none. Reads at most `left` bytes. */
size_t utf8_length(const char *s, size_t left);
/* Writes the character and returns its length, 1 to 4 bytes. c must be at most U+10FFFF and no surrogate. */
size_t utf8_put(uint32_t c, char out[4]);
/* Returns the number of columns on a terminal, if each character takes one. */
size_t utf8_columns(const char *text);
/* Print text of unknown origin for people. Control characters, which could control a terminal, and invalid UTF-8 become '?'. */
void utf8_print(FILE *f, const char *text);
void utf8_write(FILE *f, const char *text, size_t len);

#endif
