/* Reads requests of Pyroscope's protocol: the head, POST /ingest?name=app{label=value,...}&from=..&until=..&format=..&sampleRate=.., and
 * the form fields that are sent with the profile. */
#ifndef CANDOR_SERVER_ANSWERS_INGEST_H
#define CANDOR_SERVER_ANSWERS_INGEST_H

#include "server/request/http.h"
#include "store/files/envelope.h"

/* Reads the head into the note. Returns 0, or -EINVAL with a message in e. */
int ingest_read(const struct http *h, struct envelope_note *note, struct error *e);
/* Reads a name such as "app{k=v,...}" into labels. Leaves out labels whose name begins with "__", because Pyroscope uses these
 * internally. */
int ingest_name(const char *name, struct labels *labels, struct error *e);

enum { INGEST_PART_MAX = 1 << 20, INGEST_PARTS = 2 };

/* The form fields that were sent with the profile. */
struct ingest_parts {
    struct buffer config, labels; /* the fields sample_type_config and labels */
    char others[64];              /* the name of the last other field; "" = none */
    char left_out[400];           /* set by ingest_use: data that is not kept, as a text for people */
};

void ingest_parts_init(struct ingest_parts *p);
void ingest_parts_deinit(struct ingest_parts *p);
/* Receives some bytes of a field. */
void ingest_take(struct ingest_parts *p, const char *name, const char *bytes, size_t n);
/* Puts the content of the fields into the note. Call it when all fields have been received. Returns 0, or a code with a message in e. */
int ingest_use(struct ingest_parts *p, struct envelope_note *note, struct error *e);

#endif
