/* Fetches profiles from programs that offer them over HTTP, as Go programs with net/http/pprof do.
 *
 *   pull_start -> [ pull_use, pull_answer, pull_put_metrics ]* -> pull_stop
 *
 * One thread does all requests (schedule.c), and others store what comes (store.c). */
#ifndef CANDOR_SERVER_PULL_PULL_H
#define CANDOR_SERVER_PULL_PULL_H

#include "server/pull/targets.h"
#include "server/request/http.h"

struct pull;

/* Reads the file of --pull, and starts the threads. tell: prints a line. Returns 0, or a code with a message in e. */
int pull_start(struct pull **out, struct server *server, void (*tell)(const char *text), struct error *e);
/* Ends the threads. p may be NULL. */
void pull_stop(struct pull *p);
/* Replaces the targets by these, and takes them over. A profile that is still a target goes on as if nothing had happened. */
void pull_use(struct pull *p, struct pull_targets *t);
/* Returns how many profiles of programs are targets. */
uint32_t pull_count(struct pull *p);

/* GET /v1/pull */
void pull_answer(struct http *h);
void pull_put_metrics(FILE *out, struct server *server);

#endif
