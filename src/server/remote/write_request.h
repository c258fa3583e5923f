/* Makes a request of Prometheus' remote write, 1.0 or 2.0: a message in protocol buffers, compressed with snappy.
 * Source: the specifications of remote write, and prompb/ of prometheus/prometheus (the field numbers). */
#ifndef CANDOR_SERVER_REMOTE_WRITE_REQUEST_H
#define CANDOR_SERVER_REMOTE_WRITE_REQUEST_H

#include "base/buffer.h"
#include "server/remote/scraped.h"

struct write_request_version {
    const char *option;          /* as in --remote-write-protocol */
    const char *type, *protocol; /* Content-Type, and the version in X-Prometheus-Remote-Write-Version */
};

/* Finds a version by its option. Returns NULL if there is none. */
const struct write_request_version *write_request_version(const char *option);
/* Adds the bytes of a request to `out`. at_ms: the time of all samples. Returns 0 or -ENOMEM. */
int write_request_make(const struct write_request_version *v, const struct scraped *s, int64_t at_ms, struct buffer *out);

#endif
