/* speedscope's own format, JSON: https://www.speedscope.app/file-format-schema.json. Each thread is one profile of the file, its
 * samples in order of time; frames have names and lines. */
#ifndef CANDOR_FORMAT_SPEEDSCOPE_H
#define CANDOR_FORMAT_SPEEDSCOPE_H

#include "format/import.h"

#include <stdio.h>

import_reader speedscope_read; /* profiles "sampled" and "evented", which become threads */
/* Write errors stay in the stream: ask ferror. 0 or -ENOMEM. */
int speedscope_write(FILE *out, const struct profile *p, const char *title);

#endif
