/* Stores the recordings of one message one by one, and counts how many were stored or refused. */
#ifndef CANDOR_SERVER_PUSH_PARTS_H
#define CANDOR_SERVER_PUSH_PARTS_H

#include "server/request/context.h"
#include "store/files/envelope.h"

enum { PARTS_MAX = 4096 }; /* the most recordings that one message may have */

struct parts {
    struct server *server;
    const struct token *token; /* of the client */
    enum protocol protocol;
    int64_t received_ns;
    uint32_t count, refused;
    uint32_t rejected;                 /* for OTLP: number of profiles in refused recordings */
    int code;                          /* why a recording was refused: the first one that may succeed later, otherwise the first; 0 = none
                                        * was refused */
    struct error error;                /* its message */
    char left_out[2 * STORE_LEFT_OUT]; /* data that is not kept, as a text for people; "" = nothing */
};

/* Stores one recording with its note, or counts it as refused. */
void parts_take(struct parts *p, struct envelope_note *note, const void *bytes, size_t n);
/* Counts a part that cannot be read at all. */
void parts_refuse(struct parts *p, int rc, const struct error *e);
/* Records, for the sender, that the server does not keep some data of the message. */
void parts_leave_out(struct parts *p, const char *text);

/* Adds a label whose name may be any text. Characters that our names may not have become '_'. If a label does not fit, or its name is there
 * already, it is left out, and this is recorded for the sender. */
int parts_label(struct parts *p, struct labels *labels, const char *name, size_t name_len, const char *value, size_t value_len);

#endif
