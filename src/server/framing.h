/* Whether a request's head says in one way only where its body ends: what two readers take for two requests (behind a proxy: another
 * client's) is refused, and its connection closed. libmicrohttpd itself takes the first of two lengths, and any coding. */
#ifndef CANDOR_SERVER_FRAMING_H
#define CANDOR_SERVER_FRAMING_H

#include "server/http.h"

/* False after it has answered 400; the connection ends with that answer. */
bool framing_check(struct http *h);

#endif
