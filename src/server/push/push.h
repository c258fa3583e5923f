/* Messages that bring several recordings: Pyroscope's push.v1 over Connect, and OTLP's profiles over HTTP, each as protocol buffers or
 * JSON, packed with gzip or not.
 *
 *   push_protocol -> push_begin -> (the body comes) -> push_answer, or push_refuse */
#ifndef CANDOR_SERVER_PUSH_PUSH_H
#define CANDOR_SERVER_PUSH_PUSH_H

#include "server/request/http.h"

/* The protocol of messages to this path; PROTOCOLS = the path takes no such messages. */
enum protocol push_protocol(const char *path);
/* At the head of a request: 0, or -1 after it has answered, because the message is of no type that is known. */
int push_begin(struct http *h);
/* All of the message has come: stores what is in it, counts it, and answers. */
void push_answer(struct http *h, const char *bytes, size_t n);
/* Answers that nothing of the message was stored, with the status for this error. */
void push_refuse(struct http *h, int rc, const char *text);

#endif
