/* A message in JSON, as protobuf maps it, rewritten as protocol buffers: so there is one reader of each message, for both encodings. Names
 * may be in camel case or as in the interface definitions; unknown ones are ignored, as protobuf's readers do. */
#ifndef CANDOR_SERVER_PUSH_JSON_PB_H
#define CANDOR_SERVER_PUSH_JSON_PB_H

#include "base/buffer.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum json_pb_kind {
    JSON_PB_TEXT,
    JSON_PB_BASE64,
    JSON_PB_HEX, /* bytes, as OTLP writes ids */
    JSON_PB_INT,
    JSON_PB_FIXED64,
    JSON_PB_DOUBLE,
    JSON_PB_BOOL,
    JSON_PB_MESSAGE
};

struct json_pb_field {
    const char *name; /* camel case; NULL ends the table */
    uint32_t number;
    enum json_pb_kind kind;
    const struct json_pb_field *of; /* of a message: its fields */
};

enum { JSON_PB_MAX = 16 << 20 }; /* bytes of JSON: its tree takes many times as much memory */

/* Appends the message to out. 0, -ENOMEM, or -EINVAL or -EFBIG with its line. */
int json_pb_write(struct buffer *out, const struct json_pb_field *fields, const char *text, size_t n, struct error *e);

#endif
