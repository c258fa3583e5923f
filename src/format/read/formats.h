/* All formats that a profile can be read from; the file's content, or the user, says which one it is. */
#ifndef CANDOR_FORMAT_READ_FORMATS_H
#define CANDOR_FORMAT_READ_FORMATS_H

#include "base/error.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define FORMATS_READ "jfr|pprof|otlp|collapsed|speedscope|hpl" /* the names, for options */

/* Fills an empty profile from the file; "-" is standard input. format is one of the names, or NULL = by content; value names the one
 * to read where there are several, or NULL. 0, or a code with one line in e. */
int formats_load(struct profile *p, const char *path, const char *format, const char *value, struct error *e);
/* Whether the name is one of them. */
bool formats_know(const char *name);
/* Which of them the bytes are, a whole input or the beginning of one; NULL when it is none that is known. */
const char *formats_recognise(const uint8_t *bytes, uint64_t size);

struct intake;
/* The same from an input that is open already, which it takes over, also when it fails. */
int formats_load_from(struct profile *p, struct intake *in, const char *name, const char *format, const char *value, struct error *e);

#endif
