/* Refuses requests that a web page of another site makes a browser send, by any method.
 *
 *     Sec-Fetch-Site   browsers say what the page is to us: same-origin, or none where the user typed the address
 *     Origin           whose page it is, where something is sent
 *     Host             a page may have given its own name our address (DNS rebinding); then the browser takes us for its own site. So
 *                      without tokens only names are answered that nobody else can have
 *
 * curl, Prometheus, Grafana's server and agents send neither of the first two. Behind a reverse proxy that changes Host,
 * --origin gives the address that browsers show. */
#ifndef CANDOR_SERVER_REQUEST_ORIGIN_H
#define CANDOR_SERVER_REQUEST_ORIGIN_H

#include "server/request/http.h"

/* Checks the list of --origin: "https://profiles.example.org", several with commas. 0 or -EINVAL with its line. */
int origin_check(const char *list, struct error *e);
/* Whether the request may be answered; else false after it has answered. */
bool origin_allow(struct http *h);

#endif
