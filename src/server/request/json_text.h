/* Texts of clients as JSON, for files that the server writes. JSON holds UTF-8 only, and a client's text may be anything. */
#ifndef CANDOR_SERVER_REQUEST_JSON_TEXT_H
#define CANDOR_SERVER_REQUEST_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

enum { JSON_TEXT_MAX = 1024 };

/* Makes a text of at most `most` bytes, at most JSON_TEXT_MAX, without half a character at its end. Every byte that is not UTF-8 becomes
 * '?'. Returns NULL if there is no memory. */
json_t *json_text(const char *text, size_t most);

#endif
