/* Converts between the store's types ("cpu:ns") and Pyroscope's profile types ("process_cpu:cpu:nanoseconds:cpu:nanoseconds"). */
#ifndef CANDOR_SERVER_CONNECT_KINDS_H
#define CANDOR_SERVER_CONNECT_KINDS_H

#include "base/error.h"
#include "store/catalogue/catalogue.h"

enum { KINDS_ID_MAX = 320, KINDS_PARTS = 5 };

/* A profile type: its id, and the parts of the id. */
struct kind {
    char id[KINDS_ID_MAX];
    char parts[KINDS_PARTS][CATALOGUE_TYPE_MAX]; /* name, sample type, sample unit, period type, period unit */
};

void kinds_of_type(const char *type, struct kind *out);
/* Reads the id of a profile type. Returns 0, or -EINVAL with a message in e if it is not an id. `type` is empty if the store cannot have
 * this type. */
int kinds_parse(const char *id, char type[CATALOGUE_TYPE_MAX], struct kind *out, struct error *e);
/* Returns the value of a label that Pyroscope adds to every series, for example "__profile_type__". Returns NULL if the name is not such a
 * label. */
const char *kinds_label(const struct kind *k, const char *name);

#endif
