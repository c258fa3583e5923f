/* Answers which of each service's own methods are hottest, and which have surely changed since an earlier time. */
#ifndef CANDOR_SERVER_FLEET_TOP_H
#define CANDOR_SERVER_FLEET_TOP_H

#include "server/request/http.h"

void top_answer(struct http *h); /* /v1/top */

#endif
