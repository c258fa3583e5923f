/* Reads the address to which recordings are sent. Its scheme names the protocol:
 *
 *     http://HOST:PORT, https://HOST       a Candor server
 *     otlp+http://, otlp+https://          OTLP's profiles, as protocol buffers over HTTP
 *     pyroscope+http://, pyroscope+https:// Pyroscope's push.v1, with profiles in pprof's format */
#ifndef CANDOR_EMIT_TARGET_H
#define CANDOR_EMIT_TARGET_H

#include "base/error.h"

enum emit_protocol { EMIT_CANDOR, EMIT_OTLP, EMIT_PYROSCOPE };

struct emit_target {
    enum emit_protocol protocol;
    char base[1024]; /* http:// or https://, without a slash at its end */
};

/* The schemes, for messages. */
#define EMIT_SCHEMES "http://HOST:PORT (a candor server), otlp+http://HOST:4318 or pyroscope+http://HOST:4040, each also with https"

/* Reads an address. Returns 0, or -EINVAL with a message in e. */
int emit_target_read(struct emit_target *t, const char *text, struct error *e);

#endif
