/* The configuration of a daemon: options on the command line, and a file whose section [daemon] has the same names. */
#ifndef CANDOR_DAEMON_RULES_CONFIG_H
#define CANDOR_DAEMON_RULES_CONFIG_H

#include "daemon/rules/policy.h"
#include "emit/target.h"

#include <limits.h>
#include <stdbool.h>

struct config {
    char server[1088]; /* the address as it was given, for messages; "" = none */
    struct emit_target target;
    char token_file[PATH_MAX], ca_file[PATH_MAX], spool[PATH_MAX], metrics_file[PATH_MAX], host[256];
    struct settings settings;
    uint64_t spool_max, chunk_ns, look_ns, min_age_ns, timeout_ns;
    uint32_t max_jvms;
    struct policy policy;
};

/* The defaults. */
void config_init(struct config *c);
void config_deinit(struct config *c);
/* Sets one setting by its name, such as "spool-max". 0, or with e: -ENOENT (there is no such setting), -EINVAL. */
int config_set(struct config *c, const char *key, const char *value, struct error *e);
/* Reads the sections [daemon] and [jvm NAME] of the file. It overwrites settings, so apply those of the command line afterwards. */
int config_read(struct config *c, const char *path, struct error *e);
/* Checks that the server is set, if needs_server, and sets the spool's folder if it was not set. */
int config_finish(struct config *c, bool needs_server, struct error *e);

#endif
