/* Whether the server can do its work: it is not about to end, and its store can be read and written. */
#ifndef CANDOR_SERVER_REQUEST_READINESS_H
#define CANDOR_SERVER_REQUEST_READINESS_H

#include "server/request/context.h"

/* Returns 0, or a code with a message in e. Looks at the catalog and writes to the disk, at most once a second, however many ask. Any
 * thread may call it. */
int readiness_check(struct server *s, struct error *e);

#endif
