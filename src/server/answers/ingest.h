/* Pyroscope's protocol: the head of a request, POST /ingest?name=app{label=value,...}&from=..&until=..&format=..&sampleRate=.., and
 * the form fields that come with the profile. */
#ifndef CANDOR_SERVER_ANSWERS_INGEST_H
#define CANDOR_SERVER_ANSWERS_INGEST_H

#include "server/request/http.h"
#include "store/files/envelope.h"

/* 0, or -EINVAL with its line. */
int ingest_read(const struct http *h, struct envelope_note *note, struct error *e);
/* Parses a name such as "app{k=v,...}" into labels. Labels whose name begins with "__" are Pyroscope's own, and are left out. */
int ingest_name(const char *name, struct labels *labels, struct error *e);

enum { INGEST_PART_MAX = 1 << 20, INGEST_PARTS = 2 };

/* What came beside the profile. */
struct ingest_parts {
    struct buffer config, labels; /* sample_type_config, labels */
    char others[64];              /* the last field that is none of these; "" = none */
    char left_out[400];           /* of ingest_use: what is not kept, for people */
};

void ingest_parts_init(struct ingest_parts *p);
void ingest_parts_deinit(struct ingest_parts *p);
/* Receives some bytes of a field. */
void ingest_take(struct ingest_parts *p, const char *name, const char *bytes, size_t n);
/* Call it when all fields have come: puts their information into the note. 0, or a code with its line. */
int ingest_use(struct ingest_parts *p, struct envelope_note *note, struct error *e);

#endif
