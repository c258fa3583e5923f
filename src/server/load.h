/* A recording in the store, read into the model. */
#ifndef CANDOR_SERVER_LOAD_H
#define CANDOR_SERVER_LOAD_H

#include "store/files/envelope.h"
#include "profile/profile.h"

/* What struct store_options wants. */
int load_recording(struct profile *p, const struct envelope *v, struct error *e);

#endif
