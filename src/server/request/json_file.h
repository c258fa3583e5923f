/* Texts in JSON, and files of JSON in the server's data directory. A file is replaced as a whole, so it is never half written. */
#ifndef CANDOR_SERVER_REQUEST_JSON_FILE_H
#define CANDOR_SERVER_REQUEST_JSON_FILE_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_TEXT_MAX = 1024 };

/* Makes a text of a client: JSON holds UTF-8 only, and the text may be anything. It has at most `most` bytes, at most JSON_TEXT_MAX, and no
 * half character at its end. Every byte that is not UTF-8 becomes '?'. Returns NULL if there is no memory. */
json_t *json_text(const char *text, size_t most);
/* Returns the text of a member, or "" if there is none. */
const char *json_member_text(const json_t *object, const char *key);

/* A list of objects that have numbers: {"version": 1, "next": the number of the next object, KEY: [...]}
 *
 * Reads a file of at most `most` bytes. *list: the list, which the caller ends with json_decref. It is empty if there is no file, or if the
 * file cannot be read or is damaged; without memory it is NULL. *next: then 1, or `now` after damage, so no number is used again. Returns
 * 0, also if there is no file; -EBADMSG, without a message, if the file is damaged; or another code with a message in e. */
int list_file_read(const char *file, const char *key, size_t most, int64_t now, json_t **list, int64_t *next, struct error *e);
/* Writes the file, and returns when it is on the disk. Returns 0, or a code with a message in e. */
int list_file_write(const char *file, const char *key, json_t *list, int64_t next, struct error *e);

#endif
