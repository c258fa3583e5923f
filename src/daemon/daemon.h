/* Runs the daemon, which profiles the JVMs of this host as long as it runs, and sends their recordings to a server. It has these threads:
 *
 *   this thread       fleet.h: looks for JVMs, collects data from recordings in progress, and puts it into the outbox
 *   four threads      attacher.h: attach to JVMs, and begin recordings
 *   one thread        ship.h: sends the recordings in the outbox
 *   one thread        demand/poll.h: asks the server whether somebody wants a recording */
#ifndef CANDOR_DAEMON_DAEMON_H
#define CANDOR_DAEMON_DAEMON_H

#include "daemon/attacher.h"
#include "daemon/rules/config.h"

/* Runs until SIGTERM, SIGINT or SIGHUP, which must be blocked in all threads. With `once`, runs until each JVM was profiled for one chunk.
 * At the end, ends the recordings that it began, spools the rest of the data, and tries to send it for a few more seconds. Returns 0, or a
 * negative code with a message in e if it could not begin or, with `once`, could not send everything. */
int daemon_run(const struct config *config, const struct agent_library *library, bool once, struct error *e);

#endif
