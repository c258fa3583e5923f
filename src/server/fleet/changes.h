/* Answers with what changed in a service, between two versions or two times, and how sure that is. */
#ifndef CANDOR_SERVER_FLEET_CHANGES_H
#define CANDOR_SERVER_FLEET_CHANGES_H

#include "server/request/http.h"

void changes_answer(struct http *h);

#endif
