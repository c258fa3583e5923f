/* Runs the server, checks its store, or copies it, there and back. */
#ifndef CANDOR_SERVER_SERVER_H
#define CANDOR_SERVER_SERVER_H

#include "server/request/context.h"

/* Runs until SIGINT or SIGTERM. Prints the address on which it listens on standard output. source: where the options come from, for SIGHUP.
 * Returns 0, or a code with a message in e. */
int server_run(const struct server_options *o, const struct server_source *source, struct error *e);
/* Opens the store, repairs what can be repaired, reads every file, and reports damage on standard output. *bad: the number of damaged
 * files. */
int server_check(const struct server_options *o, uint64_t *bad, struct error *e);
int server_backup(const struct server_options *o, const char *path, struct error *e);
/* Makes the data directory of a backup, and then checks it as server_check does. */
int server_restore(const struct server_options *o, const char *backup, uint64_t *bad, struct error *e);
/* Copies recordings that are objects to another place, or back to the disk (store_copy_cold). SIGINT and SIGTERM end it. */
int server_copy_cold(const struct server_options *o, const char *to, store_copy_progress *progress, struct store_cold_copied *out,
                     struct error *e);
/* Copies the data to a new directory, with samples in the other place (store_copy). *bad: how many files were damaged, which are reported
 * on standard error. SIGINT and SIGTERM end it, and leave nothing. */
int server_copy(const struct server_options *o, const char *to, store_copy_progress *progress, uint64_t *bad, struct error *e);

#endif
