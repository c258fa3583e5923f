/* Writes the page of one recording: the viewer (web/README.md) with every kind of sample that the recording has, its halts, findings, locks
 * and spans (page_parts.h), and its machine code (page_code.h). */
#ifndef CANDOR_PAGE_RECORDING_PAGE_H
#define CANDOR_PAGE_RECORDING_PAGE_H

#include "base/error.h"
#include "profile/profile.h"

#include <stdio.h>

struct intake;

enum { PAGE_TITLE = 512 };

/* Returns out with the title of the page: the process, or else `name`. */
const char *recording_page_title(const struct profile *p, const char *name, char out[PAGE_TITLE]);
/* Returns the kinds (bits) of sample that the page has besides that of p. CPU time is never one of them: if another kind is the default of
 * a recording, its jdk.ExecutionSample events are there for other tools (load_jfr.h). */
unsigned recording_page_kinds(const struct profile *p);
/* Writes the page of a recording in any format of formats.h. in: borrowed for the call. name: for messages, and for the title if the
 * recording does not name its process. trace_link: as in page_parts.h. Returns 0, or a code with a message in e. Write errors stay in the
 * stream. */
int recording_page_write(FILE *out, const struct intake *in, const char *name, const char *trace_link, struct error *e);

#endif
