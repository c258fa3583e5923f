/* The URL of the target: http://host[:port][/path?query] or https. */
#ifndef CANDOR_LOAD_URL_H
#define CANDOR_LOAD_URL_H

#include "base/error.h"

#include <stdbool.h>

struct url {
    bool tls;
    char host[256]; /* without the brackets of an IPv6 address */
    char port[6];
    char authority[272]; /* for the Host header */
    char path[2048];     /* begins with '/' and includes the query */
};

/* Parses a URL. Returns 0 or -EINVAL with e. */
int url_parse(struct url *u, const char *text, struct error *e);

#endif
