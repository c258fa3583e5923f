/* Sends the body of a request to a back end that is not a Candor server. */
#ifndef CANDOR_EMIT_SEND_H
#define CANDOR_EMIT_SEND_H

#include "emit/body.h"
#include "http/post.h"

/* Sends the body, as post_send does. *rejected: the number of profiles that OTLP refused, although the status is 200. Another attempt would
 * not help. The text of the answer is then the reason. */
int emit_send(struct transport *t, const struct emit_target *target, const char *token, const struct emit_body *body,
              struct post_answer *answer, uint64_t *rejected, struct error *e);

#endif
