/* Profiles on demand: people and rules of alerts ask for a recording of some JVMs; daemons, which the server cannot reach, ask what is
 * wanted, and report what became of it. The recordings arrive like all others, with the label on_demand.
 * Daemons also say which JVMs they do not record, and why.
 *
 *   profiles_start -> [ profiles_answer, profiles_ask, profiles_poll, profiles_daemons, profiles_want ]* -> profiles_stop */
#ifndef CANDOR_SERVER_PROFILES_PROFILES_H
#define CANDOR_SERVER_PROFILES_PROFILES_H

#include "server/profiles/wanted.h"
#include "server/request/http.h"

struct profiles;

/* Reads the requests of an earlier run. tell: prints a line. Returns 0, or a code with a message in e. */
int profiles_start(struct profiles **out, struct server *server, void (*tell)(const char *text), struct error *e);
/* p may be NULL. */
void profiles_stop(struct profiles *p);

/* GET /v1/profiles, POST /v1/profiles and POST /v1/profiles/poll. n: size of the body. */
void profiles_answer(struct http *h);
void profiles_ask(struct http *h, const char *body, size_t n);
void profiles_poll(struct http *h, const char *body, size_t n);
/* GET /v1/daemons: the daemons that were heard within a day, with the JVMs that they do not record, and why. */
void profiles_daemons(struct http *h);
/* Adds a request of the server itself, and writes it to the disk. Returns its number, or a negative code with a message in e. */
int64_t profiles_want(struct profiles *p, const struct wanted *w, struct error *e);

#endif
