/* The thread that all connections belong to: it waits for them with epoll, accepts new ones within the limits, and hands work to workers.
 * It never waits for a disk, a lock that is held for long, or a client. */
#ifndef CANDOR_SERVER_FRONT_LOOP_H
#define CANDOR_SERVER_FRONT_LOOP_H

#include "server/front/transport.h"
#include "server/request/context.h"

struct loop;

/* listener: a socket that listens; taken over if it succeeds. keys: NULL = without TLS; they remain the caller's. 0 or a code with its
 * line. */
int loop_start(struct loop **out, struct server *s, int listener, gnutls_certificate_credentials_t keys, struct error *e);
/* Accepts no more, closes idle connections, lets requests that are being answered end. NULL is fine. */
void loop_stop(struct loop *l);

#endif
