/* Reads the configuration of a daemon: options on the command line, and a file whose section [daemon] has the same names. */
#ifndef CANDOR_DAEMON_RULES_CONFIG_H
#define CANDOR_DAEMON_RULES_CONFIG_H

#include "daemon/rules/policy.h"
#include "emit/target.h"

#include <limits.h>
#include <stdbool.h>

enum { DEMAND_PER_HOUR_MAX = 60 }; /* the most that on-demand-max can be */

struct config {
    char server[1088]; /* the address as it was given, for messages; "" = none */
    struct emit_target target;
    char token_file[PATH_MAX], ca_file[PATH_MAX], cert_file[PATH_MAX], key_file[PATH_MAX], spool[PATH_MAX], metrics_file[PATH_MAX],
        host[256];
    struct settings settings;
    uint64_t spool_max, chunk_ns, look_ns, min_age_ns, timeout_ns;
    uint32_t max_jvms;
    bool on_demand;         /* whether the server may ask for recordings, unless a rule says otherwise */
    uint32_t on_demand_max; /* the largest number of them that begin within an hour */
    struct policy policy;
};

/* Sets the defaults. */
void config_init(struct config *c);
void config_deinit(struct config *c);
/* Sets one setting by its name, such as "spool-max". Returns 0, or a code with a message in e: -ENOENT if there is no such setting, or
 * -EINVAL. */
int config_set(struct config *c, const char *key, const char *value, struct error *e);
/* Reads the sections [daemon] and [jvm NAME] of the file. It overwrites settings, so set those of the command line afterwards. Returns 0 or
 * a negative code with a message in e. */
int config_read(struct config *c, const char *path, struct error *e);
/* Checks that the server is set, if needs_server. Sets the spool's folder if it is not set. Returns 0 or a negative code with a message in
 * e. */
int config_finish(struct config *c, bool needs_server, struct error *e);

#endif
