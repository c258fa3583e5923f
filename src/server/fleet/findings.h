/* Answers with the findings of the fleet, and lets people change their state. docs/formats/server-api.md describes the requests. */
#ifndef CANDOR_SERVER_FLEET_FINDINGS_H
#define CANDOR_SERVER_FLEET_FINDINGS_H

#include "server/request/http.h"

void findings_answer(struct http *h);
/* Answers with one finding. id: the text after "/v1/findings/". */
void findings_answer_one(struct http *h, const char *id);
/* Changes a finding. The body is JSON, of at most FINDINGS_BODY_MAX bytes. */
enum { FINDINGS_BODY_MAX = 1 << 16 };
void findings_change(struct http *h, const char *id, const char *body, size_t n);

/* Writes what became of recordings, and the number of findings, for /metrics. */
void findings_put_metrics(FILE *out, struct server *s);

#endif
