/* HTTP/2 on a connection: frames, flow control and streams, with libnghttp2. Each stream is a request as it is in HTTP/1.1 (stream.h), so
 * all routes are the same. A connection is HTTP/2 if the client begins with its preface, with TLS or without.
 *
 *   http2_new -> http2_receive, http2_go, http2_worked, http2_tick -> http2_free, until it returns true
 *
 * Only the loop's thread may call these functions. These are limited, because a client may be hostile: the streams at once, also those that
 * it has reset and that a worker still has; the bytes of headers; the bytes of bodies that wait (the windows); frames that request nothing
 * (flood.h); the time for each of them. */
#ifndef CANDOR_SERVER_FRONT_HTTP2_H
#define CANDOR_SERVER_FRONT_HTTP2_H

#include "server/front/peer.h"
#include "server/front/want.h"
#include "server/front/work.h"

/* The bytes with which a client begins. */
#define HTTP2_PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
enum { HTTP2_PREFACE_BYTES = 24 };

struct http2;

/* Begins HTTP/2 on a connection. Returns NULL if there is no memory. */
struct http2 *http2_new(const struct peer *of);
/* Ends all streams. Returns true if h2 was freed, or false if workers still have some of them, or must still be informed. */
bool http2_free(struct http2 *h2);
bool http2_is_busy(const struct http2 *h2);

/* Takes received bytes. */
enum want http2_receive(struct http2 *h2, const uint8_t *bytes, size_t n);
/* Sends and receives. WANT_CLOSE: the connection is over; http2_is_complete returns whether everything was sent. */
enum want http2_go(struct http2 *h2);
bool http2_is_complete(const struct http2 *h2);
/* Continues after a worker has done its part of a stream, which may be freed. */
void http2_worked(struct http2 *h2, struct stream *s);
/* Returns the next work to submit, or NULL. */
struct work *http2_next_work(struct http2 *h2);
/* Ends streams that wait too long. Returns WANT_NOTHING, WANT_GO_ON if there is something to send, or WANT_CLOSE. */
enum want http2_tick(struct http2 *h2, uint64_t now_ns, bool stopping);

#endif
