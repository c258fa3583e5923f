/* The recordings of one message, which are stored one by one, and what became of them. */
#ifndef CANDOR_SERVER_PUSH_PARTS_H
#define CANDOR_SERVER_PUSH_PARTS_H

#include "server/request/context.h"
#include "store/files/envelope.h"

enum { PARTS_MAX = 4096 }; /* recordings of one message */

struct parts {
    struct server *server;
    enum protocol protocol;
    int64_t received_ns;
    uint32_t count, refused;
    uint32_t rejected;                 /* of OTLP: the profiles in those that were refused */
    int code;                          /* why the first was refused, or, before that, one that may be taken later; 0 = none */
    struct error error;                /* its line */
    char left_out[2 * STORE_LEFT_OUT]; /* for people; "" = nothing */
};

/* Stores one recording with its note, or counts it as refused. */
void parts_take(struct parts *p, struct envelope_note *note, const void *bytes, size_t n);
/* Counts a part that cannot be read at all. */
void parts_refuse(struct parts *p, int rc, const struct error *e);
/* Notes that the server does not keep this data of the message. */
void parts_leave_out(struct parts *p, const char *text);

/* A label whose name may be any text: characters that ours may not have become '_'. One that does not fit is left out, which
 * is noted; so is a second one of a name. */
int parts_label(struct parts *p, struct labels *labels, const char *name, size_t name_len, const char *value, size_t value_len);

#endif
