/* The URL to put load on: http://host[:port][/path?query] or https. */
#ifndef CANDOR_LOAD_URL_H
#define CANDOR_LOAD_URL_H

#include "base/error.h"

#include <stdbool.h>

struct url {
    bool tls;
    char host[256]; /* without the brackets of an IPv6 address */
    char port[6];
    char authority[272]; /* as the Host header wants it */
    char path[2048];     /* from '/' on, with the query */
};

/* 0 or -EINVAL. */
int url_parse(struct url *u, const char *text, struct error *e);

#endif
