/* Between the store's types ("cpu:ns") and Pyroscope's profile types ("process_cpu:cpu:nanoseconds:cpu:nanoseconds"). */
#ifndef CANDOR_SERVER_CONNECT_KINDS_H
#define CANDOR_SERVER_CONNECT_KINDS_H

#include "base/error.h"
#include "store/catalogue/catalogue.h"

enum { KINDS_ID_MAX = 320, KINDS_PARTS = 5 };

/* A profile type: its id, and the parts of that. */
struct kind {
    char id[KINDS_ID_MAX];
    char parts[KINDS_PARTS][CATALOGUE_TYPE_MAX]; /* name, sample type, sample unit, period type, period unit */
};

void kinds_of_type(const char *type, struct kind *out);
/* Parses such an id. 0, with an empty type if the store cannot have it, or -EINVAL with a line if it is not an id. */
int kinds_parse(const char *id, char type[CATALOGUE_TYPE_MAX], struct kind *out, struct error *e);
/* The value of one of the labels that Pyroscope gives every series ("__profile_type__"); NULL when it is none of them. */
const char *kinds_label(const struct kind *k, const char *name);

#endif
