/* All formats that a profile can be read from; the file's content, or the user, says which one it is. */
#ifndef CANDOR_FORMAT_READ_FORMATS_H
#define CANDOR_FORMAT_READ_FORMATS_H

#include "base/error.h"
#include "profile/format_names.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* The names, for options, and what users call them. */
#define FORMATS_READ       "jfr" FORMAT_NAMES_BOTH(FORMAT_NAMES_BAR) FORMAT_NAMES_READ(FORMAT_NAMES_BAR)
#define FORMATS_READ_WORDS "JFR" FORMAT_NAMES_BOTH(FORMAT_NAMES_WORDS) FORMAT_NAMES_READ(FORMAT_NAMES_WORDS)

/* Fills an empty profile from the file; "-" is standard input. format is one of the names, or NULL = by content; value names the one
 * to read where there are several, or NULL. 0, or a code with one line in e. */
int formats_load(struct profile *p, const char *path, const char *format, const char *value, struct error *e);
/* The format that a word names: a format's name, or an extension ("folded"). NULL if there is no such format. */
const char *formats_named(const char *word);
/* The format of these bytes, which are a whole input or the beginning of one; NULL if it is unknown. */
const char *formats_recognise(const uint8_t *bytes, uint64_t size);

struct intake;
/* The same from an input that is open already, which it takes over, also when it fails. */
int formats_load_from(struct profile *p, struct intake *in, const char *name, const char *format, const char *value, struct error *e);

#endif
