/* Bytes as hexadecimal digits: two for each, in lower case when they are written. */
#ifndef CANDOR_BASE_TEXT_HEX_H
#define CANDOR_BASE_TEXT_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes 2 * n digits and a zero. Returns out. */
char *hex_put(char *out, const uint8_t *bytes, size_t n);
/* Reads n bytes. Returns false if the text is anything else than 2 * n digits; then the bytes are undefined. */
bool hex_parse(const char *text, uint8_t *bytes, size_t n);

#endif
