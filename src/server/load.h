/* A recording in the store, read into the model: one profile for each quantity that it measures. */
#ifndef CANDOR_SERVER_LOAD_H
#define CANDOR_SERVER_LOAD_H

#include "store/store.h"

/* What struct store_options wants. The recording is unpacked once, and a JFR file is read once for all kinds of sample. */
int load_recording(struct store_profiles *to, const struct envelope *v, struct error *e);

#endif
