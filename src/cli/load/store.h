/* The options of `candor load` for stores and services that a driver reaches: the driver, the login, the workload. */
#ifndef CANDOR_CLI_LOAD_STORE_H
#define CANDOR_CLI_LOAD_STORE_H

#include "cli/cli.h"
#include "load/config.h"
#include "load/drivers/drivers.h"
#include "load/workload/workload.h"

struct load_store {
    struct endpoint endpoint;
    struct recipe recipe;
    struct workload workload;
    const struct candor_load_driver *driver;
    void *target; /* the driver's */
    bool has_workload;
};

/* Whether a driver is meant: by the URL's scheme, or by --driver. */
bool store_is_meant(const struct cli_args *args);
/* Reads the options, the driver and the workload into `store` and `c`. Returns a status; store_deinit is needed in any case. */
int store_set(const struct cli_args *args, struct load_store *store, struct load_config *c);
/* Connects once, so that a wrong address or login is reported before the run, and creates the table if this run fills it. */
int store_connect(struct load_store *store);
void store_deinit(struct load_store *store);

#endif
