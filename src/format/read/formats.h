/* Reads profiles in all formats. The file's content, or the user, determines the format. */
#ifndef CANDOR_FORMAT_READ_FORMATS_H
#define CANDOR_FORMAT_READ_FORMATS_H

#include "base/error.h"
#include "profile/format_names.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* The names of the formats, for options and for texts. */
#define FORMATS_READ       "jfr" FORMAT_NAMES_BOTH(FORMAT_NAMES_BAR) FORMAT_NAMES_READ(FORMAT_NAMES_BAR)
#define FORMATS_READ_WORDS "JFR" FORMAT_NAMES_BOTH(FORMAT_NAMES_WORDS) FORMAT_NAMES_READ(FORMAT_NAMES_WORDS)

/* Fills an empty profile from the file; "-" is standard input. format is one of the names, or NULL = recognize it by the content. value
 * is the name of the value to read if the file has several, or NULL. Returns 0, or a code with one line in e. */
int formats_load(struct profile *p, const char *path, const char *format, const char *value, struct error *e);
/* Returns the format that a word names: a format's name, or an extension ("folded"). NULL if there is no such format. */
const char *formats_named(const char *word);
/* Returns the format of these bytes, which are a whole input or the beginning of one; NULL if it is unknown. */
const char *formats_recognise(const uint8_t *bytes, uint64_t size);

struct intake;
struct import_limits;
/* Does the same as formats_load from an input that is already open. It takes the input over, even if it fails. limits: NULL = none. */
int formats_load_from(struct profile *p, struct intake *in, const char *name, const char *format, const char *value,
                      struct import_limits *limits, struct error *e);

#endif
