/* Converts text in UTF-16, which PowerShell and editors on Windows write, and recognizes the mark that they put before text in UTF-8. */
#ifndef CANDOR_FORMAT_READ_UTF16_H
#define CANDOR_FORMAT_READ_UTF16_H

#include "base/buffer.h"

enum utf16_order { UTF16_NONE, UTF16_LITTLE, UTF16_BIG };

/* Determines the byte order by the byte order mark, or by the first characters if they are all ASCII and there are enough of them to be
 * certain. */
enum utf16_order utf16_order_of(const uint8_t *bytes, size_t size);
/* Appends the text in UTF-8, without its byte order mark. Half of a surrogate pair becomes U+FFFD. */
void utf16_decode(struct buffer *out, const uint8_t *bytes, size_t size, enum utf16_order order);
/* Returns the length of the mark before text in UTF-8: 3 or 0. */
size_t utf16_mark_of_utf8(const uint8_t *bytes, size_t size);

#endif
