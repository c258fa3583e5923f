/* Writes a column of numbers as one text that is small and quick to read: varints (base/buffer.h), deflated (zlib), in base64. */
#ifndef CANDOR_FORMAT_PAGE_COLUMN_H
#define CANDOR_FORMAT_PAGE_COLUMN_H

#include "base/text/jsonw.h"

/* Returns the value of row i, which must be below 2^62. */
typedef uint64_t column_value(const void *rows, uint32_t i);

enum column_order { COLUMN_PLAIN, COLUMN_ASCENDING /* written as the differences from row to row */ };

/* Writes the key and the text. Returns 0, or -ENOMEM with nothing written. */
int column_write(struct jsonw *j, const char *key, column_value *value, const void *rows, uint32_t count, enum column_order order);

#endif
