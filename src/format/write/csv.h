/* One line per sample, for spreadsheets and data frames (RFC 4180): time, weight, count, thread, ids, state, outcome, the innermost
 * method with class and line, and the whole stack, root first, with ';' between the frames. */
#ifndef CANDOR_FORMAT_WRITE_CSV_H
#define CANDOR_FORMAT_WRITE_CSV_H

#include "profile/profile.h"

#include <stdio.h>

/* Write errors stay in the stream: ask ferror. 0 or -ENOMEM. */
int csv_write(FILE *out, const struct profile *p);

#endif
