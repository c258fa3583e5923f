/* Reads configuration files in the usual format:
 *
 *     # a comment; a line that begins with ; is one, too
 *     [section name]
 *     key = value          blanks around key and value are ignored; "value" in quotes keeps its blanks
 *
 * Sections may be repeated. */
#ifndef CANDOR_BASE_INI_H
#define CANDOR_BASE_INI_H

#include "base/error.h"

enum { INI_LINE_MAX = 4096, INI_BYTES_MAX = 16 << 20 };

/* Receives one line of the file. key is NULL for the head of a section. Returns 0, or a negative code with a message in e, which ends the
 * reading. */
typedef int ini_take(void *context, const char *section, const char *key, const char *value, struct error *e);

/* Reads a file. Returns 0 or a negative code. The message in e names the file and the line. */
int ini_read(const char *path, ini_take *take, void *context, struct error *e);
/* Reads a text in the same way, and changes it. */
int ini_parse(char *text, const char *name, ini_take *take, void *context, struct error *e);

#endif
