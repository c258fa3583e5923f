/* Answers which spans cost most, and what the threads of one trace did, from the recordings that the server still has. */
#ifndef CANDOR_SERVER_SPANS_SPANS_H
#define CANDOR_SERVER_SPANS_SPANS_H

#include "server/request/http.h"

void spans_answer(struct http *h);                          /* /v1/spans */
void spans_answer_trace(struct http *h, const char *trace); /* /v1/spans/TRACE_ID */

#endif
