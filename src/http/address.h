/* Addresses of servers. */
#ifndef CANDOR_HTTP_ADDRESS_H
#define CANDOR_HTTP_ADDRESS_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether it begins like one: http:// or https://. */
bool address_is(const char *text);
/* Copies http://HOST:PORT, or https://, with the path of a proxy perhaps, without slashes at its end. No query, and neither user nor
 * token: -EINVAL with e. */
int address_read(const char *text, char *out, size_t size, struct error *e);
/* A text as it stands in a query. */
void address_escape(struct buffer *out, const char *text);

#endif
