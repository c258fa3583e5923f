/* Ends our recording in a JVM, and no other that runs there. */
#ifndef CANDOR_DAEMON_STOPPING_H
#define CANDOR_DAEMON_STOPPING_H

#include "daemon/spool/live.h"

/* The agent must still hold the lock on our file. Returns 0 and the number of samples in the recording, or a negative code with e. */
int stopping_end(const struct live *l, uint64_t patience_ns, uint64_t *samples, struct error *e);

#endif
