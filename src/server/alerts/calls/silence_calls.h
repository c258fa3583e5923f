/* What people ask of silences over HTTP. Alerts are about all services, so a token for some services may do none of this. */
#ifndef CANDOR_SERVER_ALERTS_CALLS_SILENCE_CALLS_H
#define CANDOR_SERVER_ALERTS_CALLS_SILENCE_CALLS_H

#include "server/request/http.h"

/* GET /v1/alerts/silences, POST /v1/alerts/silences and POST /v1/alerts/silences/end. n: size of the body. */
void silence_calls_list(struct http *h);
void silence_calls_begin(struct http *h, const char *body, size_t n);
void silence_calls_end(struct http *h, const char *body, size_t n);

#endif
