/* The head of a request of Pyroscope's protocol: POST /ingest?name=app{label=value,...}&from=..&until=..&format=..&sampleRate=.. */
#ifndef CANDOR_SERVER_ANSWERS_INGEST_H
#define CANDOR_SERVER_ANSWERS_INGEST_H

#include "server/request/http.h"
#include "store/files/envelope.h"

/* 0, or -EINVAL with its line. */
int ingest_read(const struct http *h, struct envelope_note *note, struct error *e);
/* "app{k=v,...}" alone. */
int ingest_name(const char *name, struct labels *labels, struct error *e);

#endif
