/* Writes a profile in pprof's format as a message of a call. In protocol buffers, that is the format itself. JSON is made of it by a table
 * of the fields (perftools.profiles.Profile, as google.v1.Profile in Pyroscope's interface definitions). */
#ifndef CANDOR_SERVER_CONNECT_PPROF_FIELDS_H
#define CANDOR_SERVER_CONNECT_PPROF_FIELDS_H

#include "server/connect/wire.h"

/* Writes the fields into the message that has begun. bytes: a profile as pprof_write_plain writes it. Returns 0, or -ENOMEM if there is no
 * memory for its texts. */
int pprof_fields_put(struct wire *w, const void *bytes, size_t n);

#endif
