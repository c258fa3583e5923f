/* Makes the body of one request from a recording. */
#ifndef CANDOR_EMIT_BODY_H
#define CANDOR_EMIT_BODY_H

#include "emit/labels.h"
#include "emit/target.h"
#include "profile/profile.h"

#include <stdio.h>

struct emit_body {
    char *bytes; /* NULL = the recording has no samples, so there is nothing to send */
    size_t size;
};

/* Makes the body. recording: JFR, packed or not. Returns 0, or a code with a message in e: -ENOMEM, or another code if the recording cannot
 * be read and never will be. */
int emit_body_make(struct emit_body *b, enum emit_protocol protocol, const void *recording, size_t size, const char *query,
                   struct error *e);
void emit_body_free(struct emit_body *b);

/* Writes Pyroscope's request; for body.c. Returns 0 or -ENOMEM. */
int emit_body_pyroscope(FILE *out, const struct profile *const *profiles, uint32_t count, const struct emit_labels *labels);

#endif
