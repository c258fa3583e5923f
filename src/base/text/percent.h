/* Encodes values of the control protocol. Bytes outside a small safe set are written as %XX, so that a value passes unchanged through
 * the protocol's lines, the agent's option string and JAVA_TOOL_OPTIONS. */
#ifndef CANDOR_BASE_TEXT_PERCENT_H
#define CANDOR_BASE_TEXT_PERCENT_H

#include "base/buffer.h"

/* Appends the encoded text. */
void percent_encode(struct buffer *out, const char *text);
/* Decodes in place. Returns 0, or -EINVAL for a broken %XX or a zero byte (the text is then partly decoded). */
int percent_decode(char *text);

#endif
