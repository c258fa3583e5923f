/* Takes over the recordings that receivers have left in object storage: stores each, as if it had been sent to this server, and then
 * removes its object. Of several servers, the keeper does it (--keeper), and sends each on to the others (--forward). Two servers that
 * do it at the same time do more work than needed, and nothing else.
 *
 *   take_start -> take_stop */
#ifndef CANDOR_SERVER_ARRIVALS_TAKE_H
#define CANDOR_SERVER_ARRIVALS_TAKE_H

#include "server/forward/arrivals.h"
#include "server/request/context.h"

struct take;

/* Starts the threads. Returns 0, or a code with a message in e. */
int take_start(struct take **out, struct server *s, struct arrivals *a, struct error *e);
/* Ends them when they have stored what they are storing. t may be NULL. */
void take_stop(struct take *t);

#endif
