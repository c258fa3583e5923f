/* Writes JSON (RFC 8259) to a stream as it arrives. The caller must pair begin and end, and must write a key before each value of an
 * object. The writer adds commas, quotes and line breaks. Write errors stay in the stream; the caller checks ferror. No other thread may
 * use the stream meanwhile, because the writer does not lock it.
 *
 * Strings may contain any bytes. Bytes that are not UTF-8 become U+FFFD. Control characters, quote and backslash are escaped. With
 * `html`, the writer also escapes < > & U+2028 U+2029, so that the text can be put into a <script> element. */
#ifndef CANDOR_BASE_TEXT_JSONW_H
#define CANDOR_BASE_TEXT_JSONW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct jsonw {
    FILE *out;
    bool html;
    int line_depth; /* elements down to this depth begin a line; 0 = everything is on one line */
    int depth;
    bool filled; /* the innermost object or array already has an element */
    bool after_key;
};

void jsonw_init(struct jsonw *j, FILE *out);
void jsonw_object(struct jsonw *j);
void jsonw_object_end(struct jsonw *j);
void jsonw_array(struct jsonw *j);
void jsonw_array_end(struct jsonw *j);
void jsonw_key(struct jsonw *j, const char *key);
void jsonw_string(struct jsonw *j, const char *text, size_t len);
void jsonw_text(struct jsonw *j, const char *text);
/* Writes a string; null if the text is "" or NULL. */
void jsonw_text_or_null(struct jsonw *j, const char *text);
void jsonw_int(struct jsonw *j, int64_t v);
void jsonw_uint(struct jsonw *j, uint64_t v);
/* Writes the number as a string, as the JSON of Protocol buffers has numbers of 64 bits. */
void jsonw_quoted_int(struct jsonw *j, int64_t v);
/* Writes six significant digits. NaN and infinities become null. */
void jsonw_number(struct jsonw *j, double v);
/* Writes as few digits as are needed to restore the number exactly, at least one of them after the point; single = the number is a
 * float. NaN and infinities become null. */
void jsonw_exact(struct jsonw *j, double v, bool single);
void jsonw_bool(struct jsonw *j, bool v);
void jsonw_null(struct jsonw *j);
/* Writes a value that is JSON already. */
void jsonw_raw(struct jsonw *j, const char *json);
/* Write a key and its value. */
void jsonw_member_text(struct jsonw *j, const char *key, const char *text);
void jsonw_member_text_or_null(struct jsonw *j, const char *key, const char *text);
void jsonw_member_uint(struct jsonw *j, const char *key, uint64_t v);
void jsonw_member_number(struct jsonw *j, const char *key, double v);
/* Ends the document with a newline. */
void jsonw_finish(struct jsonw *j);

#endif
