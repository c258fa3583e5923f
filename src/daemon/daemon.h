/* The daemon: profiles the JVMs of this host as long as it runs, and sends their recordings to a server.
 *
 *   this thread       fleet.h: looks for JVMs, collects from recordings in progress, puts it into the outbox
 *   four threads      attacher.h: attach, begin recordings
 *   one thread        ship.h: sends what the outbox holds */
#ifndef CANDOR_DAEMON_DAEMON_H
#define CANDOR_DAEMON_DAEMON_H

#include "daemon/attacher.h"
#include "daemon/rules/config.h"

/* Runs until SIGTERM, SIGINT or SIGHUP, or, with once, until each JVM was profiled for one chunk; these signals must be blocked in
 * all threads. Ends the recordings it began, spools what there is, and tries to send it for a few seconds more. 0, or a negative code
 * with e if it could not begin or, with once, could not send everything. */
int daemon_run(const struct config *config, const struct agent_library *library, bool once, struct error *e);

#endif
