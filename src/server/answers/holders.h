/* Reports who may do what, and when they last did something: /v1/tokens. The answer never has a secret, nor its digest. */
#ifndef CANDOR_SERVER_ANSWERS_HOLDERS_H
#define CANDOR_SERVER_ANSWERS_HOLDERS_H

#include "server/request/http.h"

void holders_answer(struct http *h);

#endif
