/* Writes a message in one of the two encodings that Connect's clients request: protocol buffers, or JSON as protobuf maps it (64-bit
 * numbers are strings, and zero or empty fields are left out). Every field has its number and its JSON name.
 *
 *   wire_init -> fields, wire_message .. wire_message_end, wire_list .. wire_list_end -> wire_end
 *
 * Elements of a list are fields without a name, and are written even if they are empty. One owner, no locking. */
#ifndef CANDOR_SERVER_CONNECT_WIRE_H
#define CANDOR_SERVER_CONNECT_WIRE_H

#include "base/buffer.h"
#include "base/text/jsonw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_DEPTH = 8, WIRE_BYTES_MAX = 1 << 30 };

struct wire {
    bool json;
    struct jsonw writer;      /* writes JSON */
    const char *list;         /* name of a list that has begun and has no element yet */
    bool in_list[WIRE_DEPTH]; /* by depth of messages */
    bool list_filled[WIRE_DEPTH];
    struct buffer messages[WIRE_DEPTH]; /* for protocol buffers: the messages that have begun, by depth */
    int depth;
};

void wire_init(struct wire *w, bool json, FILE *out);
/* Writes the rest. Returns 0 or -ENOMEM. */
int wire_end(struct wire *w, FILE *out);

void wire_message(struct wire *w, uint32_t number, const char *name);
void wire_message_end(struct wire *w, uint32_t number);
void wire_list(struct wire *w, const char *name);
void wire_list_end(struct wire *w);

void wire_text(struct wire *w, uint32_t number, const char *name, const char *text);
void wire_int(struct wire *w, uint32_t number, const char *name, int64_t v);
void wire_double(struct wire *w, uint32_t number, const char *name, double v);
void wire_bool(struct wire *w, uint32_t number, const char *name, bool v);
/* Writes a list of numbers. */
void wire_ints(struct wire *w, uint32_t number, const char *name, const int64_t *list, size_t n);
void wire_int32s(struct wire *w, uint32_t number, const char *name, const int32_t *list, size_t n); /* not negative */
void wire_doubles(struct wire *w, uint32_t number, const char *name, const double *list, size_t n);
/* For protocol buffers: adds fields that are encoded already to the message that has begun. */
void wire_fields(struct wire *w, const void *bytes, size_t n);

#endif
