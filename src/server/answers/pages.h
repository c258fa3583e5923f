/* Answers with the page of the fleet, which shows the services, a service over time, and its flame graph in the viewer of web/. */
#ifndef CANDOR_SERVER_ANSWERS_PAGES_H
#define CANDOR_SERVER_ANSWERS_PAGES_H

#include "server/request/http.h"

void pages_fleet(struct http *h);
void pages_script(struct http *h);
void pages_style(struct http *h);

#endif
