/* Receives messages that contain several recordings: Pyroscope's push.v1 over Connect, and OTLP's profiles over HTTP. Both may be in
 * protocol buffers or JSON, and may be packed with gzip.
 *
 *   push_protocol -> push_begin -> (the body is received) -> push_answer, or push_refuse */
#ifndef CANDOR_SERVER_PUSH_PUSH_H
#define CANDOR_SERVER_PUSH_PUSH_H

#include "server/request/http.h"

/* Returns the protocol of messages to this path. PROTOCOLS = the path takes no such messages. */
enum protocol push_protocol(const char *path);
/* Handles the head of a request. Returns 0, or -1 if it has already answered because the type of the message is unknown. */
int push_begin(struct http *h);
/* Stores the content of a complete message, counts it, and answers. */
void push_answer(struct http *h, const char *bytes, size_t n);
/* Answers that nothing of the message was stored, with the status for this error. */
void push_refuse(struct http *h, int rc, const char *text);

#endif
