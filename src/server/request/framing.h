/* Checks that a request's head defines the end of its body in only one way: a request that two readers could take for two
 * requests (behind a proxy: another client's) is refused, and its connection is closed. libmicrohttpd itself takes the first of
 * two lengths, and any coding. */
#ifndef CANDOR_SERVER_REQUEST_FRAMING_H
#define CANDOR_SERVER_REQUEST_FRAMING_H

#include "server/request/http.h"

/* False after it has answered 400; the connection ends with that answer. */
bool framing_check(struct http *h);

#endif
