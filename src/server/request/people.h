/* People, whom a proxy in front of the server has logged in. The proxy names them in a header (--proxy-user-header), and perhaps their
 * groups in another (--proxy-groups-header). Only the addresses of --proxy-from may send these headers: anybody else could write a name
 * there. */
#ifndef CANDOR_SERVER_REQUEST_PEOPLE_H
#define CANDOR_SERVER_REQUEST_PEOPLE_H

#include "server/request/http.h"

struct people_named {
    const char *user, *groups; /* groups: with commas between them. NULL = none; they point into the request's head */
};

/* Checks the list of --proxy-from: addresses and networks such as 10.1.0.0/16, with commas between them. Returns 0, or -EINVAL with a
 * message in e. */
int people_check_from(const char *list, struct error *e);
/* Finds whom the request names. Without a name, or without --proxy-user-header, that is nobody. Returns 0, or -EPERM with a message in e if
 * the headers do not come from the proxy, or more than once. */
int people_find(const struct http *h, struct people_named *named, struct error *e);

#endif
