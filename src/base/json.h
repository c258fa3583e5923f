/* Writes JSON (RFC 8259) to a stream as it comes. The caller nests begin and end rightly and gives a key before each
 * value of an object; commas, quotes and line breaks are the writer's. Write errors stay in the stream: ask ferror.
 *
 * Strings may hold any bytes: what is not UTF-8 becomes U+FFFD, control characters, quote and backslash are escaped, and
 * with `html` also < > & U+2028 U+2029, so that the text can stand inside a <script> element. */
#ifndef CANDOR_BASE_JSON_H
#define CANDOR_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    bool html;
    int line_depth; /* elements down to this depth begin a line; 0 = everything on one line */
    int depth;
    bool filled; /* the innermost object or array has an element already */
    bool after_key;
};

void json_init(struct json *j, FILE *out);
void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key);
void json_string(struct json *j, const char *text, size_t len);
void json_text(struct json *j, const char *text);
/* null when there is none ("" or NULL). */
void json_text_or_null(struct json *j, const char *text);
void json_int(struct json *j, int64_t v);
void json_uint(struct json *j, uint64_t v);
/* Six significant digits; what is no number becomes null. */
void json_number(struct json *j, double v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
/* Ends the document with a newline. */
void json_finish(struct json *j);

#endif
