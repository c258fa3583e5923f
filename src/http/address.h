/* Checks and copies the addresses of servers. */
#ifndef CANDOR_HTTP_ADDRESS_H
#define CANDOR_HTTP_ADDRESS_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the text begins with http:// or https://. */
bool address_is(const char *text);
/* Copies an address to out: http://HOST:PORT or https://HOST:PORT, which may have the path of a proxy. Removes slashes at its end. Returns
 * 0, or -EINVAL with a message in e, also if the address has a query, a user or a token. */
int address_read(const char *text, char *out, size_t size, struct error *e);
/* Appends a text with the escapes that a query requires. */
void address_escape(struct buffer *out, const char *text);

#endif
