/* Configuration files in the usual format:
 *
 *     # a comment; also ;
 *     [section name]
 *     key = value          blanks around both do not count; "value" in quotes keeps its own
 *
 * Sections may be repeated. */
#ifndef CANDOR_DAEMON_RULES_INI_H
#define CANDOR_DAEMON_RULES_INI_H

#include "base/error.h"

enum { INI_LINE_MAX = 4096, INI_BYTES_MAX = 1 << 20 };

/* Receives one line of the file; key is NULL for the head of a section. 0, or a negative code with e, which ends the reading. */
typedef int ini_take(void *context, const char *section, const char *key, const char *value, struct error *e);

/* 0, or a negative code; e names file and line. */
int ini_read(const char *path, ini_take *take, void *context, struct error *e);
/* The same of a text, which is changed. */
int ini_parse(char *text, const char *name, ini_take *take, void *context, struct error *e);

#endif
