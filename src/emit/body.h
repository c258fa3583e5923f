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

struct emit_recording {
    const void *bytes; /* JFR, packed or not */
    size_t size;
    uint64_t most; /* bytes unpacked, beyond which it is refused; 0 = any number */
    const char *query;
};

/* Returns 0, or with e: -ENOMEM, or another code if the recording can never be converted: -EFBIG if it, or a part of it, is too large. */
int emit_body_make(struct emit_body *b, enum emit_protocol protocol, const struct emit_recording *r, struct error *e);
void emit_body_free(struct emit_body *b);

/* The inside of body.c: Pyroscope's request. 0, -ENOMEM or -EFBIG. */
int emit_body_pyroscope(FILE *out, const struct profile *const *profiles, uint32_t count, const struct emit_labels *labels);

#endif
