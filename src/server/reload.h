/* Reads the configuration of a running server again. All of it takes effect, or, if anything is wrong with it, nothing. */
#ifndef CANDOR_SERVER_RELOAD_H
#define CANDOR_SERVER_RELOAD_H

#include "server/front/listen.h"

/* Sets all limits to those of the options. */
void reload_limits(struct server_limits *l, const struct server_options *o);
/* Returns the limits of the store among the options. */
struct store_limits reload_store_limits(const struct server_options *o);
/* Reads options, tokens, and certificate. Puts them in force, except options that need a restart. Reports what has changed, or why
 * nothing has. Call it from the thread that maintains the store. */
void reload_all(struct server *s, struct listener *l, const struct server_source *source, void (*tell)(const char *text));

#endif
