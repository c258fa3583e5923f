/* Reads Pyroscope's push.v1.PushRequest: series of profiles in pprof's format, which agents such as Alloy send. */
#ifndef CANDOR_SERVER_PUSH_SERIES_H
#define CANDOR_SERVER_PUSH_SERIES_H

#include "server/push/parts.h"

/* Stores the profiles of the message. Returns 0, or a code with a message in e if the request itself cannot be read. */
int series_take(struct parts *p, const void *bytes, size_t n, struct error *e);
/* Sets the names of the values of a profile whose series has this name, the label __name__. Returns 0, or a code with a message in e. */
int series_name_values(struct envelope_note *note, const char *family, struct error *e);

#endif
