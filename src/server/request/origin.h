/* Refuses requests that a web page of another site makes a browser send, whatever their method. It checks three headers:
 *
 *     Sec-Fetch-Site   how the page relates to this server: same-origin; none if the user typed the address
 *     Origin           the site of the page, if the request sends something
 *     Host             a page may have let its own name refer to our address (DNS rebinding); then the browser takes this server for the
 *                      page's own site. Therefore a server without tokens answers only to names that nobody else can have
 *
 * curl, Prometheus, Grafana's server and agents send neither Sec-Fetch-Site nor Origin. If a reverse proxy changes Host,
 * --origin names the address that browsers show. */
#ifndef CANDOR_SERVER_REQUEST_ORIGIN_H
#define CANDOR_SERVER_REQUEST_ORIGIN_H

#include "server/request/http.h"

/* Checks the list of --origin: "https://profiles.example.org", or several with commas between them. Returns 0, or -EINVAL with a message in
 * e. */
int origin_check(const char *list, struct error *e);
/* Whether the request may be answered. If not, it has already answered with an error. */
bool origin_allow(struct http *h);

#endif
