/* Sends the body of a request to another back end than a server of Candor's. */
#ifndef CANDOR_EMIT_SEND_H
#define CANDOR_EMIT_SEND_H

#include "emit/body.h"
#include "http/post.h"

/* As post_send. *rejected: profiles that OTLP's answer says were not taken, although the status is 200; sending them again does not help,
 * and the answer's text is then the reason. */
int emit_send(struct transport *t, const struct emit_target *target, const char *token, const struct emit_body *body,
              struct post_answer *answer, uint64_t *rejected, struct error *e);

#endif
