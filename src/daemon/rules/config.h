/* The configuration of a daemon: options on the command line, and a file whose section [daemon] has the same names. */
#ifndef CANDOR_DAEMON_RULES_CONFIG_H
#define CANDOR_DAEMON_RULES_CONFIG_H

#include "daemon/rules/policy.h"

#include <limits.h>
#include <stdbool.h>

struct config {
    char server[1024], token_file[PATH_MAX], ca_file[PATH_MAX], spool[PATH_MAX], host[256];
    char interval[32], max_overhead[32], event[64];
    uint64_t spool_max, chunk_ns, look_ns, min_age_ns, timeout_ns;
    uint32_t max_jvms;
    struct policy policy;
};

/* The defaults. */
void config_init(struct config *c);
void config_deinit(struct config *c);
/* One setting by its name, "spool-max". 0, or -ENOENT (no such), -EINVAL with e. */
int config_set(struct config *c, const char *key, const char *value, struct error *e);
/* The file's sections [daemon] and [jvm NAME]; what an option has set already should be set after it. */
int config_read(struct config *c, const char *path, struct error *e);
/* The missing settings: the server, and the spool's folder if it was not set. */
int config_finish(struct config *c, bool needs_server, struct error *e);

#endif
