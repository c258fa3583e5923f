/* Reads a recording into profiles, one for each quantity that it measures. */
#ifndef CANDOR_SERVER_LOAD_H
#define CANDOR_SERVER_LOAD_H

#include "store/store.h"

/* Loads a recording, for `load` of struct store_options. It unpacks the recording once, and reads a JFR file once for all kinds of
 * samples. */
int load_recording(struct store_profiles *to, const struct envelope *v, struct error *e);

#endif
