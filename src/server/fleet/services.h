/* Answers with the services of the fleet. */
#ifndef CANDOR_SERVER_FLEET_SERVICES_H
#define CANDOR_SERVER_FLEET_SERVICES_H

#include "server/request/http.h"

void services_answer(struct http *h);

#endif
