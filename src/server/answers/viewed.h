/* Answers with the page of one recording (page/recording_page.h): of one that the server has, or of one that is sent to look at it, and
 * not kept. */
#ifndef CANDOR_SERVER_ANSWERS_VIEWED_H
#define CANDOR_SERVER_ANSWERS_VIEWED_H

#include "server/request/http.h"

struct envelope;

/* Answers with the page of a recording of the store. */
void viewed_recording(struct http *h, uint64_t id, const struct envelope *v);
/* POST /v1/page: the body is a recording, in any format that the server takes. */
void viewed_sent(struct http *h, const char *body, size_t n);

#endif
