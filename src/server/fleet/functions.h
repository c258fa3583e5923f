/* Answers where methods run: how much of the time of each service they have, in all, and over time. */
#ifndef CANDOR_SERVER_FLEET_FUNCTIONS_H
#define CANDOR_SERVER_FLEET_FUNCTIONS_H

#include "server/request/http.h"

void functions_answer(struct http *h);        /* /v1/functions */
void functions_series_answer(struct http *h); /* /v1/functions/series */

#endif
