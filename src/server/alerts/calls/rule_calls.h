/* What people change in the file of rules over HTTP. Alerts are about all services, so a token for some services may not do it. */
#ifndef CANDOR_SERVER_ALERTS_CALLS_RULE_CALLS_H
#define CANDOR_SERVER_ALERTS_CALLS_RULE_CALLS_H

#include "server/request/http.h"

/* POST /v1/alerts/rules and POST /v1/alerts/rules/delete: write the server's file anew, with one section [alert NAME] more, in the place of
 * another, or less. The evaluating thread reads the file again within seconds. With --keeper they are refused, because each server has
 * its own file. n: size of the body. */
void rule_calls_save(struct http *h, const char *body, size_t n);
void rule_calls_delete(struct http *h, const char *body, size_t n);

#endif
