/* Answers whose work it was: how much of each type of weight the endpoints of each service have. */
#ifndef CANDOR_SERVER_FLEET_ENDPOINTS_H
#define CANDOR_SERVER_FLEET_ENDPOINTS_H

#include "server/request/http.h"

void endpoints_answer(struct http *h); /* /v1/endpoints */

#endif
