/* Reads and writes speedscope's own format, which is JSON: https://www.speedscope.app/file-format-schema.json. Each thread is a profile
 * of the file, with its samples in order of time. Frames have names and lines. */
#ifndef CANDOR_FORMAT_SPEEDSCOPE_H
#define CANDOR_FORMAT_SPEEDSCOPE_H

#include "format/import.h"

#include <stdio.h>

import_reader speedscope_read; /* profiles of the types "sampled" and "evented" become threads */
/* Writes a profile. Write errors stay in the stream; the caller checks ferror. Returns 0 or -ENOMEM. */
int speedscope_write(FILE *out, const struct profile *p, const char *title);

#endif
