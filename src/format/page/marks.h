/* Writes the single events of a recording for the viewer's lanes: what threads waited for, what they read and wrote, and what they threw,
 * each with its time. It is separate from the page's data because events are no samples. web/README.md describes the format. */
#ifndef CANDOR_FORMAT_PAGE_MARKS_H
#define CANDOR_FORMAT_PAGE_MARKS_H

#include "events/halt_view.h"

#include <stdio.h>

enum { PAGE_MARKS = 10000 }; /* the largest number of waits, which are the longest, and of moments, such as exceptions */

/* Writes the events as JSON. Returns 0 or -ENOMEM. Write errors stay in the stream. */
int marks_write(FILE *out, const struct halt_view *v);

#endif
