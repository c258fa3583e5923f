/* The drivers by the scheme of the URL, and drivers from libraries of the user. */
#ifndef CANDOR_LOAD_DRIVERS_DRIVERS_H
#define CANDOR_LOAD_DRIVERS_DRIVERS_H

#include "base/error.h"
#include "candor/load_driver.h"

/* The parts of a URL of a driver. */
struct endpoint {
    char url[1024], scheme[32], host[256], port[8], path[512], user[128], password[256];
    struct candor_load_target target; /* points into this struct */
};

/* Parses SCHEME://[USER[:PASSWORD]@]HOST[:PORT][/PATH]. Percent-encoding is resolved in USER and PASSWORD. Returns 0 or -EINVAL with e. */
int endpoint_parse(struct endpoint *p, const char *url, struct error *e);

/* Whether a driver that is built in has this URL's scheme. */
bool drivers_have(const char *url);
/* The schemes, for messages: "redis://, ...". */
const char *drivers_schemes(void);
/* Returns the driver for the URL's scheme; NULL with e if there is none, or if this build does not have it. */
const struct candor_load_driver *drivers_find(const char *url, struct error *e);
/* Loads a driver from a shared library. It stays loaded. Returns NULL with e. */
const struct candor_load_driver *drivers_load(const char *file, struct error *e);

extern const struct candor_load_driver driver_redis, driver_memcached, driver_postgres, driver_http2, driver_grpc, driver_cql;

#endif
