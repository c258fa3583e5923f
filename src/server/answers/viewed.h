/* Answers with the page of one recording (page/recording_page.h): of one that the server has, or of one that is sent to look at it, and
 * not kept. A page needs much memory and some seconds, so half of the processors make pages at a time; others wait for their turn. */
#ifndef CANDOR_SERVER_ANSWERS_VIEWED_H
#define CANDOR_SERVER_ANSWERS_VIEWED_H

#include "server/request/http.h"

enum { VIEWED_AT_ONCE = 4 };

struct envelope;

/* Answers with the page of a recording of the store. */
void viewed_recording(struct http *h, uint64_t id, const struct envelope *v);
/* Takes bytes of a recording that is sent to POST /v1/page into h->message. All such recordings together may have VIEWED_AT_ONCE times
 * --max-body. What exceeds this makes the message fail with -ENOMEM. viewed_drop gives the bytes back when the request ends. */
void viewed_take(struct http *h, const char *bytes, size_t n);
void viewed_drop(struct http *h);
/* POST /v1/page: the body is a recording, in any format that the server takes. */
void viewed_sent(struct http *h, const char *body, size_t n);

#endif
