/* Writes one line for each sample, for spreadsheets and data frames (RFC 4180): time, weight, count, thread, ids, state, outcome, the
 * innermost method with class and line, and the whole stack, root first, with ';' between the frames. */
#ifndef CANDOR_FORMAT_WRITE_CSV_H
#define CANDOR_FORMAT_WRITE_CSV_H

#include "profile/profile.h"

#include <stdio.h>

/* Writes the lines. Write errors stay in the stream; the caller checks ferror. Returns 0 or -ENOMEM. */
int csv_write(FILE *out, const struct profile *p);

#endif
