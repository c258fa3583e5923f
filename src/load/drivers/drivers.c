#include "load/drivers/drivers.h"

#include "built.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#if LOAD_HAS_REDIS
#define REDIS &driver_redis
#else
#define REDIS NULL
#endif
#if LOAD_HAS_POSTGRES
#define POSTGRES &driver_postgres
#else
#define POSTGRES NULL
#endif
#if LOAD_HAS_HTTP2
#define HTTP2 &driver_http2
#define GRPC  &driver_grpc
#else
#define HTTP2 NULL
#define GRPC  NULL
#endif

static const struct {
    const char *scheme;
    const struct candor_load_driver *driver; /* NULL = the build did not find the package */
    const char *package;
} rows[] = {
    {"redis", REDIS, "libhiredis-dev"},
    {"rediss", REDIS, "libhiredis-dev"},
    {"memcached", &driver_memcached, NULL},
    {"memcacheds", &driver_memcached, NULL},
    {"postgresql", POSTGRES, "libpq-dev"},
    {"postgres", POSTGRES, "libpq-dev"},
    {"cql", &driver_cql, NULL},
    {"cqls", &driver_cql, NULL},
    {"h2", HTTP2, "libnghttp2-dev"},
    {"h2s", HTTP2, "libnghttp2-dev"},
    {"grpc", GRPC, "libnghttp2-dev"},
    {"grpcs", GRPC, "libnghttp2-dev"},
};

enum { ROWS = sizeof rows / sizeof *rows };

static int row_of(const char *url)
{
    size_t n = strcspn(url, ":");
    for (int i = 0; i < ROWS; i++)
        if (strlen(rows[i].scheme) == n && !strncmp(url, rows[i].scheme, n) && !strncmp(url + n, "://", 3))
            return i;
    return -1;
}

bool drivers_have(const char *url)
{
    return row_of(url) >= 0;
}

const char *drivers_schemes(void)
{
    return "redis://, memcached://, postgresql://, cql://, h2:// and grpc://, or with TLS rediss://, memcacheds://, cqls://, h2s:// and "
           "grpcs://";
}

const struct candor_load_driver *drivers_find(const char *url, struct error *e)
{
    int row = row_of(url);
    if (row < 0) {
        error_set(e, -EINVAL, "'%.80s' has none of the schemes http://, https://, %s", url, drivers_schemes());
        return NULL;
    }
    if (!rows[row].driver)
        error_set(e, -ENOTSUP, "this candor was built without the driver for %s://; install %s and build it again", rows[row].scheme,
                  rows[row].package);
    return rows[row].driver;
}

const struct candor_load_driver *drivers_load(const char *file, struct error *e)
{
    const struct candor_load_driver *(*entry)(void) = NULL;
    const struct candor_load_driver *driver = NULL;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        error_set(e, -ENOENT, "cannot load the driver: %.400s", dlerror());
        return NULL;
    }
    void *found = dlsym(library, "candor_load_driver");
    memcpy(&entry, &found, sizeof entry);
    if (entry)
        driver = entry();
    if (driver && driver->version == CANDOR_LOAD_DRIVER_VERSION)
        return driver;
    if (driver)
        error_set(e, -EINVAL, "%.200s is a driver of version %u, and this candor has version %d; build it with this candor's load_driver.h",
                  file, driver->version, CANDOR_LOAD_DRIVER_VERSION);
    else
        error_set(e, -EINVAL, "%.200s is no driver: its function candor_load_driver %s", file, found ? "returned none" : "is missing");
    dlclose(library);
    return NULL;
}
