/* Values of the control protocol: bytes outside a small safe set are written as %XX, so that a value passes through the
 * protocol's lines, the agent's option string and JAVA_TOOL_OPTIONS alike. */
#ifndef CANDOR_BASE_TEXT_PERCENT_H
#define CANDOR_BASE_TEXT_PERCENT_H

#include "base/buffer.h"

/* Appends the encoded text. */
void percent_encode(struct buffer *out, const char *text);
/* Decodes in place; 0, or -EINVAL at a broken %XX or a zero byte (the text is then half decoded). */
int percent_decode(char *text);

#endif
