/* Reads the legacy formats that are text (heap, contention, counts, threads), for legacy_read.c. */
#ifndef CANDOR_FORMAT_READ_LEGACY_TEXT_H
#define CANDOR_FORMAT_READ_LEGACY_TEXT_H

#include "format/read/legacy_build.h"

/* Whether a line is the first one of such a text. */
bool legacy_text_is(struct span line);
/* Reads such a text. Returns 0, -ENOMEM, or -EINVAL if it is not one. */
int legacy_text_take(struct legacy *l, struct span text);

#endif
